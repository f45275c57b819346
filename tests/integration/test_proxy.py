"""The proxy that tests break: each kind of fault has its effect."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from tests.parts.proxy import Address, Proxy
from tests.parts.wait import until_async


@pytest.fixture
async def echoes() -> AsyncIterator[list[Address]]:
    """Two servers, each of which says its number and then all that it hears."""
    servers = []

    for number in (b"1", b"2"):

        async def serve(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: bytes = number
        ) -> None:
            writer.write(number)
            with suppress(OSError):
                while data := await reader.read(1000):
                    writer.write(data)
            writer.close()

        servers.append(await asyncio.start_server(serve, "127.0.0.1", 0))
    yield [each.sockets[0].getsockname() for each in servers]
    for each in servers:
        each.close()


@pytest.fixture
async def proxy(echoes: list[Address]) -> AsyncIterator[Proxy]:
    """Yield a proxy before both."""
    made = Proxy(lambda: echoes)
    await made.start()
    yield made
    await made.aclose()


async def visit(proxy: Proxy) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, bytes]:
    """Connect and read who it is."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    return reader, writer, await reader.readexactly(1)


async def test_connections_alternate_between_targets_and_skip_a_dead_one(
    proxy: Proxy, echoes: list[Address]
) -> None:
    numbers = []
    for _ in range(4):
        _, writer, number = await visit(proxy)
        numbers.append(number)
        writer.close()
    assert sorted(numbers) == [b"1", b"1", b"2", b"2"]
    echoes[0] = ("127.0.0.1", 1)
    for _ in range(2):
        _, writer, number = await visit(proxy)
        assert number == b"2"
        writer.close()


async def test_bytes_sent_into_a_black_hole_arrive_when_it_is_gone(proxy: Proxy) -> None:
    reader, writer, _ = await visit(proxy)
    proxy.weather.silent_down = True
    writer.write(b"hello")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await reader.read(10)
    proxy.clear()
    assert await reader.readexactly(5) == b"hello"
    writer.close()


async def test_a_frozen_connection_is_silent_for_both_and_the_others_are_not(proxy: Proxy) -> None:
    reader, writer, _ = await visit(proxy)
    for each in proxy.pairs:
        each.frozen = True
    other, other_writer, _ = await visit(proxy)
    writer.write(b"hello")
    other_writer.write(b"hello")
    assert await other.readexactly(5) == b"hello"
    assert not reader.at_eof()
    writer.close()
    other_writer.close()
    await until_async(lambda: len(proxy.pairs) == 1, what="the live one to end, the frozen one to stay")


async def test_a_cut_or_refused_connection_is_reset(proxy: Proxy) -> None:
    reader, writer, _ = await visit(proxy)
    proxy.cut()
    with pytest.raises(ConnectionResetError):
        await reader.readexactly(1)
    writer.close()
    proxy.weather.refuse = True
    with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
        await visit(proxy)


async def test_a_connection_is_cut_after_so_many_bytes_of_answers(proxy: Proxy) -> None:
    proxy.weather.cut_after = 1000
    reader, writer, _ = await visit(proxy)
    writer.write(b"x" * 500)
    assert await reader.readexactly(500) == b"x" * 500
    writer.write(b"x" * 600)
    with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
        await reader.readexactly(600)
    writer.close()
