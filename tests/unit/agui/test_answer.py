"""The entries that wait for a caller that does not read: limited in bytes as well as in number."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from server.agui.answer import RunAnswer
from server.agui.names import Names
from server.bus import Bus, Entry
from server.rooms.outbox import MAX_BYTES
from tests.parts.ports import free_port
from tests.parts.wait import until_async

LARGE = 64 * 1024


async def test_waiting_entries_of_an_answer_never_exceed_the_byte_limit() -> None:
    nothing = cast(Any, None)
    names = Names(session_id="ses_1", run_id="run_1", thread="t", run="r")
    answer = RunAnswer(names, store=nothing, bus=nothing, runs=nothing)
    sizes = []
    for seq in range(1, 200):
        answer.deliver([Entry(seq, "a.1", b"x" * LARGE)])
        sizes.append(answer.waiting_bytes)
    assert max(sizes) <= MAX_BYTES
    assert 0 in sizes, "the entries gave way to a snapshot"


async def test_a_client_that_leaves_before_the_log_is_followed_leaves_nothing_behind() -> None:
    nothing = cast(Any, None)
    bus = Bus(f"redis://127.0.0.1:{free_port()}/0")
    await bus.start()
    try:
        names = Names(session_id="ses_1", run_id="run_1", thread="t", run="r")
        lines = RunAnswer(names, store=nothing, bus=bus, runs=nothing).lines()
        first = asyncio.ensure_future(anext(lines))
        feeds = bus.hub.feeds
        await until_async(lambda: "ses_1" in feeds)
        assert feeds["ses_1"].watchers, "a Redis that is away is waited for"
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        assert "ses_1" not in feeds or not feeds["ses_1"].watchers
    finally:
        await bus.aclose()
