"""The command line inside of a test: what is drawn, the lines that are read, and a talk with a socket server."""

from __future__ import annotations

import asyncio
import io
import json
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from loopwire import Ask, Block, Handoff, Part, Reasoning, Retracted, Text, Tool
from loopwire.cli import Lines, Talk, Visitors
from loopwire.terminal import BOLD, DIM, Terminal, plain
from server.protocol import events as ev
from tests.parts.wait import until_async
from tests.unit.sdk.socket_server import SESSION, Caller, Json, Life, ack, answer, numbered, socket_server


class Screen(io.StringIO):
    """A terminal or a pipe: what was flushed is shown."""

    def __init__(self, *, styled: bool = False) -> None:
        super().__init__()
        self.shown = ""
        self._styled = styled

    def isatty(self) -> bool:
        return self._styled

    def flush(self) -> None:
        self.shown = self.getvalue()


def drawn(*parts: Part, styled: bool = False) -> str:
    """Return what is shown of these parts."""
    screen = Screen(styled=styled)
    terminal = Terminal(screen)
    for each in parts:
        terminal.draw(each)
    return screen.shown


def test_words_of_a_message_go_on_where_they_ended() -> None:
    assert drawn(Text("Hello ", "a"), Text("there.", "a"), Text("Ho", "b")) == "Hello there.\nHo"
    assert drawn(Text("Hello\n", "a"), Text("there", "a"), Handoff("x")) == "Hello\nthere\n→ x\n"
    assert drawn(Reasoning("Is it ", "a"), Reasoning("so?", "a"), Text("Yes.", "b")) == "Is it so?\nYes."
    assert drawn(Reasoning("So?", "a"), styled=True) == f"\x1b[{DIM}mSo?\x1b[0m"
    assert drawn(Text("Hello\n", "a"), Handoff("x"), Text("there", "a")) == "Hello\n→ x\nthere"


@pytest.mark.parametrize(
    ("part", "line"),
    [
        (Tool("c", "find", "running"), "⋅ find running"),
        (Tool("c", "find", "running", progress=0.5), "⋅ find 50% running"),
        (Tool("c", "find", "running", progress=0), "⋅ find 0% running"),
        (Tool("c", "find", "done", progress=0.5), "⋅ find done"),
        (Handoff("b", "a"), "→ b"),
        (Ask("i", "r", "approval", "Sell?", {}), "Sell?"),
        (Retracted("m"), "(taken back, begun anew)"),
        (Block("b", "operator", {"name": "Ana"}, "joined"), "Ana joined"),
        (Block("b", "operator", {"name": "Ana"}, "open"), "Ana open"),
        (Block("b", "card", {"legend": "One", "title": "Two"}), "One"),
        (Block("b", "card", {"title": "Two"}, "open"), "Two"),
        (Block("b", "card", {}), "card"),
        (Block("b", "card", {"pairs": [{"label": "Price", "value": 7}]}), "card\n  Price: 7"),
    ],
)
def test_a_part_is_a_line_of_its_own(part: Part, line: str) -> None:
    assert drawn(part) == f"{line}\n"


def test_choices_have_numbers_and_a_block_that_is_over_is_not_drawn() -> None:
    choices = [{"value": 1, "label": "Red"}, {"value": 2, "label": "Blue", "note": "new"}]
    assert (
        drawn(Block("b", "choices", {"choices": choices}, "open")) == "choices\n  1. Red\n  2. Blue (new)\n"
    )
    assert drawn(Block("b", "choices", {"choices": choices}, "answered")) == ""


def test_a_terminal_shows_notes_dim_and_titles_bold_and_a_pipe_does_not() -> None:
    assert drawn(Handoff("b"), styled=True) == "\x1b[2m→ b\x1b[0m\n"
    assert drawn(Block("b", "card", {}), styled=True) == "\x1b[1mcard\x1b[0m\n"
    assert drawn(Ask("i", "r", "approval", "Sell?", {}), Text("x", "m"), styled=True) == "Sell?\nx"
    for styled, line in ((True, "a\n\x1b[1m>\x1b[0m "), (False, "a\n> ")):
        screen = Screen(styled=styled)
        terminal = Terminal(screen)
        terminal.draw(Text("a", "m"))
        terminal.prompt(">")
        assert screen.shown == line
        terminal.draw(Text("b", "m"))
        assert screen.shown == f"{line}b"
    assert (DIM, BOLD) == ("2", "1")


