"""The input items of a model: the messages of the person, typed or clicked, and the calls that have their results."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from server import patterns
from server.languages import fold
from server.protocol.codec import read_json
from server.text_reading.things.owners import without_other_owner
from server.text_reading.wishes.agreements import spell_shown_yes
from server.text_reading.wishes.side_corrections import side_correction
from server.text_reading.words.beginnings import beginning_of

Item = Mapping[str, Any]
_HINT = patterns.compile(r'(?m)^\[answer ([^\s=]+)=("(?:[^"\\]|\\.)*"|[^\s"\]]+) block=(\S+)\]$')
_PAGE_DATA = patterns.compile(r"^\[page data: [^\n]*\n[^\n]*\n\[end of page data\]$", patterns.MULTILINE)


@dataclass(frozen=True)
class PersonMessage:
    """A message of the person: typed words, or the label and value of a click."""

    text: str
    name: str = ""
    value: str = ""
    at: int = 0
    pictures: int = 0
    put_right: str = ""
    """The clause of an older message as this one puts it right."""

    @property
    def is_click(self) -> bool:
        """Return whether the message is a click on a block."""
        return bool(self.name)


def _parts(item: Item) -> list[Mapping[str, Any]]:
    content = item.get("content") or ""
    parts = [{"text": content}] if isinstance(content, str) else content
    return [part for part in parts if isinstance(part, Mapping)]


def text_of(item: Item) -> str:
    """Return the text of an input item, of all its parts."""
    return "".join(part.get("text", "") for part in _parts(item))


def read_spoken(items: Sequence[Item]) -> Iterator[str]:
    """Yield what the assistant said, oldest first."""
    return filter(None, (text_of(each) for each in items if each.get("role") == "assistant"))


def read_message(item: Item, at: int, most: int) -> PersonMessage:
    """Return a message of the person as it was typed, up to `most` letters, or as the click that it is."""
    text = _PAGE_DATA.sub("", text_of(item))
    hints = _HINT.findall(text)
    words = without_other_owner(beginning_of(spell_shown_yes(_HINT.sub("", text).strip()), most))
    if not hints:
        pictures = sum(part.get("type") == "input_image" for part in _parts(item))
        return PersonMessage(words, at=at, pictures=pictures)
    name, raw, _ = hints[-1]
    return PersonMessage(words, name, json.loads(raw) if raw.startswith('"') else raw, at)


def read_messages(items: Sequence[Item], most: int) -> tuple[PersonMessage, ...]:
    """Return the messages of the person, the oldest first; what puts a side right stands apart from the other words."""
    sent = ((at, each) for at, each in enumerate(items) if each.get("role") == "user")
    found, typed = list[PersonMessage](), list[str]()
    for written in (read_message(item, at, most) for at, item in sent):
        earlier = typed[: -_MOST_TOLD - 1 : -1]
        correction = None if written.is_click else side_correction(written.text, *earlier)
        typed += [] if written.is_click else [written.text]
        message = written
        if correction is not None:
            right = correction.right.strip(" .")
            message = replace(written, text=correction.rest or "continue", put_right=right)
        found.append(message)
    return tuple(found)


_MOST_TOLD = 40
"""A correction is compared with this many older messages."""


@dataclass(frozen=True)
class Output:
    """A tool call that has its result."""

    name: str
    arguments: dict[str, Any]
    result: dict[str, Any]
    at: int
    text: str = ""  # The result as it was written, for one that is no object.


def object_of(raw: object) -> dict[str, Any]:
    """Return the JSON object that a text is; an empty one for any other text."""
    try:
        parsed = read_json(raw) if isinstance(raw, str) else raw
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def read_outputs(items: Sequence[Item]) -> Iterator[Output]:
    """Yield the calls that have their results, oldest first."""
    calls: dict[str, Item] = {}
    for at, item in enumerate(items):
        kind, call_id = item.get("type"), str(item.get("call_id"))
        if kind == "function_call":
            calls[call_id] = item
        elif kind == "function_call_output" and call_id in calls:
            call, result = calls[call_id], item.get("output")
            arguments = object_of(call.get("arguments"))
            yield Output(str(call.get("name")), arguments, object_of(result), at, str(result or ""))


def is_said_again(messages: Sequence[PersonMessage], times: int) -> bool:
    """Return whether the newest message was typed so many times in a row, in the same words."""
    last = messages[-times:]
    return (
        len(last) == times
        and len({fold(each.text) for each in last}) == 1
        and not any(e.is_click for e in last)
    )
