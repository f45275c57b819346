"""A streamed answer of /chat: comments while nothing comes, and nobody follows it for a reader who leaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request
from starlette.routing import Route

from server.api import sse_writer
from server.api.deep_chat import endpoint
from server.api.deep_chat.endpoint import ChatEndpoint
from server.api.deep_chat.nameless_chats import ChatTurn
from server.bus.hub.hub import Hub
from server.bus.log.entries import Position
from server.bus.log.view import LogView
from server.endpoints.answers.run_follower import RunFollower
from server.tasks import Tasks
from tests.parts.wait import until_async

PLACE = "https://shop.example"
SAID = json.dumps(
    {
        "messages": [{"role": "user", "text": "olá"}],
        "loopos_core_base_url": PLACE,
        "loopos_submission_base_url": PLACE,
    }
).encode()
SESSION: Any = SimpleNamespace(id="ses_1", language="pt")


class Channels:
    """The subscribed connection, which takes its time when the test says so."""

    def __init__(self) -> None:
        self.added = 0
        self.open = asyncio.Event()
        self.open.set()

    async def add(self, channels: Iterable[str]) -> bool:
        self.added += 1
        await asyncio.sleep(0)
        return await self.open.wait()

    async def remove(self, channels: Iterable[str]) -> None:
        """Do nothing."""


class EmptyLog:
    """A log without an entry."""

    async def read(self, session_id: str, after: int) -> LogView:
        return LogView("log", 0, 1, 0, 0, after, 1, [])

    async def positions(self, session_ids: list[str]) -> list[Position | None]:
        return [None for _ in session_ids]


class Turns:
    """The turns of a conversation whose run never ends."""

    def __init__(self) -> None:
        self.tasks, self.channels = Tasks(), Channels()
        log: Any = EmptyLog()
        channels: Any = self.channels
        self.hub = Hub(log, channels, self.tasks, check_s=3600)
        self.parts: Any = SimpleNamespace(
            bus=SimpleNamespace(hub=self.hub),
            store=SimpleNamespace(runs=self),
            language_of=lambda request: "pt",
            demo=False,
        )

    async def get(self, run_id: str) -> Any:
        """Return the run, which goes on."""
        return SimpleNamespace(id=run_id, status="running")

    async def spend(self, request: Request) -> None:
        """Count nothing."""

    def require_known(self, request: Request) -> None:
        """Know everybody."""

    def in_language(self, request: Request, given: Any) -> Any:
        return given

    async def read_pictures(self, request: Request, body: Any) -> list[Any]:
        return []

    async def find_turn(self, request: Request, given: Any, key: str | None, pictures: Any) -> ChatTurn:
        return ChatTurn(SESSION, "chat", "told")

    async def has_begun(self, turn: ChatTurn, run_id: str) -> bool:
        return False

    def follower(self, session: Any) -> RunFollower:
        return RunFollower(self.parts, session, 3600)

    async def submit(self, *_: Any) -> str:
        return "run_1"


class Reader:
    """The connection of one reader, who leaves when the test says so."""

    def __init__(self) -> None:
        self.leaves = asyncio.Event()
        self.sent: list[dict[str, Any]] = []
        self.scope = {
            "type": "http",
            "method": "POST",
            "path": "/chat",
            "query_string": b"",
            "headers": [(b"accept", b"text/event-stream"), (b"content-type", b"application/json")],
        }
        self._body = [SAID]

    async def receive(self) -> dict[str, Any]:
        if self._body:
            return {"type": "http.request", "body": self._body.pop(), "more_body": False}
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        self.sent.append(message)


@pytest.fixture
async def turns() -> AsyncIterator[Turns]:
    made = Turns()
    yield made
    await made.tasks.aclose()


def answering(turns: Turns, reader: Reader) -> asyncio.Task[None]:
    parts: Any = turns
    (route,) = ChatEndpoint(parts).routes()
    assert isinstance(route, Route)
    return asyncio.ensure_future(route.app(reader.scope, reader.receive, reader.send))


async def nobody_follows(turns: Turns) -> None:
    await until_async(lambda: not turns.hub.feeds and not len(turns.tasks), what="nobody to follow it")


async def test_a_reader_who_has_left_before_the_first_line_follows_nothing(turns: Turns) -> None:
    readers = [Reader() for _ in range(5)]
    for reader in readers:
        reader.leaves.set()
        await answering(turns, reader)
    assert turns.channels.added
    await nobody_follows(turns)


async def test_a_reader_who_leaves_while_the_answer_streams_follows_nothing(turns: Turns) -> None:
    reader = Reader()
    answer = answering(turns, reader)
    await until_async(lambda: bool(reader.sent), what="the head of the answer")
    assert turns.hub.feeds
    reader.leaves.set()
    await answer
    await nobody_follows(turns)


async def test_an_answer_in_which_nothing_comes_for_long_has_comments(
    turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert endpoint.KEEP_ALIVE_S == sse_writer.KEEP_ALIVE_S
    monkeypatch.setattr(endpoint, "KEEP_ALIVE_S", 0.01)
    reader = Reader()
    answer = answering(turns, reader)
    await until_async(lambda: len(reader.sent) > 3, what="three comments")
    assert [each["body"] for each in reader.sent[1:4]] == [b":\n"] * 3
    reader.leaves.set()
    await answer


async def test_a_request_that_ends_while_it_begins_to_follow_follows_nothing(turns: Turns) -> None:
    turns.channels.open.clear()
    answer = answering(turns, Reader())
    await until_async(lambda: turns.channels.added == 1, what="the subscription")
    answer.cancel()
    with suppress(asyncio.CancelledError):
        await answer
    turns.channels.open.set()
    await nobody_follows(turns)
