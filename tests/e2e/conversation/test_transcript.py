"""A short sale as a screen reader meets it: the roles and names of Chromium's accessibility tree, in their order."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from server.words import FOLDER
from tests.e2e.conversation.person import Person

pytestmark = pytest.mark.page

EXPECTED = Path(__file__).parents[1] / "transcript.txt"
UNSAID = {
    "none",
    "generic",
    "InlineTextBox",
    "RootWebArea",
    "ListMarker",
    "LineBreak",
    "LabelText",
    "LegendAriaRole",
    "Legend",
}
STATES = ("invalid", "pressed", "expanded", "disabled", "required")
PASSING = [
    (re.compile(r"\b\d\d:\d\d\b"), "HH:MM"),
    (re.compile(r"“[^“”]*, \d+ de \w+ de \d{4}, HH:MM”"), "“DATE, HH:MM”"),
    (re.compile(r"\bLW-\d+\b"), "LW-NUMBER"),
    (re.compile(r"\b\d+(,\d+)? (ms|s)\b"), "TIME"),
]
"""What differs from one run to the next: clock times, references and durations."""

DATE = "Quando o comprou?"
ANSWERS = (
    ("Sim, Bimby TM5 Vorwerk",),
    ("Excelente",),
    ("Sim, tudo funciona",),
    ("Em bom estado",),
    ("Sim",),
    (DATE, "03/2022"),
    ("O que falta ou foi trocado? Há mais alguma coisa a dizer?", "03/2022"),
    ("Sim",),
)
"""The names of the buttons that are pressed; of a field its name, and what is written into it."""


async def read(page: Page, within: str) -> list[str]:
    """Return what the tree says below the element of this selector: a line a node, indented by its depth."""
    session = await page.context.new_cdp_session(page)
    handle = await session.send("Runtime.evaluate", {"expression": f"document.querySelector({within!r})"})
    described = await session.send("DOM.describeNode", {"objectId": handle["result"]["objectId"]})
    root = described["node"]["backendNodeId"]
    nodes = (await session.send("Accessibility.getFullAXTree"))["nodes"]
    await session.detach()
    of = {node["nodeId"]: node for node in nodes}
    (top,) = [node for node in nodes if node.get("backendDOMNodeId") == root]
    lines: list[str] = []
    walk(of, top, 0, "", lines)
    return lines


def walk(of: dict[str, Any], node: dict[str, Any], depth: int, around: str, lines: list[str]) -> None:
    """Add the lines of a node and of what is in it; a text that its element is named by is not said twice."""
    role = "" if node["ignored"] else node["role"]["value"]
    name = "" if node["ignored"] else " ".join(node.get("name", {}).get("value", "").split())
    if role and role not in UNSAID and not (role == "StaticText" and (not name or name in around)):
        states = {each["name"]: each["value"].get("value") for each in node.get("properties", ())}
        told = [f"{key}={states[key]}" for key in STATES if states.get(key) not in (None, False, "false")]
        described = " ".join(node.get("description", {}).get("value", "").split())
        if described not in ("", name):
            told.append(f"described “{described}”")
        line = " ".join([{"StaticText": "text"}.get(role, role), *([f"“{name}”"] if name else []), *told])
        for pattern, word in PASSING:
            line = pattern.sub(word, line)
        lines.append("  " * depth + line)
        depth += 1
        around = f"{around} {name}"
    for each in node.get("childIds", ()):
        if each in of:
            walk(of, of[each], depth, around, lines)


def spoken(announced: list[str]) -> list[str]:
    """Return what the announcer said as lines of one sentence each, however its pieces came.

    A text that streams is announced by whole sentences; how many at once depends on the time of its pieces. What a long
    call does is announced after a second only.
    """
    words = json.loads((FOLDER / "pt.json").read_text())
    running = {words[key] for key in words if key.startswith("tool.") and key.endswith(".running")}
    said = [each.strip() for each in announced if each.strip() not in running]
    lines = [line for each in said for line in re.split(r"(?<=[.!?…])\s+", each)]
    for pattern, word in PASSING:
        lines = [pattern.sub(word, line) for line in lines]
    return lines


class Listener:
    """A person who finds the controls of the open question by role and name, and answers what is asked next."""

    def __init__(self, seller: Person) -> None:
        """The answers are those of one sale, in their order."""
        self._log = seller.page.get_by_role("log")
        self._answers = iter(ANSWERS)

    async def answer(self) -> None:
        """Press the next answer, or write it into the field that is named first."""
        named, *written = next(self._answers)
        if written:
            await self.write(named, *written)
        else:
            await self._log.get_by_role("button", name=named, exact=True).click()

    async def write(self, field: str, answer: str) -> None:
        """Answer in a field."""
        await self._log.get_by_role("textbox", name=field, exact=True).fill(answer)
        await self._log.get_by_role("button", name="Responder", exact=True).click()


@pytest.mark.conformance
async def test_a_sale_reads_as_written_down(quick, kept_person):
    seller: Person = await kept_person(quick)
    await seller.open()
    said = ["# Before the first message", *await read(seller.page, "#talk")]
    await seller.say("tenho uma Bimby TM5")
    await seller.settled()
    said += ["# An open question", *await read(seller.page, "#talk")]
    refused: list[str] = []
    listener = Listener(seller)

    async def look() -> None:
        field = seller.asked.locator("form input")
        if refused or not await field.count():
            return
        await listener.write(DATE, "não sei dizer isso assim")
        await expect(seller.asked.locator(".error")).to_be_visible()
        await seller.settled()
        refused.extend(await read(seller.page, "#log > .row-block.open form"))

    await seller.sell(listener.answer, each=look)
    said += ["# An answer that was refused", *refused]
    said += ["# The item", *await read(seller.page, "#log .card.item")]
    said += ["# What was announced", *spoken(await seller.seen("said"))]
    assert said == EXPECTED.read_text().splitlines()
