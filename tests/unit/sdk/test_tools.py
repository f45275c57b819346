"""Functions as tools: their schemas, the execution of a call, and the result of an exception."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Literal

import pytest

from loopwire.tasks import Tasks
from loopwire.tools import ClientTools, schema_of
from loopwire.transcript import Transcript
from server.protocol import events as ev
from tests.parts.clock import run_at_once

CALL = [
    ev.run_started("ses_1", "run_1"),
    ev.tool_start("cal_1", "add"),
    ev.tool_args("cal_1", '{"a": 1, "b": 2}'),
    ev.tool_end("cal_1"),
]
WAITS = {"id": "int_1", "toolCallId": "cal_1", "metadata": {"loopwire": {"kind": "tool"}}}


def everything(
    a: str,
    b: int,
    c: float,
    d: bool,
    e: list[int],
    f: dict[str, int],
    g: Literal["x", "y"],
    h: int | None = None,
) -> None:
    """Do it."""


def odd(a: bytes) -> None:
    """Take a value that is no JSON."""


def test_annotations_become_a_schema() -> None:
    assert schema_of(everything) == {
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "b": {"type": "integer"},
            "c": {"type": "number"},
            "d": {"type": "boolean"},
            "e": {"type": "array", "items": {"type": "integer"}},
            "f": {"type": "object"},
            "g": {"enum": ["x", "y"]},
            "h": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        },
        "required": ["a", "b", "c", "d", "e", "f", "g"],
    }


def test_an_annotation_without_a_schema_is_told() -> None:
    with pytest.raises(TypeError, match="parameters"):
        schema_of(odd)


class Page:
    """A client with tools, and what it answers."""

    def __init__(self) -> None:
        self.answers: list[tuple[str, Any]] = []
        self.settled = asyncio.Event()
        self.tasks = Tasks()
        self.tools = ClientTools(self._answer, self.tasks, self.settled.set)
        self.transcript = Transcript()
        for event in CALL:
            self.transcript.apply(event)

    async def _answer(self, call_id: str, content: str) -> None:
        self.answers.append((call_id, json.loads(content)))

    def end(self, *, first: bool = False) -> None:
        self.tools.take_end("run_1", [WAITS], self.transcript, first=first)


@pytest.fixture
async def page() -> Page:
    return Page()


async def test_a_call_of_an_own_run_is_run_once(page: Page) -> None:
    page.tools.add(lambda a, b: a + b, "add", "", {"type": "object"})
    page.tools.own("run_1")
    page.end()
    page.end()
    assert page.tools.held == {"int_1"}
    await page.settled.wait()
    assert page.answers == [("cal_1", 3)]
    assert page.tools.held == set()


async def test_a_tool_that_the_service_has_already_is_offered_no_more_and_logged_once(
    page: Page, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("add", "look"):
        page.tools.add(lambda: None, name, "", {"type": "object"})
    for ignored in (["look", 7, "none"], ["look", []], None, "add"):
        page.tools.ignore(ignored)
    assert [each["name"] for each in page.tools.declarations()] == ["add"]
    assert [each.args for each in caplog.records] == [("look",)]


async def test_a_tool_that_is_not_offered_here_is_left_to_others(page: Page) -> None:
    page.tools.add(lambda a, b: a + b, "other")
    page.tools.own("run_1")
    page.end()
    assert page.tools.held == set()


async def test_a_call_is_held_no_more_when_its_answer_is_told() -> None:
    held: list[set[str]] = []
    told = asyncio.Event()

    async def answer(call_id: str, content: str) -> None:
        held.append(set(tools.held))

    def settle() -> None:
        held.append(set(tools.held))
        told.set()

    tools = ClientTools(answer, Tasks(), settle)
    tools.add(lambda a, b: a + b, "add")
    tools.own("run_1")
    tools.take_end("run_1", [WAITS], Page().transcript, first=False)
    await told.wait()
    assert held == [{"int_1"}, set()]


async def test_an_approval_does_not_hide_the_call_behind_it(page: Page) -> None:
    page.tools.add(lambda a, b: a + b, "add")
    page.tools.own("run_1")
    approval = {"id": "int_0", "metadata": {"loopwire": {"kind": "approval"}}}
    page.tools.take_end("run_1", [approval, WAITS], page.transcript, first=False)
    assert page.tools.held == {"int_1"}


async def test_calls_after_an_inherited_run_belong_to_this_client(page: Page) -> None:
    page.tools.add(lambda a, b: a + b, "add")
    page.end(first=True)
    page.tools.inherit("run_2", "run_1")
    page.tools.take_end("run_2", [{**WAITS, "id": "int_2"}], page.transcript, first=False)
    assert page.tools.held == {"int_1", "int_2"}


def test_a_tool_is_waited_for_a_minute() -> None:
    async def wait() -> float:
        page = Page()

        @page.tools.add
        async def add(a: int, b: int) -> None:
            await asyncio.Event().wait()

        page.tools.own("run_1")
        page.end()
        await page.settled.wait()
        assert page.answers == [("cal_1", {"error": "TimeoutError"})]
        return asyncio.get_running_loop().time()

    assert run_at_once(wait()) == pytest.approx(60.0)


async def test_a_call_of_another_clients_run_is_not_executed(page: Page) -> None:
    page.tools.add(lambda a, b: a + b, "add")
    page.end()
    assert page.tools.held == set()


async def test_a_call_left_open_by_an_earlier_process_is_run(page: Page) -> None:
    page.tools.add(lambda a, b: a + b, "add")
    page.end(first=True)
    await page.settled.wait()
    assert page.answers == [("cal_1", 3)]


async def test_the_words_of_an_exception_are_the_result(page: Page) -> None:
    @page.tools.add
    def add(a: int, b: int) -> int:
        raise ValueError("no such number")

    page.tools.own("run_1")
    page.end()
    await page.settled.wait()
    assert page.answers == [("cal_1", {"error": "no such number"})]


async def test_a_tool_result_that_is_no_json_is_an_error(page: Page) -> None:
    page.tools.add(lambda a, b: object(), "add")
    page.tools.own("run_1")
    page.end()
    await page.settled.wait()
    ((_, told),) = page.answers
    assert "serializable" in told["error"]


def plain(value: Any, many: list, several: dict = {}, other=None) -> None:  # type: ignore[type-arg,no-untyped-def]  # noqa: B006
    """Take values of no particular type."""


def test_an_open_annotation_is_open_in_the_schema() -> None:
    assert schema_of(plain) == {
        "type": "object",
        "properties": {
            "value": {},
            "many": {"type": "array"},
            "several": {"type": "object"},
            "other": {},
        },
        "required": ["value", "many"],
    }
    assert schema_of(lambda: None) == {"type": "object", "properties": {}}


async def test_a_tool_is_offered_with_what_is_read_of_it_or_said(page: Page) -> None:
    page.tools.add(odd, "named", None, {"type": "object"}, effect=True)
    page.tools.add(plain, description="")
    page.tools.add(lambda: None, "bare")
    assert page.tools.declarations() == [
        {
            "name": "named",
            "description": "Take a value that is no JSON.",
            "parameters": {"type": "object"},
            "effect": True,
        },
        {"name": "plain", "description": "", "parameters": schema_of(plain)},
        {"name": "bare", "description": "", "parameters": {"type": "object", "properties": {}}},
    ]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("x" * 32_768, "x" * 32_768),
        ("x" * 32_769, '{"error": "The result is too long."}'),
        ("é" * 29_999, "é" * 29_999),
        ("é" * 30_000, '{"error": "The result is too long."}'),
        (None, "null"),
    ],
    ids=["32768 characters", "more characters", "60000 bytes", "more bytes", "nothing"],
)
async def test_a_result_has_a_size(value: Any, told: str) -> None:
    content: list[str] = []
    answered = asyncio.Event()

    async def answer(call_id: str, text: str) -> None:
        content.append(text)

    async def add(a: int, b: int) -> Any:
        return value

    tools = ClientTools(answer, Tasks(), answered.set)
    tools.add(add)
    page = Page()
    tools.own("run_1")
    tools.take_end("run_1", [WAITS], page.transcript, first=False)
    await answered.wait()
    assert content == [told]


@pytest.mark.parametrize(
    ("error", "told"), [(ValueError("x" * 501), "x" * 500), (ValueError(), "ValueError")]
)
async def test_of_an_exception_five_hundred_characters_are_told_or_its_name(
    page: Page, error: Exception, told: str
) -> None:
    @page.tools.add
    def add(a: int, b: int) -> int:
        raise error

    page.tools.own("run_1")
    page.end()
    await page.settled.wait()
    assert page.answers == [("cal_1", {"error": told})]


async def test_a_run_that_goes_on_is_of_the_client_whose_parent_it_has(page: Page) -> None:
    page.tools.add(lambda a, b: a + b, "add", "", {"type": "object"})
    page.tools.own("run_0")
    page.tools.inherit("run_2", "run_9")
    page.tools.inherit("run_1", "run_0")
    page.tools.take_end("run_2", [WAITS], page.transcript, first=False)
    assert page.tools.held == set()
    page.end()
    await page.settled.wait()
    assert page.answers == [("cal_1", 3)]


@pytest.mark.parametrize(
    "waits",
    [
        {**WAITS, "metadata": {"loopwire": {"kind": "approval"}}},
        {**WAITS, "toolCallId": "cal_9"},
    ],
    ids=["an approval", "an unknown call"],
)
async def test_an_interrupt_that_is_no_call_of_a_page_is_ignored(page: Page, waits: dict[str, Any]) -> None:
    page.tools.add(lambda a, b: a + b, "add")
    page.tools.own("run_1")
    page.tools.take_end("run_1", [waits], page.transcript, first=False)
    assert page.tools.held == set()
    page.end()
    await page.settled.wait()
    assert page.answers == [("cal_1", 3)]