def test_control_characters_of_a_model_are_removed_before_drawing() -> None:
    assert plain("a\x1b[2Jb\tc\nd\x00\x07\x7f\x9b") == "a[2Jb\tc\nd"
    assert drawn(Text("a\x1b[2J", "m"), Handoff("b\x1b]0;x\x07")) == "a[2J\n→ b]0;x\n"


async def lines_of(data: bytes) -> list[str | None]:
    """Return the lines of a pipe with these bytes, and what comes behind its end."""
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    try:
        lines = Lines(reading)
        found: list[str | None] = []
        while (line := await lines.next()) is not None:
            found.append(line)
        return [*found, await lines.next()]
    finally:
        os.close(reading)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"a\nb\n", ["a", "b"]),
        (b" a \r\n\nb", ["a", "", "b"]),
        (b"\n", [""]),
        (b"a\xff\n", ["a�"]),
        ("é".encode() * 3000 + b"\nb", ["é" * 3000, "b"]),
    ],
)
async def test_a_pipe_is_read_line_by_line(data: bytes, lines: list[str]) -> None:
    assert await lines_of(data) == [*lines, None]


async def test_a_file_is_read_line_by_line_too(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_text("a\nb")
    with file.open("rb") as opened:
        lines = Lines(opened.fileno())
        assert [await lines.next() for _ in range(3)] == ["a", "b", None]


async def test_a_line_is_waited_for_and_the_wait_may_be_left() -> None:
    reading, writing = os.pipe()
    lines = Lines(reading)
    waiting = asyncio.ensure_future(lines.next())
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert not asyncio.get_running_loop().remove_reader(reading)
    waiting = asyncio.ensure_future(lines.next())
    os.write(writing, b"a")
    await asyncio.sleep(0)
    os.write(writing, b"b\n")
    assert await waiting == "ab"
    os.close(reading)
    os.close(writing)


def test_the_visitors_of_a_person_are_kept_by_server(tmp_path: Path) -> None:
    file = tmp_path / "deep/er/visitors.json"
    visitors = Visitors(file)
    assert visitors.get("http://a") is None
    visitors.keep("http://a", None)
    assert not file.exists()
    visitors.keep("http://a", "v=1")
    visitors.keep("http://b", "v=2")
    visitors.keep("http://a", None)
    assert [Visitors(file).get(f"http://{each}") for each in "abc"] == ["v=1", "v=2", None]
    assert oct(file.stat().st_mode)[-3:] == "600"
    before = file.stat().st_mtime_ns
    os.utime(file, ns=(0, 0))
    visitors.keep("http://a", "v=1")
    assert file.stat().st_mtime_ns == 0 != before
    visitors.keep("http://a", "v")
    assert json.loads(file.read_text()) == {"http://a": "v", "http://b": "v=2"}
    visitors.keep("http://c", "v=3")


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"http://a": 7}'])
def test_a_file_of_visitors_that_is_none_has_none(text: str, tmp_path: Path) -> None:
    file = tmp_path / "visitors.json"
    file.write_text(text)
    assert Visitors(file).get("http://a") is None
    Visitors(file).keep("http://b", "v")
    assert Visitors(file).get("http://b") == "v"


class Person:
    """A person at a terminal."""

    def __init__(self, screen: Screen, writing: int, interrupted: asyncio.Event) -> None:
        self.screen = screen
        self.interrupted = interrupted
        self._writing = writing

    def type(self, *lines: str) -> None:
        """Write lines."""
        os.write(self._writing, "".join(f"{each}\n" for each in lines).encode())

    async def sees(self, words: str, count: int = 1) -> None:
        """Wait until something is shown so often."""
        await until_async(
            lambda: self.screen.shown.count(words) >= count, what=f"{words} in {self.screen.shown}"
        )


@asynccontextmanager
async def talking(*lives: Life) -> AsyncIterator[tuple[Person, asyncio.Future[None]]]:
    """Talk in a terminal with a socket server."""
    reading, writing = os.pipe()
    try:
        async with socket_server(*lives) as server, server.chat() as chat:
            screen, interrupted = Screen(), asyncio.Event()
            talk = Talk(chat, Lines(reading), Terminal(screen), interrupted)
            going = asyncio.ensure_future(talk.go())
            yield Person(screen, writing, interrupted), going
            async with asyncio.timeout(30):
                await going
    finally:
        os.close(reading)
        os.close(writing)


def saying(heard: list[Any], *answers: Sequence[Json]) -> Life:
    """Return a life that answers each command with the next events; what was heard is noted without its id."""

    async def life(caller: Caller) -> None:
        await caller.greet()
        seq = 1
        for number, events in enumerate(answers, 1):
            frame = await caller.hear()
            heard.append({name: value for name, value in frame.items() if name not in ("id", "type")})
            await caller.say(ack(frame, f"run_{number}"), *numbered(list(events), seq))
            seq += len(events)
        await caller.stay()

    return life


