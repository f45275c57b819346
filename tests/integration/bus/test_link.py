"""The connection of scripts and signals while the server cuts it: it is replaced, and none is left behind."""

from __future__ import annotations

import asyncio
import gc

import redis

from server.bus.redis.client import connect_link
from tests.parts.wait import until_async

CUTS = 10
NAME = "cut"


async def test_a_connection_that_is_cut_again_and_again_is_replaced_and_none_is_left_open(bus_url, caplog):
    with redis.Redis.from_url(bus_url) as watcher:

        def open_ones() -> list[str]:
            """Ours alone: others use this server too."""
            return [each["id"] for each in watcher.client_list() if each["name"] == NAME]

        link = connect_link(f"{bus_url}{'&' if '?' in bus_url else '?'}client_name={NAME}")
        for _ in range(CUTS):
            await link.call("PING")
            for each in open_ones():
                watcher.client_kill_filter(_id=each)
            # The first to write finds out, before the reader does; who comes next must not use what is left.
            await asyncio.gather(*[after(turns, link) for turns in range(8)], return_exceptions=True)
        await until_async(lambda: answers(link), what="an answer over a new connection")
        assert len(open_ones()) == 1
        gc.collect()
        assert not caplog.records, "no failure is left that nobody has heard of"
        await link.aclose()
        await until_async(lambda: open_ones() == [], what="the connection to be closed")


async def after(turns, link) -> None:
    """Call when the loop has turned so often."""
    for _ in range(turns):
        await asyncio.sleep(0)
    await link.call("PING")


async def answers(link) -> bool:
    """Return whether it answers."""
    return bool((await asyncio.gather(link.call("PING"), return_exceptions=True))[0] == b"PONG")


async def test_a_caller_that_gives_up_leaves_the_others_their_answers(bus_url):
    link = connect_link(bus_url)
    given_up, kept = (asyncio.ensure_future(link.call("ECHO", each)) for each in "ab")
    for _ in range(2):
        await asyncio.sleep(0)
    given_up.cancel()
    assert await kept == b"b"
    assert await link.call("ECHO", "c") == b"c"
    await link.aclose()
