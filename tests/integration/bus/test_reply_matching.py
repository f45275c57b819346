"""Replies of Redis that arrive together: each reaches its caller, and an error among them ends only its own command."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import hiredis
import pytest
from redis.exceptions import ConnectionError as LinkError
from redis.exceptions import ResponseError

from server.bus.redis.client import connect_link, connect_subscriber
from server.bus.redis.drain_parser import NOT_ENOUGH_DATA, beyond

OK = b"+OK\r\n"


async def test_replies_that_redis_py_has_read_already_are_returned_once(live_url: str) -> None:
    client = connect_subscriber(live_url)
    connection = await client.connection_pool.get_connection()
    await connection.send_packed_command(hiredis.pack_command(("PING",)) * 3)
    found = [await connection.read_response()]
    found += beyond(connection)
    while len(found) < 3:
        found.append(await connection.read_response())
    assert found == [b"PONG"] * 3
    assert connection._parser._reader.gets(False) is NOT_ENOUGH_DATA, "redis-py means something else by it"
    assert list(beyond(connection)) == []
    await client.connection_pool.release(connection)
    await client.aclose()


async def test_an_error_among_answers_is_its_own_command_s() -> None:
    async with answering(b":1\r\n", b"-ERR no\r\n", b"*2\r\n:2\r\n-ERR inside\r\n", b"$1\r\na\r\n") as url:
        link = connect_link(url)
        one, refused, inside, last = await asyncio.gather(
            *(link.call("ASK", each) for each in range(4)), return_exceptions=True
        )
        assert (one, last) == (1, b"a")
        assert isinstance(refused, ResponseError)
        assert inside[0] == 2 and isinstance(inside[1], ResponseError)
        assert await link.call("CLIENT") == b"OK", "the connection is of use"
        await link.aclose()


@pytest.mark.parametrize("odd", [b"-LOADING soon\r\n", b"?\r\n"])
async def test_a_reply_that_ends_a_connection_fails_all_calls_behind_it(odd: bytes) -> None:
    async with answering(b":1\r\n", odd, b":3\r\n") as url:
        link = connect_link(url)
        one, *rest = await asyncio.gather(
            *(link.call("ASK", each) for each in range(3)), return_exceptions=True
        )
        assert one == 1
        assert [isinstance(each, LinkError) for each in rest] == [True, True]
        assert await link.call("CLIENT") == b"OK", "over a new connection"
        await link.aclose()


@asynccontextmanager
async def answering(*answers: bytes) -> AsyncIterator[str]:
    """Yield the address of a Redis that answers so many commands at once, in one segment, and CLIENT by itself."""
    talks = set[asyncio.Task[None]]()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked, parser = 0, hiredis.Reader()
        while said := await reader.read(65536):
            parser.feed(said)
            while command := parser.gets():
                if _verb(command) == b"CLIENT":
                    writer.write(OK)
                    continue
                asked += 1
                if asked == len(answers):
                    writer.write(b"".join(answers))
        writer.close()

    def come(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talks.add(asyncio.create_task(talk(reader, writer)))

    server = await asyncio.start_server(come, "127.0.0.1", 0)
    try:
        yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0"
    finally:
        server.close()
        await asyncio.gather(*talks)
        await server.wait_closed()


def _verb(command: Sequence[bytes]) -> bytes:
    return command[0].upper()
