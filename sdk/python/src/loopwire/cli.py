"""The command line: `loopwire chat URL` talks, `loopwire tail SESSION` shows the log of a session."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from loopwire.chat import Chat, connect
from loopwire.errors import LoopwireError, Refused
from loopwire.messages import ours
from loopwire.part_reader import PartReader
from loopwire.parts import Ask, Block, Content, Part
from loopwire.run import Parts, Run
from loopwire.tasks import Tasks
from loopwire.terminal import Terminal
from loopwire.transcript import Transcript

URL = "http://127.0.0.1:8000"
YES, NO = {"y", "yes"}, {"n", "no"}
VERSIONS = re.compile(r"/edit (?P<edit>\d+) (?P<words>.+)|/(?P<again>again)|/version (?P<version>\d+)")
"""The lines that begin another version of a message, or show one; every other line is a message."""

T = TypeVar("T")


class Lines:
    """The lines of a terminal or of a pipe, read without a thread, which could not be ended."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._rest = b""
        self._ended = False

    async def next(self) -> str | None:
        """Return the next line; None at the end."""
        while b"\n" not in self._rest and not self._ended:
            self._take(await self._readable())
        line, _, self._rest = self._rest.partition(b"\n")
        return None if self._ended and not line and not self._rest else line.decode(errors="replace").strip()

    def _take(self, data: bytes) -> None:
        self._rest += data
        self._ended = not data

    async def _readable(self) -> bytes:
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        try:
            loop.add_reader(self._descriptor, _settle, ready)
        except PermissionError:  # A regular file is always ready.
            return os.read(self._descriptor, 4096)
        try:
            await ready
        finally:
            loop.remove_reader(self._descriptor)
        return os.read(self._descriptor, 4096)


