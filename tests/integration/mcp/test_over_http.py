"""MCP by streamable HTTP: headers of the environment, the guard, and a server that fails and recovers."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from server.agents.run.tool_calls import AnsweredFailure
from server.agents.tools.remote import RemoteTool
from server.callbacks import Guard
from server.callbacks.sparing_network import MOST_SMALL_PARTS, PARTS_IN_TURN
from server.errors import Unavailable
from server.mcp.flood_budget import FloodBudget
from server.mcp.web import open_client
from tests.integration.mcp.conftest import SCRIPT, Shop, shop_with
from tests.parts.ports import free_port
from tests.parts.process import kill_group, start
from tests.parts.sampled import later
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

TOOLS = {name: {"effect": "read"} for name in ("forecast", "flood", "die", "hang")}
Answerer = Callable[[asyncio.StreamWriter], Coroutine[Any, Any, None]]


def tool(shop: Shop, name: str) -> RemoteTool:
    """Return one tool of the shop."""
    return next(each for each in shop.connections.tools_for("demo", "test") if each.name == f"shop_{name}")


def listens(port: int) -> bool:
    """Return whether a server takes connections there."""
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


async def test_a_server_is_called_with_its_headers_and_found_again_when_it_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "Bearer 17")
    port = free_port()
    argv = [sys.executable, SCRIPT, tmp_path, port]
    table = {
        "services": ["test"],
        "url": f"http://127.0.0.1:{port}/mcp",
        "private": True,
        "headers": {"authorization": "SHOP_TOKEN"},
        "tools": TOOLS,
    }
    first = start(list(map(str, argv)), log=tmp_path / "log")
    await until_async(lambda: listens(port), what="the port", seconds=120)
    async with shop_with(tmp_path, shop=table) as shop:
        try:
            await until_async(shop.is_ready, what="the server", seconds=120)
            assert (await tool(shop, "forecast").call({"city": "Porto"}, "ana"))["result"].startswith(
                "Rain in Porto"
            )
            with pytest.raises((AnsweredFailure, Unavailable)):
                await tool(shop, "flood").call({"mib": 3}, "ana")
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.5):
                    await tool(shop, "hang").call({"whole": False}, "ana")
            assert (await tool(shop, "forecast").call({"city": "Faro"}, "ana"))["result"].startswith(
                "Rain in Faro"
            )
            with pytest.raises(Unavailable):
                await tool(shop, "die").call({}, "ana")
            await until_async(lambda: not shop.is_ready(), what="the doubt about it", seconds=60)
        finally:
            kill_group(first)
            first.wait(60)
        second = start(list(map(str, argv)), log=tmp_path / "log")
        try:
            await until_async(shop.is_ready, what="the server's return", seconds=120)
            assert (await tool(shop, "forecast").call({"city": "Lagos"}, "ana"))["result"].startswith(
                "Rain in Lagos"
            )
        finally:
            kill_group(second)
            second.wait(60)


@asynccontextmanager
async def answering(answer: Answerer) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Listen, and answer each request as told; gives the address, and the heads of what was asked."""
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        try:
            await answer(writer)
        except OSError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    async with server:
        yield f"{host}:{port}", asked


async def endless(writer: asyncio.StreamWriter) -> None:
    """Answer without end, as fast as it is read."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n")
    while True:
        writer.write(b" " * 65_536)
        await writer.drain()


async def dripping(writer: asyncio.StreamWriter) -> None:
    """Answer without end, byte by byte."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0)


async def stalling(writer: asyncio.StreamWriter) -> None:
    """Begin an answer, and say no more."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{")
    await asyncio.Event().wait()


async def silent(writer: asyncio.StreamWriter) -> None:
    """Say nothing."""
    await asyncio.Event().wait()


async def compressed(writer: asyncio.StreamWriter) -> None:
    """Answer in what could become any size."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\ncontent-length: 2\r\n\r\nxx")
    await writer.drain()


