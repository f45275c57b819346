"""A text that an AG-UI client sends for a choice that it shows: its label, or a value that is no word, presses it.

AG-UI has no message for a click, so clients send what they show, or its value. All other text is the person's own
words, which the judge of answers reads.
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
    """Return the message as the click that it means, else as it is; a message sent again as what it was taken for.

    While a run is at work nobody knows which question the text was written for.
    """
    said = message.content[0]
    if session.last_run is None or len(message.content) != 1 or not isinstance(said, TextPart):
        return message
    known = await store.runs.find_sent(session.id, [message.id])
    if known:
        content = (await store.runs.get(known[message.id])).content
        part = content[0] if len(content) == 1 and _says(content[0], said.text.strip()) else None
    elif await store.runs.running(session.id) is None:
        part = find_choice(said.text, (await runs.snapshot(session.id)).transcript.messages)
    else:
        part = None
    try:
        return message if part is None else message.model_copy(update={"content": [AnswerPart(**part)]})
    except ValidationError:  # No click could send this value either.
        return message


def find_choice(text: str, messages: Sequence[Json]) -> Json | None:
    """Return the answer part of the one choice that this text names, among those of the question that is open."""
    said = text.strip()
    asking = next((each for each in reversed(messages) if _asks(each)), None)
    if asking is None or not said:
        return None
    choices = list(_choices(asking["id"], asking["content"]))
    found = [each for each in choices if _says(each, said)]
    if len(found) != 1 or (said.isdecimal() and _means_another(said, found[0], choices)):
        return None
    return found[0] if said == found[0]["label"] or _is_code(said) else None


def _asks(message: Json) -> bool:
    if message["role"] != "activity" or message["activityType"] != "block":
        return False
    return message["content"].get("kind") in ASKING and message["content"].get("status") == "open"


def _choices(block_id: str, block: Json) -> Iterator[Json]:
    """Yield the buttons of an open block as the answers that they send, in their order."""
    buttons = [*block.get("choices", ()), *block.get("actions", ())]
    for each in (*buttons, block.get("more"), block.get("unsure")):
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
