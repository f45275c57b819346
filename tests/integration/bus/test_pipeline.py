"""The connection of scripts and signals while the server cuts it: it is replaced, and none is left behind."""

from __future__ import annotations

import asyncio
import gc
import secrets
import time

import hiredis
import pytest
import redis
from redis.exceptions import ConnectionError as LinkError

from server.bus.redis import client as client_module
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


async def test_the_cause_of_a_lost_connection_counts_as_retrieved(bus_url, caplog):
    """Its last future may be finalized before the stream that would retrieve the cause."""
    link = connect_link(bus_url)
    await link.call("PING")
    transport = link._line.connection._writer.transport
    protocol = transport.get_protocol()  # Held, as by a cycle of references.
    closed = protocol._get_close_waiter(None)
    call = asyncio.ensure_future(link.call("BLPOP", "nothing", 0))
    await asyncio.sleep(0)
    transport._force_close(BrokenPipeError())  # As a write that fails does.
    assert isinstance((await asyncio.gather(call, return_exceptions=True))[0], OSError | LinkError)
    await until_async(lambda: not link._line.connected, what="the end of the connection")
    await asyncio.wait({link._line.reading})
    closed.__del__()
    assert not caplog.records
    await link.aclose()


async def after(turns, link) -> None:
    """Call when the loop has turned so often."""
    for _ in range(turns):
        await asyncio.sleep(0)
    await link.call("PING")


async def answers(link) -> bool:
    """Return whether it answers."""
    return bool((await asyncio.gather(link.call("PING"), return_exceptions=True))[0] == b"PONG")


async def test_a_connection_that_opens_as_its_owner_leaves_is_closed(bus_url):
    with redis.Redis.from_url(bus_url) as watcher:
        name = f"left_{secrets.token_hex(4)}"
        link = connect_link(f"{bus_url}{'&' if '?' in bus_url else '?'}client_name={name}")
        await link._open()  # Its reader has not taken a step yet.
        await link.aclose()
        await until_async(
            lambda: name not in {each["name"] for each in watcher.client_list()}, what="its end"
        )


async def test_callers_that_come_at_once_share_one_connection(bus_url):
    with redis.Redis.from_url(bus_url) as watcher:
        name = f"shared_{secrets.token_hex(4)}"
        link = connect_link(f"{bus_url}{'&' if '?' in bus_url else '?'}client_name={name}")
        assert await asyncio.gather(*[link.call("ECHO", each) for each in "abc"]) == [b"a", b"b", b"c"]
        assert [each["name"] for each in watcher.client_list()].count(name) == 1
        assert "bus.link" in {each.get_name() for each in asyncio.all_tasks()}
        await link.aclose()


async def test_a_health_check_that_an_address_asks_for_mixes_up_no_answers(bus_url):
    link = connect_link(f"{bus_url}{'&' if '?' in bus_url else '?'}health_check_interval=1")
    await link.call("PING")
    link._line.connection.next_health_check = 0.0
    assert await asyncio.gather(*[link.call("ECHO", each) for each in "abc"]) == [b"a", b"b", b"c"]
    await link.aclose()


@pytest.mark.parametrize("answered", [1, 0])
async def test_a_slow_connection_is_kept_and_a_silent_one_is_replaced(monkeypatch, answered: int):
    """Who waits behind a large value would else wait for a new connection, and then for the value of the next one."""
    monkeypatch.setattr(client_module, "TIMEOUT_S", 0.3)
    connections = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        parser, asked = hiredis.Reader(), 0
        while said := await reader.read(65536):
            parser.feed(said)
            while command := parser.gets():
                if command[0].upper() == b"CLIENT":
                    writer.write(b"+OK\r\n")
                    continue
                asked += 1
                if asked <= answered or len(connections) > 1:
                    writer.write(b":%d\r\n" % asked)
                elif asked == 3:
                    writer.write(b":2\r\n:3\r\n")

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    link = connect_link(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    first, second = (asyncio.ensure_future(link.call("ASK")) for _ in range(2))
    await asyncio.wait({first, second})
    assert [isinstance(each.exception(), OSError | LinkError) for each in (first, second)] == [
        not answered,
        True,
    ]
    assert await link.call("ASK") == (3 if answered else 1)
    assert len(connections) == (1 if answered else 2)
    await link.aclose()
    server.close()
    for each in connections:
        each.close()


async def test_an_answer_that_came_while_the_process_stood_still_is_no_timeout(bus_url, monkeypatch):
    """A stalled process finds the end of the time limit and the answer at once: the server was not slow."""
    monkeypatch.setattr(client_module, "TIMEOUT_S", 0.1)
    link = connect_link(bus_url)
    await link.call("PING")
    asked = [asyncio.ensure_future(link.call("ECHO", each)) for each in "ab"]
    await asyncio.sleep(0)  # Both are sent.
    ends = time.monotonic() + 0.3
    with redis.Redis.from_url(bus_url) as other:
        while time.monotonic() < ends:  # It answers the others, and this loop does not turn.
            other.ping()
    assert await asyncio.gather(*asked) == [b"a", b"b"]
    await link.aclose()


async def test_a_caller_that_gives_up_leaves_the_others_their_answers(bus_url):
    link = connect_link(bus_url)
    given_up, kept = (asyncio.ensure_future(link.call("ECHO", each)) for each in "ab")
    for _ in range(2):
        await asyncio.sleep(0)
    given_up.cancel()
    assert await kept == b"b"
    assert await link.call("ECHO", "c") == b"c"
    await link.aclose()