def with_block(run_id: str, **content: Any) -> list[Json]:
    """Return an answer that ends with choices."""
    events = answer(run_id, "Which?")
    choices = [{"value": "r", "label": "Red"}, {"value": "b", "label": "Blue"}]
    block = ev.activity(
        f"blk_{run_id}",
        "block",
        {"kind": "choices", "name": "colour", "choices": choices, "status": "open", **content},
    )
    return [*events[:-1], block, events[-1]]


def words(text: str) -> Json:
    return {"content": [{"type": "text", "text": text}]}


def asking(run_id: str, kind: str, **content: Any) -> list[Json]:
    """Return an answer that asks something."""
    asked = ev.interrupt(
        f"int_{run_id}", "cal_1", "Sell?", {}, expires_at=0, kind=kind, block_id=f"ask_{run_id}"
    )
    block = ev.activity(f"ask_{run_id}", "block", {"kind": kind, "interrupt_id": f"int_{run_id}", **content})
    ends = ev.run_finished(SESSION, run_id, {"type": "interrupt", "interrupts": [asked]})
    return [*answer(run_id)[:-1], block, ends]


async def test_a_number_picks_a_choice_and_everything_else_is_said() -> None:
    heard: list[Any] = []
    answers = [
        with_block("run_1"),
        with_block("run_2"),
        answer("run_3"),
        answer("run_4"),
        with_block("run_5", status="answered"),
        answer("run_6"),
    ]
    async with talking(saying(heard, *answers)) as (person, _):
        for number, line in enumerate(("", "Hi", "2", "0", "1", "3", "1"), 0):
            await person.sees("> ", number + 1)
            person.type(line)
            if line:
                await until_async(lambda count=number: len(heard) >= count)
        await person.sees("> ", 8)
        person.interrupted.set()
    pick = {"type": "answer", "block_id": "blk_run_1", "name": "colour", "value": "b", "label": "Blue"}
    assert heard == [words("Hi"), {"content": [pick]}, words("0"), words("1"), words("3"), words("1")]


async def test_a_yes_and_a_no_answer_an_approval_and_nothing_else_does() -> None:
    heard: list[Any] = []
    pairs = [{"label": "Price", "value": "7"}]
    answers = [
        asking("run_1", "approval", pairs=pairs),
        answer("run_2", "Sold."),
        asking("run_3", "approval"),
        answer("run_4"),
    ]
    async with talking(saying(heard, *answers)) as (person, _):
        person.type("Hi", "perhaps", "Yes", "Ho", "N")
        await until_async(lambda: len(heard) == 4)
        await person.sees("> ", 3)
        person.interrupted.set()
    given = [each["entries"][0]["payload"] for each in heard if "entries" in each]
    assert given == [{"approved": True}, {"approved": False}]
    assert "Hello there.\nSell?\n  Price: 7\ny/n y/n Sold.\n> " in person.screen.shown


async def test_a_form_is_filled_in_field_by_field_and_again_where_it_does_not_fit() -> None:
    fields = [
        {"name": "count", "label": "How many", "input": "integer"},
        {"name": "size", "input": "number"},
        {"name": "new", "input": "yesno"},
        {"name": "colour", "choices": [{"label": "Red", "value": "r"}, {"label": "Blue", "value": "b"}]},
        {"name": "note"},
    ]
    heard: list[Any] = []

    async def life(caller: Caller) -> None:
        await caller.greet()
        first = asking("run_1", "form", fields=fields)
        await caller.say(ack(await caller.hear()), *numbered(first))
        refused = await caller.hear()
        heard.append(refused["entries"][0]["payload"])
        error = {"code": "bad_answer", "message": "Too many.", "retry": False}
        await caller.say({"type": "error", "id": refused["id"], **error})
        taken = await caller.hear()
        heard.append(taken["entries"][0]["payload"])
        await caller.say(ack(taken, "run_2"), *numbered(answer("run_2", "Fine."), len(first) + 1))
        await caller.stay()

    async with talking(life) as (person, _):
        person.type("Hi", "99", "1.5", "y", "2", "", "many", "big", "n", "3", "a note")
        await person.sees("Fine.\n> ")
        person.interrupted.set()
    assert heard == [
        {"count": 99, "size": 1.5, "new": True, "colour": "b"},
        {"count": "many", "size": "big", "new": False, "colour": "3", "note": "a note"},
    ]
    assert "Sell?\nHow many size new   1. Red\n" in person.screen.shown
    assert person.screen.shown.count("  1. Red\n  2. Blue\ncolour note ") == 2
    assert "Too many.\n" in person.screen.shown


