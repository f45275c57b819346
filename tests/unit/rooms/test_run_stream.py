"""A run as the body of a response: what comes is sent, and the body ends by its run or by the first error."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from server.bus import Entry
from server.errors import Internal, LoopwireError, NotFound, Unauthorized, Unavailable
from server.identity import identities_of
from server.rooms import run_stream
from server.rooms.admission import HEARTBEAT_MS
from server.rooms.pending_entries import MOST_PENDING
from server.rooms.run_stream import KEEP_ALIVE_S, RunStream

END = b"end"


class Dialect(RunStream):
    """Sends the JSON of entries, a word for each look at the state, and the code of an error as its last line."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, object]] = []
        self.over = False
        self.opening = b"open"
        self.fails: LoopwireError | None = None

        async def watch(session_id: str, watcher: object) -> None:
            self.asked.append(("watch", session_id, watcher))

        def unwatch(session_id: str, watcher: object) -> None:
            self.asked.append(("unwatch", session_id, watcher))

        bus: Any = SimpleNamespace(hub=SimpleNamespace(watch=watch, unwatch=unwatch))
        super().__init__("ses_1", "usr_1", bus)

    def _opening(self) -> bytes:
        return self.opening

    def _is_over(self) -> bool:
        return self.over

    async def _next(self) -> bytes:
        if self.fails:
            raise self.fails
        if self._look:
            self._look = False
            return b"look"
        taken = b"".join(each.json for each in self._pending.pop_all())
        self.over = taken.endswith(END)
        return taken

    def _fail(self, error: LoopwireError) -> bytes:
        self.over = True
        return error.code.encode()


def entry(seq: int, said: bytes = b"x") -> Entry:
    return Entry(seq, "a.1", said)


@asynccontextmanager
async def begun(stream: Dialect) -> AsyncIterator[Any]:
    """Give the rest of a body of which what stood there has been read."""
    lines = stream.lines()
    assert [await anext(lines) for _ in range(2)] == [b"open", b"look"]
    assert stream.asked == [("watch", "ses_1", stream)]
    yield lines
    await lines.aclose()
    assert stream.asked[1:] == [("unwatch", "ses_1", stream)]


async def test_a_body_opens_then_has_what_stands_and_then_what_comes_to_the_end() -> None:
    stream = Dialect()
    async with begun(stream) as lines:
        stream.deliver([entry(1, b"ab"), entry(2, b"c")])
        assert stream.waiting_bytes == 3
        assert await anext(lines) == b"abc"
        assert stream.waiting_bytes == 0
        stream.deliver([entry(3, END)])
        stream.control(b"{}")
        assert [each async for each in lines] == [END]


async def test_a_dialect_without_an_opening_sends_none() -> None:
    class Plain(Dialect):
        _opening = RunStream._opening

    stream = Plain()
    lines = stream.lines()
    assert await anext(lines) == b"look"
    await lines.aclose()


async def test_a_stream_looks_up_the_run_when_entries_overflow_or_are_lost() -> None:
    stream = Dialect()
    async with begun(stream) as lines:
        stream.deliver([entry(seq) for seq in range(MOST_PENDING + 1)])
        assert stream.waiting_bytes == 0
        assert await anext(lines) == b"look"
        stream.deliver([entry(1)])
        stream.resync()
        assert stream.waiting_bytes == 0
        assert await anext(lines) == b"look"


async def test_a_body_on_which_nothing_comes_says_that_it_is_here_and_looks_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert KEEP_ALIVE_S == HEARTBEAT_MS / 1000
    monkeypatch.setattr(run_stream, "KEEP_ALIVE_S", 0.01)
    async with begun(Dialect()) as lines:
        assert [await anext(lines) for _ in range(3)] == [b": still here\n\n", b"look", b": still here\n\n"]


@pytest.mark.parametrize(
    ("end", "error"),
    [
        (Dialect.drop, Internal),
        (Dialect.close_for_shutdown, Unavailable),
        (lambda stream: stream.end_if_revoked("usr_1"), Unauthorized),
        (lambda stream: stream.end_if_revoked(identities_of("usr_1")), Unauthorized),
        (lambda stream: stream.end_if_revoked("ses_1"), NotFound),
        (lambda stream: stream.cut(NotFound()), NotFound),
    ],
)
async def test_a_body_ends_by_the_first_error(
    end: Callable[[Dialect], None], error: type[LoopwireError], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = Dialect()
    async with begun(stream) as lines:
        waiting = anext(lines)
        end(stream)
        stream.cut(Internal())
        assert await waiting == error.code.encode()
        assert [each async for each in lines] == []


async def test_an_error_of_the_reading_ends_the_body_with_its_line() -> None:
    stream = Dialect()
    async with begun(stream) as lines:
        stream.fails = Unavailable()
        stream.resync()
        assert [each async for each in lines] == [b"unavailable"]


async def test_anothers_name_ends_nothing_and_a_client_that_went_gets_nothing() -> None:
    stream = Dialect()
    async with begun(stream) as lines:
        for subject in ("usr_2", "ses_2", "jti_1"):
            stream.end_if_revoked(subject)
        stream.deliver([entry(1)])
        assert await anext(lines) == b"x"
        stream.release_reader()
        assert [each async for each in lines] == []


@pytest.mark.parametrize(
    ("wake", "told"),
    [
        (Dialect.release_reader, None),
        (Dialect.resync, b"look"),
        (Dialect.close_for_shutdown, b"unavailable"),
        (lambda stream: stream.deliver([entry(1, END)]), END),
    ],
)
async def test_a_body_that_waits_goes_on_at_once(wake: Callable[[Dialect], None], told: bytes | None) -> None:
    stream = Dialect()
    async with begun(stream) as lines:

        async def ask() -> bytes | None:
            return await anext(lines, None)  # type: ignore[no-any-return]

        asking = asyncio.ensure_future(ask())
        await asyncio.sleep(0)
        assert not asking.done()
        wake(stream)
        assert await asking == told
