"""A text that a client sends for a choice that it shows: its label presses it, and in AG-UI a value that is no word.

AG-UI and Deep Chat have no message for a click, so clients send what they show; those of AG-UI may send its value. All
other text is the person's own words, which the judge of answers reads.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from server import patterns
from server.protocol.commands import AnswerPart, Message, TextPart
from server.protocol.content_parts import ANSWER
from server.runs import RunCommands
from server.store import Session, Store

Json = dict[str, Any]

_CODE = patterns.compile(r"[\d:_]")
_GROUP = patterns.compile(r"(?<=\d)[.\u00a0\u202f](?=\d{3}(?!\d))")
_NUMBER = patterns.compile(r"\d+(?:[.,]\d+)*")

ASKING = frozenset({"choices", "form", "card"})
"""Kinds of blocks that people act on; only the newest open one counts."""


async def press_choice(message: Message, session: Session, store: Store, runs: RunCommands) -> Message:
    """Return the message as the click that it means, else as it is."""
    said = message.content[0]
    if len(message.content) != 1 or not isinstance(said, TextPart):
        return message
    part = await find_press(message.id, said.text, session, store, runs)
    return message if part is None else message.model_copy(update={"content": [AnswerPart(**part)]})


async def find_press(
    id: str, text: str, session: Session, store: Store, runs: RunCommands, *, by_value: bool = True
) -> Json | None:
    """Return the answer part that a message under this id means by its text.

    One that is sent again means what it was taken for. While a run is at work it is unknown which question the text was
    written for.
    """
    if session.last_run is None:
        return None
    is_at_work = await store.runs.running(session.id) is not None
    known = await store.runs.find_sent(session.id, [id])
    if known:
        content = (await store.runs.get(known[id])).content
        return content[0] if len(content) == 1 and _says(content[0], text.strip()) else None
    if is_at_work:
        return None
    return find_choice(text, (await runs.snapshot(session.id)).transcript.messages, by_value=by_value)


def find_choice(text: str, messages: Sequence[Json], *, by_value: bool = True) -> Json | None:
    """Return the answer part of the one choice that this text names, among those of the question that is open.

    A value counts `by_value` where it is no word.
    """
    said = text.strip()
    asking = next((each for each in reversed(messages) if _asks(each)), None)
    if asking is None or not said:
        return None
    choices = list(_choices(asking["id"], asking["content"]))
    found = [each for each in choices if _says(each, said)]
    if len(found) != 1 or (said.isdecimal() and _means_another(said, found[0], choices)):
        return None
    try:
        AnswerPart(**found[0])
    except ValidationError:  # No click could send this value either.
        return None
    return found[0] if said == found[0]["label"] or (by_value and _is_code(said)) else None


def _asks(message: Json) -> bool:
    if message["role"] != "activity" or message["activityType"] != "block":
        return False
    return message["content"].get("kind") in ASKING and message["content"].get("status") == "open"


def _choices(block_id: str, block: Json) -> Iterator[Json]:
    """Yield the buttons of an open block as the answers that they send, in their order."""
    buttons = [*block.get("choices", ()), *block.get("actions", ())]
    for each in (*buttons, block.get("confirm"), block.get("more"), block.get("unsure")):
        if each is not None:
            name = each.get("name") or block.get("name") or "action"
            yield {
                "type": ANSWER,
                "block_id": block_id,
                "name": name,
                "value": each["value"],
                "label": each["label"],
            }


def _is_code(value: str) -> bool:
    """Return whether this value can mean nothing else.

    `no` may be the value of a choice whose label begins with yes.
    """
    return bool(_CODE.search(value))


def _says(part: Json, said: str) -> bool:
    return part["type"] == ANSWER and said in (str(part["value"]), part["label"])


def _means_another(number: str, found: Json, choices: Iterable[Json]) -> bool:
    """Return whether a person may mean another choice by the number: by its place, or because its label says the
    number.
    """
    others = ((place, each) for place, each in enumerate(choices, 1) if each is not found)
    return any(int(number) == place or number in _numbers(each["label"]) for place, each in others)


def _numbers(label: str) -> list[str]:
    """Return the numbers that a label says, without what groups their digits."""
    return _NUMBER.findall(_GROUP.sub("", label))
