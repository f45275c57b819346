"""The table of strangers: one person each, what they type or press, and what must come of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.unit.demo.harness import HarnessVisitor

FOLDER = Path(__file__).parent / "strangers"
MOST_TURNS = 40
PATIENCE = 6
"""So often in a row a person says the same; then they leave."""
SKIPPED = ("Não sei", "I don't know")
"""What is stored of a question that was passed over."""


@dataclass
class Stranger:
    """One person of the table."""

    name: str
    language: str
    turns: list[str] = field(default_factory=list)
    """Text to type, a "[Label]" to press, in this order; None of them waits for a certain question."""
    answers: dict[str, str] = field(default_factory=dict)
    """What they answer, by the name of the question; with "?" when that question was asked back."""
    outcome: str = ""
    stored: dict[str, str] = field(default_factory=dict)
    said: str = ""
    reason: str = ""
    """Why this person is not handled; empty for those who are."""

    def take(self, line: str) -> None:
        """Take one line of the table in."""
        if line.startswith(("> ", "[")):
            self.turns.append(f"{len(self.answers)}\t{line.removeprefix('> ')}")
        elif line.startswith("= "):
            self.outcome, *pairs = line[2:].split(" | ")
            self.stored = dict(pair.split(": ", 1) for pair in pairs)
        elif line.startswith("! "):
            self.reason = line[2:]
        else:
            name, _, text = line.partition(": ")
            if name == "said":
                self.said = text
            else:
                self.answers[name] = text

    def script(self) -> list[tuple[int, str]]:
        """Return each turn with the number of answers that stand before it in the table."""
        return [(int(turn.partition("\t")[0]), turn.partition("\t")[2]) for turn in self.turns]


def strangers(language: str) -> list[Stranger]:
    """Everybody of one language, in the order of the table."""
    people: list[Stranger] = []
    for line in (FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            people.append(Stranger(line[3:], language))
        elif line.strip() and not line.startswith("# "):
            people[-1].take(line)
    return people


async def converse(person: Stranger, visitor: HarnessVisitor) -> None:
    """Say everything this person says: turns in order, and answers to the questions that are open."""
    script, given = person.script(), list(person.answers)
    said: list[tuple[str | None, str]] = []
    for _ in range(MOST_TURNS):
        asked = open_question(visitor)
        known = person.answers.get(asked or "", person.answers.get((asked or "").rstrip("?")))
        name = asked if asked in given else (asked or "").rstrip("?")
        earlier = script and name in given and given.index(name) < script[0][0]
        if known is not None and (not script or earlier):
            if said[-PATIENCE:] == [(asked, known)] * PATIENCE:
                return
            said.append((asked, known))
            await visitor.say(known)
        elif script:
            await _turn(script.pop(0)[1], visitor)
        else:
            return


async def _turn(text: str, visitor: HarnessVisitor) -> None:
    """Type it, or press the button with this label; a button that is not there fails the test's table."""
    if not re.fullmatch(r"\[.+\]", text):
        await visitor.say(text)
        return
    for block in visitor.open_blocks():
        for choice in _buttons(block):
            if choice["label"] == text[1:-1]:
                await visitor.click(choice.get("name") or block["name"], choice["value"], choice["label"])
                return
    await visitor.say(text[1:-1])


def _buttons(block: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the choices of a block, and the yes to a figure that stands in its field."""
    return [*block.get("choices", ()), *filter(None, [block.get("confirm")])]


def open_question(visitor: HarnessVisitor) -> str | None:
    """The name of the question that waits, "?" behind it where its answer was asked back."""
    waiting = visitor.open_blocks()
    if not waiting:
        return None
    block = waiting[-1]
    name = str(block["name"]).split(".")[-1]
    if name == "confirm":
        return name
    name = "option" if name.startswith("option:") else name
    values = [str(choice["value"]) for choice in _buttons(block)]
    return f"{name}?" if "answer:right" in values else name


def stored(visitor: HarnessVisitor) -> dict[str, str]:
    """Product, options and answers as they are stored, by their short names."""
    state = visitor.state
    answers = {name.split(".")[-1]: str(value) for name, value in (state.get("answers") or {}).items()}
    product = {"product": str(state["product"])} if state.get("product") else {}
    return {**product, **(state.get("options") or {}), **answers}


def faults(person: Stranger, visitor: HarnessVisitor) -> tuple[list[str], list[str]]:
    """Return what is missing, and what is wrong: a stored value that this person did not mean."""
    found, wrong = stored(visitor), []
    missing = [f"{name} is missing" for name in person.stored if name not in found]
    for name, value in found.items():
        meant = person.stored.get(name)
        if meant is None and (person.outcome == "nothing" or value in SKIPPED):
            continue
        if meant is None or not _same(meant, value):
            wrong.append(f"{name} is {value!r} instead of {meant!r}")
    status = visitor.state.get("status")
    if person.outcome in ("complete", "refused"):
        missing += (
            []
            if status == person.outcome
            else [f"{status}, not {person.outcome}, at {open_question(visitor)}"]
        )
    elif person.outcome.startswith("open "):
        asked = open_question(visitor)
        missing += [] if asked == person.outcome[5:] else [f"asked {asked}, not {person.outcome[5:]}"]
    elif status in ("complete", "refused"):
        missing.append(f"{status}, though nothing was to be sold")
    if person.said and not any(person.said in _all_shown(reply) for reply in visitor.replies):
        missing.append(f"{person.said!r} was never said")
    return missing, wrong


def _same(meant: str, value: str) -> bool:
    """ "*" is any value, "~words" a value with these words, all else the value itself."""
    if meant == "*":
        return True
    meant, value = ("".join(each.split()) for each in (meant, value))
    return meant[1:] in value if meant.startswith("~") else meant == value


def _all_shown(reply: object) -> str:
    """Text and blocks of a reply, as one text."""
    return f"{reply.text} {reply.blocks}"  # type: ignore[attr-defined]
