"""A number that an AG-UI client sends for an option that it got as text: the click or the answer that it means."""

from server.endpoints.numbered_options import Option, find_option, options_of
from server.protocol.commands import AnswerPart, Message, TextPart
from server.protocol.envelope import Ack
from server.store import GivenAnswer, Session, Store


async def press_number(
    message: Message, session: Session, store: Store
) -> AnswerPart | GivenAnswer | Ack | None:
    """Return what a message means by an option of the last run; None where it means its own words.

    A message that is sent again means what it was taken for. While a run is at work it is unknown which question the
    number was written for.
    """
    said = message.content[0]
    known = await store.runs.find_sent(session.id, [message.id])
    if known:
        run = await store.runs.get(known[message.id])
        if run.parent_run_id is not None:
            return Ack(id=message.id, dup=True, run_id=run.id)
        is_click = len(run.content) == 1 and run.content[0]["type"] == "answer"
        return AnswerPart(**run.content[0]) if is_click else None
    if session.last_run is None or len(message.content) != 1 or not isinstance(said, TextPart):
        return None
    if await store.runs.running(session.id) is not None:
        return None
    options = options_of(await store.messages.of_run(session.last_run), session.language)
    option = find_option(said.text, options)
    if option is None or isinstance(option, Option):
        return None if option is None else AnswerPart(**option.part())
    waiting = await store.interrupts.open_in(session.id)
    asked = next((each for each in waiting if each.block_id == option.block_id), None)
    if asked is None:
        return None
    return GivenAnswer("resolved", {"approved": option.approved}, interrupt_id=asked.id)