async def test_a_line_with_a_slash_names_a_message_from_the_newest_one_or_is_a_message() -> None:
    heard: list[Any] = []
    answers = [answer(f"run_{each}") for each in range(1, 5)]
    async with talking(saying(heard, *answers)) as (person, _):
        person.type("/again", "/version 1", "Hi", "/edit 2 Ho", "/edit 0 Ho", "/edit 1 Ho", "/again", "/edit")
        await until_async(lambda: len(heard) == 4)
        await person.sees("Hello there.\n> ", 4)
        person.interrupted.set()
    assert person.screen.shown.count("There is no such message.\n") == 4
    assert heard == [
        {"content": [{"type": "text", "text": "Hi"}]},
        {"message_id": "usr_run_1", "content": [{"type": "text", "text": "Ho"}]},
        {"message_id": "usr_run_2"},
        {"content": [{"type": "text", "text": "/edit"}]},
    ]


async def test_calls_of_other_programs_and_late_answers_are_announced() -> None:
    async def life(caller: Caller) -> None:
        await caller.greet()
        first, second = asking("run_1", "tool"), asking("run_2", "approval")
        await caller.say(ack(await caller.hear()), *numbered(first))
        await caller.say(ack(await caller.hear(), "run_2"), *numbered(second, len(first) + 1))
        late = await caller.hear()
        await caller.say({"type": "error", "id": late["id"], "code": "answered", "retry": False})
        await caller.stay()

    async with talking(life) as (person, _):
        person.type("Hi")
        await person.sees("This waits for another program.\n> ")
        person.type("Ho", "y")
        await person.sees("Somebody was faster.\n> ")
        person.interrupted.set()


async def test_a_cancelled_or_failed_answer_is_announced() -> None:
    cancelled = [*answer("run_1")[:-1], ev.run_finished(SESSION, "run_1", {"type": "cancelled"})]
    failed = [*answer("run_2")[:-1], ev.run_error("Too long.", "timeout")]
    silent = [*answer("run_3")[:-1], ev.run_error("", "timeout")]
    async with talking(saying([], cancelled, failed, silent, answer("run_4"))) as (person, _):
        for number, end in enumerate(("stopped", "Too long.", "timeout", "Hello there."), 1):
            person.type("Hi")
            await person.sees(f"{end}\n> ")
            assert person.screen.shown.count("Hello there.") == number
        person.interrupted.set()


async def test_a_refusal_is_told_and_the_talk_goes_on() -> None:
    async def life(caller: Caller) -> None:
        await caller.greet()
        frame = await caller.hear()
        await caller.say(
            {"type": "error", "id": frame["id"], "code": "empty", "message": "Empty.", "retry": False}
        )
        await caller.say(ack(await caller.hear()), *numbered(answer()))
        await caller.stay()

    async with talking(life) as (person, _):
        person.type("7", "Ho")
        await person.sees("Empty.\n> Hello there.\n> ")
        person.interrupted.set()


async def test_ctrl_c_stops_an_answer_once_and_leaves_the_second_time() -> None:
    heard: list[str] = []

    async def life(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered(answer()[:6]))
        while True:
            frame = await caller.hear()
            heard.append(frame["type"])
            await caller.say({"type": "ack", "id": frame["id"]})

    async with talking(life) as (person, going):
        person.type("Hi")
        await person.sees("Hello ")
        person.interrupted.set()
        await until_async(lambda: heard == ["cancel"])
        await until_async(lambda: not person.interrupted.is_set())
        assert not going.done()
        person.interrupted.set()
        await going
    assert heard == ["cancel"]


async def test_ctrl_c_while_a_stop_or_a_message_waits_for_the_server_leaves() -> None:
    async def deaf(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered(answer()[:6]))
        await caller.stay()

    async with talking(deaf) as (person, going):
        person.type("Hi")
        await person.sees("Hello ")
        person.interrupted.set()
        await until_async(lambda: not person.interrupted.is_set())
        person.interrupted.set()
        await going

    heard = asyncio.Event()

    async def silent(caller: Caller) -> None:
        await caller.greet()
        await caller.hear()
        heard.set()
        await caller.stay()

    async with talking(silent) as (person, going):
        person.type("Hi")
        await heard.wait()
        person.interrupted.set()
        await going
