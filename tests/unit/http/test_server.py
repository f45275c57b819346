"""The server's reaction to the signals that end it."""

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from server.http.server import Server, config
from server.limits import Limits

WAIT_S = 60


async def drain() -> None:
    """Never be done."""
    await asyncio.Event().wait()


async def silent(scope: Any, receive: Any, send: Any) -> None:
    """Answer nobody."""


def served(
    app: Any = silent,
    *,
    kind: type[Server] = Server,
    leave: Callable[[], Awaitable[None]] = drain,
    open_at: Callable[[int], None] = lambda port: None,
) -> Server:
    """Make a server whose leaving takes for ever, unless another `leave` is given."""
    asked = config(app, host="127.0.0.1", port=0, trusted_proxies="", limits=Limits())
    return kind(asked, leave, open_at)


class Early(Server):
    """Is told to leave while it opens its port."""

    async def startup(self, sockets: Any = None) -> None:
        """Take the signal, then open."""
        self.handle_exit(signal.SIGTERM, None)
        await super().startup(sockets)


async def test_two_signals_before_the_loop_runs_again_are_two() -> None:
    opened = asyncio.Event()
    server = served(open_at=lambda port: opened.set())
    serving = asyncio.create_task(server.serve())
    await opened.wait()
    for _ in "ab":
        server.handle_exit(signal.SIGTERM, None)
    async with asyncio.timeout(WAIT_S):
        await serving
    assert server.force_exit


async def test_a_drain_that_a_second_signal_cuts_short_ends_with_the_server() -> None:
    opened, began, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def leave() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    server = served(leave=leave, open_at=lambda port: opened.set())
    serving = asyncio.create_task(server.serve())
    await opened.wait()
    server.handle_exit(signal.SIGTERM, None)
    await began.wait()
    server.handle_exit(signal.SIGTERM, None)
    async with asyncio.timeout(WAIT_S):
        await serving
    assert ended.is_set()


async def test_a_signal_while_the_port_is_being_opened_ends_it_without_a_drain() -> None:
    server = served(kind=Early)
    async with asyncio.timeout(WAIT_S):
        await server.serve()
    assert not server.force_exit


async def test_a_request_is_no_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def answer(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    caplog.set_level(logging.INFO)
    opened: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    server = served(answer, open_at=opened.set_result)
    serving = asyncio.create_task(server.serve())
    reader, writer = await asyncio.open_connection("127.0.0.1", await opened)
    writer.write(b"GET /?told=nobody HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    assert (await reader.read()).startswith(b"HTTP/1.1 204")
    writer.close()
    server.should_exit = True
    await serving
    assert not [each for each in caplog.messages if "told=nobody" in each]