def _settle(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


class Talk:
    """A conversation in a terminal."""

    def __init__(self, chat: Chat, lines: Lines, terminal: Terminal, interrupted: asyncio.Event) -> None:
        """`interrupted` is set by Ctrl-C."""
        self._chat = chat
        self._lines = lines
        self._terminal = terminal
        self._interrupted = interrupted
        self._tasks = Tasks()
        self._block: Block | None = None
        self._switched: str | None = None
        """The version that the last line asked for."""

    async def go(self) -> None:
        """Talk until the input ends, or Ctrl-C comes while nothing runs or a second time."""
        while (line := await self._line(">")) is not None:
            if line:
                try:
                    self._switched = None
                    run = await self._unless_interrupted(self._begin(line))
                    if run is None or not await self._answer(run):
                        return
                    if self._switched is not None:
                        self._show(self._switched)
                except LoopwireError as error:
                    self._terminal.note(error.message)

    async def _begin(self, line: str) -> Run:
        """Do what a line says. Raises Refused as the server does, and where there is no such message."""
        asked = VERSIONS.fullmatch(line)
        if asked is None:
            return await self._chat.send(self._content_of(line))
        own = [each for each in reversed(self._chat.messages) if each["role"] == "user"]
        if asked["version"]:
            versions: list[str] = next(filter(None, (ours(each).get("versions") for each in own)), [])
            self._switched = _numbered(versions, asked["version"])
            return await self._chat.switch(self._switched)
        message = _numbered(own, asked["edit"] or "1")["id"]
        if asked["again"]:
            return await self._chat.regenerate(message)
        return await self._chat.edit(message, asked["words"])

    def _show(self, message_id: str) -> None:
        """Draw a message and what followed it, by the same parts as an answer."""
        transcript, part_reader = Transcript(), PartReader()
        transcript.messages = self._chat.messages
        ids = [each["id"] for each in transcript.messages]
        for each in transcript.messages[ids.index(message_id) if message_id in ids else len(ids) :]:
            if each["role"] == "user":
                self._terminal.line(f"> {each.get('content')}")
            for part in part_reader.read([each["id"]], transcript, None):
                self._draw(part)

    def _draw(self, part: Part) -> None:
        self._terminal.draw(part)
        if isinstance(part, Block) and part.status == "open" and part.choices:
            self._block = part

    def _content_of(self, line: str) -> Content:
        """Return a number as the choice that it picks, and everything else as words."""
        block = self._block
        if block is not None and line.isdigit() and 0 < int(line) <= len(block.choices):
            return [block.answer(block.choices[int(line) - 1])]
        return line

    async def _answer(self, run: Run) -> bool:
        """Show an answer; False when the person wants to leave."""
        self._block = None
        parts = aiter(run)
        stopping = False
        while True:
            part = await self._unless_interrupted(_next_of(parts))
            if part is None and self._interrupted.is_set():
                self._interrupted.clear()
                stopping, leaves = True, stopping
                if not leaves:
                    await self._unless_interrupted(run.stop())
                if leaves or self._interrupted.is_set():
                    return False
                continue
            if part is None:
                break
            self._draw(part)
            if isinstance(part, Ask) and not await self._decide(part):
                return True
        result = await run
        if result.status == "error":
            self._terminal.note(result.message or result.code or "error")
        elif result.outcome == "cancelled":
            self._terminal.note("stopped")
        return True

    async def _decide(self, ask: Ask) -> bool:
        """Have a person decide; False when something else is wanted first."""
        for name, value in _pairs(ask):
            self._terminal.line(f"  {name}: {value}")
        if ask.kind == "approval":
            while (line := await self._line("y/n")) is not None:
                if line.lower() in YES | NO:
                    return await self._give(ask, {"approved": line.lower() in YES})
            return False
        if ask.kind != "form":
            self._terminal.note("This waits for another program.")
            return False
        return await self._fill_in(ask)

    async def _fill_in(self, ask: Ask) -> bool:
        """Have a form filled in, again while it does not fit."""
        while True:
            payload: dict[str, Any] = {}
            for each in ask.content.get("fields") or ():
                line = await self._field_line(each)
                if line is None:
                    return False
                if line:
                    payload[each["name"]] = _value_of(each, line)
            try:
                return await self._give(ask, payload)
            except Refused as refused:
                if refused.code != "bad_answer":
                    raise
                self._terminal.note(refused.message)

    async def _field_line(self, field: dict[str, Any]) -> str | None:
        choices = field.get("choices") or ()
        for number, choice in enumerate(choices, 1):
            self._terminal.line(f"  {number}. {choice['label']}")
        line = await self._line(str(field.get("label") or field["name"]))
        if line is not None and line.isdigit() and 0 < int(line) <= len(choices):
            return str(choices[int(line) - 1]["value"])
        return line

    async def _give(self, ask: Ask, payload: Any) -> bool:
        answered = await self._chat.answer(ask, payload)
        if answered.lost:
            self._terminal.note("Somebody was faster.")
        return True

    async def _line(self, mark: str) -> str | None:
        """Ask for a line; None at the end of the input, and for Ctrl-C."""
        self._terminal.prompt(mark)
        line = await self._unless_interrupted(self._lines.next())
        if line is None:
            self._terminal.line("")
        return line

    async def _unless_interrupted(self, wanted: Coroutine[Any, Any, T]) -> T | None:
        """Return what is waited for; None when Ctrl-C comes first. What was waited for is left."""
        one = self._tasks.spawn(wanted)
        other = self._tasks.spawn(self._interrupted.wait())
        try:
            await asyncio.wait({one, other}, return_when=asyncio.FIRST_COMPLETED)
            return one.result() if one.done() else None
        finally:
            for each in (one, other):
                each.cancel()
            await asyncio.gather(one, other, return_exceptions=True)


def _numbered(those: Sequence[T], number: str) -> T:
    if not 0 < int(number) <= len(those):
        raise Refused("not_found", "There is no such message.")
    return those[int(number) - 1]


async def _next_of(parts: Parts) -> Part | None:
    return await anext(parts, None)


def _pairs(ask: Ask) -> list[tuple[str, str]]:
    return [(str(each.get("label")), str(each.get("value"))) for each in ask.content.get("pairs") or ()]


def _value_of(field: dict[str, Any], line: str) -> Any:
    """Return what was written in the type that a field wants; the server judges it."""
    kind = field.get("input")
    if kind == "yesno":
        return line.lower() in YES
    try:
        return int(line) if kind == "integer" else float(line) if kind == "number" else line
    except ValueError:
        return line


class Visitors:
    """The visitors of this person, by server, in a file that only its owner can read."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def get(self, url: str) -> str | None:
        """Return the cookie for a server."""
        found = self._all().get(url)
        return found if isinstance(found, str) else None

    def keep(self, url: str, cookie: str | None) -> None:
        """Remember the cookie for a server."""
        known = self._all()
        if cookie is None or known.get(url) == cookie:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(self._file, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as out:
            json.dump({**known, url: cookie}, out)

    def _all(self) -> dict[str, Any]:
        try:
            known = json.loads(self._file.read_text())
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}


@asynccontextmanager
async def _open_chat(arguments: argparse.Namespace, **options: Any) -> AsyncIterator[Chat]:
    """Open a conversation as this person, or as a user of an app whose key stands in LOOPWIRE_KEY."""
    key, visitors = os.environ.get("LOOPWIRE_KEY"), Visitors(arguments.visitors)
    who = {"key": key, "user": arguments.user} if key else {"visitor": visitors.get(arguments.url)}
    async with connect(arguments.url, session=arguments.session, **who, **options) as chat:
        if not key:
            visitors.keep(arguments.url, chat.visitor)
        yield chat


async def _chat(arguments: argparse.Namespace) -> None:
    interrupted = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, interrupted.set)
    terminal = Terminal(sys.stdout)
    async with _open_chat(arguments, service=arguments.service, language=arguments.language) as chat:
        terminal.note(f"{chat.session} at {arguments.url}; Ctrl-C stops the answer, then leaves")
        await Talk(chat, Lines(sys.stdin.fileno()), terminal, interrupted).go()
    terminal.note(f"Go on with: loopwire chat {arguments.url} --session {chat.session}")


async def _tail(arguments: argparse.Namespace) -> None:
    async with _open_chat(arguments) as chat, chat.events() as events:
        async for each in events:
            epoch, seq = each.position
            told = getattr(each, "data", None) or {
                "type": "SNAPSHOT",
                "events": len(getattr(each, "events", ())),
            }
            print(f"{epoch}-{seq} {json.dumps(told, ensure_ascii=True)}", flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    parser = argparse.ArgumentParser("loopwire", description="Talk with the agents of a Loopwire.")
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--user", help="the user whom the key in LOOPWIRE_KEY speaks for")
    home = Path.home() / ".config/loopwire/visitors.json"
    own.add_argument("--visitors", type=Path, default=home, help="the file of this person's cookies")
    commands = parser.add_subparsers(required=True)
    chat = commands.add_parser("chat", parents=[own], help="talk")
    chat.add_argument("url", nargs="?", default=URL)
    chat.add_argument("--service", help="what the conversation is for")
    chat.add_argument("--session", help="an earlier conversation")
    chat.add_argument("--language", help="pt, en, es, fr or de")
    chat.set_defaults(run=_chat)
    tail = commands.add_parser("tail", parents=[own], help="show the numbered log of a session")
    tail.add_argument("session")
    tail.add_argument("--url", default=URL)
    tail.set_defaults(run=_tail)
    arguments = parser.parse_args(argv)
    try:
        asyncio.run(arguments.run(arguments))
    except LoopwireError as error:
        print(f"loopwire: {error}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, BrokenPipeError):
        return 130
    return 0
