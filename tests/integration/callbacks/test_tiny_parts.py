"""Servers whose answers are all work and no bytes: they are left early, and others have turns of the loop meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

import pytest

from server.callbacks import Guard, Secrets, Sender
from server.callbacks.guarded_get import FetchFailed, get_guarded
from server.callbacks.sparing_network import MOST_SMALL_PARTS, PARTS_IN_TURN, SMALL
from server.loopos.remote.exchange import CoreExchange, CoreRequest, CoreTimes
from server.loopos.remote.failures import CoreFailure
from server.store import Callback

PATIENCE_S = 60
CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
FLOODS = {
    "chunks": (CHUNKED, b"1\r\na\r\n"),
    "interim answers": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "fields": (b"HTTP/1.1 200 OK\r\n", b"a:\r\n"),
    "a field": (b"HTTP/1.1 200 OK\r\na:", b"a" * 64),
    "an extension": (CHUNKED + b"1;", b"a" * 64),
    "trailers": (CHUNKED + b"0\r\n", b"a:\r\n"),
}


class Site:
    """A server that begins each answer with `begin`, and repeats `flood` for as long as it is read."""

    def __init__(self) -> None:
        """Answer nothing at first."""
        self.begin = self.flood = b""
        self.sent = 0
        self.place = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one request."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(self.begin)
            while self.flood:
                writer.write(self.flood * 10_000)
                await writer.drain()
                self.sent += 10_000
        writer.close()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    site = Site()
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    site.place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield site


async def fetch(site: Site, count: Callable[[int], None] = lambda _: None) -> bytes:
    """Fetch as a picture or a key set is fetched."""
    return await get_guarded(
        f"http://{site.place}/",
        Guard([site.place]),
        accept="*/*",
        most_bytes=10_000_000,
        seconds=PATIENCE_S,
        count=count,
    )


async def fetch_in_vain(site: Site) -> None:
    with pytest.raises(FetchFailed) as failed:
        await fetch(site)
    assert type(failed.value) is FetchFailed, "it was left before its time was over"


async def ask_core_in_vain(site: Site) -> None:
    times = CoreTimes(attempt_s=PATIENCE_S)
    exchange = CoreExchange(f"http://{site.place}", Guard([site.place]), times=times, most_bytes=10_000_000)
    try:
        with pytest.raises(CoreFailure) as failed:
            await exchange.send(CoreRequest("GET", "/v1/products"))
    finally:
        await exchange.aclose()
    assert (failed.value.reason, failed.value.retry) == ("unreadable", False)


async def post(site: Site) -> None:
    """Post as a callback is posted: its answer counts by its status, or not at all."""
    sender = Sender(_NoOutbox(), Secrets({}, b"s"), Guard([site.place]), owner="me", timeout_s=PATIENCE_S)
    callback = Callback("cbk_1", "ses_1", "run_1", "demo", f"http://{site.place}/", "{}", 1)
    await sender.deliver(callback)


class _NoOutbox:
    """Keeps nothing of a post."""

    async def claim(self, owner: str, lease_s: float) -> Callback | None: ...

    async def release(self, callback: Callback) -> None: ...

    async def forget_address(self, callback: Callback) -> None: ...

    async def note_delivered(self, callback: Callback, answer: int) -> None: ...

    async def note_failed(self, callback: Callback, answer: int | None, again_s: float | None) -> None: ...


@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.parametrize("ask", [fetch_in_vain, ask_core_in_vain, post])
async def test_an_answer_that_is_only_work_is_left_early(
    site: Site, flood: str, ask: Callable[[Site], Awaitable[None]]
) -> None:
    site.begin, site.flood = FLOODS[flood]
    async with asyncio.timeout(PATIENCE_S):
        await ask(site)


@pytest.mark.parametrize("size", [SMALL - 1, SMALL + 1])
async def test_many_parts_are_taken_where_they_are_not_small(site: Site, size: int) -> None:
    chunk = b"%x\r\n%b\r\n" % (size, b"a" * size)
    site.begin = CHUNKED + chunk * (MOST_SMALL_PARTS + 1) + b"0\r\n\r\n"
    if size < SMALL:
        await fetch_in_vain(site)
    else:
        assert await fetch(site) == b"a" * size * (MOST_SMALL_PARTS + 1)


async def test_small_parts_are_taken_where_they_are_few(site: Site) -> None:
    site.begin = CHUNKED + b"1\r\na\r\n" * MOST_SMALL_PARTS + b"0\r\n\r\n"
    assert await fetch(site) == b"a" * MOST_SMALL_PARTS


async def test_a_long_head_and_some_interim_answers_are_read(site: Site) -> None:
    fields = b"".join(b"x-%d: %b\r\n" % (each, b"a" * 200) for each in range(100))
    head = b"HTTP/1.1 103 Early Hints\r\n\r\n" * 10 + b"HTTP/1.1 200 OK\r\n" + fields
    site.begin = head + b"content-length: 9000\r\n\r\n" + b"\n" * 9000
    assert await fetch(site) == b"\n" * 9000


async def test_others_have_turns_while_the_parts_of_an_answer_are_read(site: Site) -> None:
    turns, parts = 0, Counter[int]()

    async def take_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def count(_: int) -> None:
        parts[turns] += 1

    site.begin = CHUNKED + b"28\r\n%b\r\n" % (b"a" * 40) * 20_000 + b"0\r\n\r\n"
    other = asyncio.create_task(take_turns())
    try:
        assert len(await fetch(site, count)) == 800_000
    finally:
        other.cancel()
    assert parts.total() >= 20_000
    assert max(parts.values()) <= 2 * PARTS_IN_TURN