def flooding(begin: bytes, flood: bytes) -> Answerer:
    """Return what begins an answer, and repeats the rest as fast as it is read."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(begin)
        while True:
            writer.write(flood * 10_000)
            await writer.drain()

    return answer


CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}


@pytest.mark.parametrize("answer", [endless, dripping, stalling])
async def test_an_answer_without_an_end_is_broken_off(answer: Answerer) -> None:
    async with answering(answer) as (where, _):
        client = open_client(Guard({where}), FloodBudget(), lambda: None, {}, 1.0)
        async with client:
            with pytest.raises(httpx2.StreamError):
                await client.post(f"http://{where}/mcp", json=CALL)


JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
EVENTS = JSON.replace(b"application/json", b"text/event-stream")


@pytest.mark.parametrize("begin", [JSON, EVENTS])
async def test_an_answer_of_tiny_parts_is_broken_off_before_its_time(begin: bytes) -> None:
    budget, began = FloodBudget(), asyncio.get_running_loop().time()
    async with (
        answering(flooding(begin, b"1\r\n \r\n")) as (where, _),
        open_client(Guard({where}), budget, lambda: None, {}, 600.0) as client,
    ):
        with pytest.raises(httpx2.StreamError):
            await client.post(f"http://{where}/mcp", json=CALL)
    assert asyncio.get_running_loop().time() - began < 300
    budget.spend(16 * 1024 * 1024)  # It was left for its parts: the minute is not spent.


@pytest.mark.parametrize(
    ("kind", "before"),
    [
        (b"application/json", b""),
        (b"text/event-stream", b"data:"),
        (b"text/event-stream; charset=utf-16", b': "\ndata:'),
    ],
)
async def test_a_message_of_too_many_values_is_not_read(kind: bytes, before: bytes) -> None:
    async def numbers(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: " + kind + b"\r\nconnection: close\r\n\r\n")
        writer.write(before + b'{"jsonrpc":"2.0","id":1,"result":{"content":[' + b"0," * 20_000 + b"0]}}\n\n")
        await writer.drain()

    async with (
        answering(numbers) as (where, _),
        open_client(Guard({where}), FloodBudget(), lambda: None, {}, 600.0) as client,
    ):
        with pytest.raises(httpx2.StreamError):
            await client.post(f"http://{where}/mcp", json=CALL)
        async with client.stream("POST", f"http://{where}/mcp", json=CALL) as response:
            assert response.encoding == "utf-8"


@pytest.mark.parametrize(
    "begin_and_flood",
    [
        (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\n", b"a:\r\n"),
    ],
)
async def test_a_head_without_an_end_is_left(begin_and_flood: tuple[bytes, bytes]) -> None:
    async with (
        answering(flooding(*begin_and_flood)) as (where, _),
        open_client(Guard({where}), FloodBudget(), lambda: None, {}, 600.0) as client,
    ):
        async with asyncio.timeout(300):
            assert (await client.get(f"http://{where}/mcp")).status_code == 503


@pytest.mark.conformance
@pytest.mark.parametrize("flood", [later(b"1\r\n:\r\n"), b"1f40\r\n" + b"data:\n\n\n" * 1000 + b"\r\n"])
async def test_a_stream_that_stays_open_is_bounded_by_its_parts_and_lines(flood: bytes) -> None:
    read = 0
    async with (
        answering(flooding(EVENTS, flood)) as (where, _),
        open_client(Guard({where}), FloodBudget(), lambda: None, {}, 600.0) as client,
        client.stream("GET", f"http://{where}/mcp") as response,
    ):
        with pytest.raises(httpx2.StreamError):
            async for part in response.aiter_raw():
                read += len(part)
    assert MOST_SMALL_PARTS < read < 2 * 1024 * 1024


@pytest.mark.conformance
async def test_others_have_turns_while_the_parts_of_an_answer_are_read() -> None:
    turns, parts = 0, Counter[int]()

    async def take_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with (
        answering(flooding(EVENTS, b"28\r\n%b\r\n" % (b"a" * 40))) as (where, _),
        open_client(Guard({where}), FloodBudget(), lambda: None, {}, 600.0) as client,
        client.stream("GET", f"http://{where}/mcp") as response,
    ):
        other = asyncio.create_task(take_turns())
        with pytest.raises(httpx2.StreamError):
            async for _ in response.aiter_raw():
                parts[turns] += 1
        other.cancel()
    assert max(parts.values()) <= 2 * PARTS_IN_TURN


@pytest.mark.parametrize(
    ("answer", "trusted", "connections"), [(silent, True, 1), (compressed, True, 1), (silent, False, 0)]
)
async def test_a_request_that_cannot_be_made_is_answered_by_503(
    answer: Answerer, trusted: bool, connections: int
) -> None:
    lost: list[bool] = []
    async with answering(answer) as (where, asked):
        guard = Guard({where} if trusted else ())
        async with open_client(guard, FloodBudget(), lambda: lost.append(True), {}, 0.5) as client:
            response = await client.post(f"http://{where}/mcp", json=CALL)
        assert (response.status_code, lost, len(asked)) == (503, [True], connections)


@pytest.mark.parametrize(
    ("location", "status", "requests"),
    [("https://xn--..b/", 503, 1), ("https://$xn--a/", 503, 1), ("https://[::1/", 503, 1), ("/mcp/", 200, 2)],
)
async def test_a_redirect_ends_no_connection(location: str, status: int, requests: int) -> None:
    """The client reads the host of its address, and sends the body again."""

    async def redirecting(writer: asyncio.StreamWriter) -> None:
        head = f"307 Moved\r\nlocation: {location}" if len(asked) == 1 else "200 OK"
        writer.write(f"HTTP/1.1 {head}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode())
        await writer.drain()

    async with (
        answering(redirecting) as (where, asked),
        open_client(Guard({where}), FloodBudget(), lambda: None, {}, 5.0) as client,
    ):
        response = await client.post(f"http://{where}/mcp", json=CALL, follow_redirects=True)
    assert (response.status_code, len(asked)) == (status, requests)


async def test_a_server_that_makes_its_client_ask_again_and_again_is_asked_no_more() -> None:
    async def empty(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await writer.drain()

    budget = FloodBudget()
    budget.spend(31 * 1024 * 1024)
    async with answering(empty) as (where, asked):
        async with open_client(Guard({where}), budget, lambda: None, {}, 5.0) as client:
            answers = [(await client.get(f"http://{where}/mcp")).status_code for _ in range(70)]
        assert answers[:64] == [200] * 64 and answers[-1] == 503
        assert len(asked) == 64
