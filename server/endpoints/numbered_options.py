"""Open questions as numbered options in a text, and the number that a person sends back as the click that it means."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from server import patterns
from server.html.deep_chat import block_text, shown_choices
from server.protocol.content_parts import ANSWER
from server.words import say

Json = dict[str, Any]

_NUMBER = patterns.compile(r"([0-9]{1,3})[.)]?\Z")
_DIGITS = patterns.compile(r"\d+")


@dataclass(frozen=True)
class Option:
    """One numbered option of a response: its text, and the answer to its block that it stands for."""

    label: str
    block_id: str
    name: str
    value: Any

    def part(self) -> Json:
        """Return the click that the option is, as a part of a message."""
        return {
            "type": ANSWER,
            "block_id": self.block_id,
            "name": self.name,
            "value": self.value,
            "label": self.label,
        }


@dataclass(frozen=True)
class ApprovalOption:
    """A numbered yes or no to a call that waits."""

    label: str
    block_id: str
    approved: bool


def number_texts(messages: Iterable[Json], language: str) -> Iterator[tuple[str, str]]:
    """Yield the text of each block of a run with the block's id, the options numbered through all of them.

    A legend that the run's own words said already is not said again.
    """
    listed = list(messages)
    before = "\n\n".join(str(each.get("content") or "") for each in listed if each["role"] == "assistant")
    marks = (f"{number}." for number in count(1))
    for each in listed:
        if is_block(each):
            text = block_text(each["content"], language, before, marks)
            if text:
                yield each["id"], text


def options_of(messages: Iterable[Json], language: str) -> list[Option | ApprovalOption]:
    """Return the options of a run in the order of their numbers."""
    return [option for each in messages if is_block(each) for option in _options(each, language)]


def find_option(text: str, options: Sequence[Option | ApprovalOption]) -> Option | ApprovalOption | None:
    """Return the option that a text names by its number or its words; None where it may mean something else."""
    said = text.strip()
    numbered = _NUMBER.match(said)
    if numbered is None:
        named = [each for each in options if each.label.casefold() == said.casefold()]
        return named[0] if len(named) == 1 else None
    number = int(numbered[1])
    if not 1 <= number <= len(options):
        return None
    found = options[number - 1]
    others = (each for each in options if each is not found and str(number) in _DIGITS.findall(each.label))
    return None if any(others) and str(number) not in _DIGITS.findall(found.label) else found


def is_block(message: Json) -> bool:
    """Return whether a message of a conversation is a block."""
    return bool(message["role"] == "activity" and message["activityType"] == "block")


def _options(message: Json, language: str) -> Iterator[Option | ApprovalOption]:
    """Yield the options of a block in the order in which `block_text` writes them."""
    block: dict[str, Any] = message["content"]
    if block.get("status") != "open" or block["kind"] in ("card", "list", "image"):
        return
    if block["kind"] == "approval":
        yield ApprovalOption(say("approval.yes", language), message["id"], approved=True)
        yield ApprovalOption(say("approval.no", language), message["id"], approved=False)
        return
    for each in shown_choices(block):
        name = each.get("name") or block.get("name") or "action"
        yield Option(each["label"], message["id"], name, each["value"])
