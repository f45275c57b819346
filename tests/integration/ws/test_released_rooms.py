"""A connection over HTTP leaves nothing that only a full collection finds, however it ends."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from uvicorn.server import ServerState

from server.http.hardened import HardenedHttpProtocol
from server.http.hardened_socket import HardenedSocketProtocol
from server.http.server import config
from server.limits import Limits
from server.log import RepeatLimit
from tests.integration.ws.inside import inside
from tests.parts.sampled import one_of
from tests.parts.wait import until_async

GET = b"GET / HTTP/1.1\r\nHost: here\r\n%b\r\n"
UPGRADE = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)
WAYS = {
    "says nothing": b"",
    "keeps alive": GET % b"",
    "says close": GET % b"Connection: close\r\n",
    "breaks off": b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\nabc",
    "is no request": b"\x00\x01\r\n\r\n",
    "becomes a socket": GET % UPGRADE,
}


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer shortly, after the whole body."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (await receive())["type"] != "websocket.disconnect":
            pass
        return
    while (told := await receive())["type"] == "http.request" and told.get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def _no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("_no_collector")
@pytest.mark.parametrize("name", one_of(3, WAYS))
async def test_an_ended_connection_leaves_no_garbage_for_a_full_collection(name: str) -> None:
    said = WAYS[name]
    serving = config(app, host="127.0.0.1", port=0, trusted_proxies="", limits=Limits())
    serving.load()
    state, made = ServerState(), []

    def protocol() -> HardenedHttpProtocol:
        made.append(True)
        return HardenedHttpProtocol(config=serving, server_state=state, app_state={})

    server = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(said)
        if said.startswith(b"GET") or b"\x00" in said:
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 ")
        else:
            await until_async(lambda: bool(made), what="the connection")
        writer.close()
        await writer.wait_closed()
        del reader, writer
        await until_async(lambda: not (state.connections or state.tasks), what="the end of the connection")
        await until_async(lambda: not alive(), what="the connection to be let go of")


def alive() -> list[str]:
    """Return the protocols that there are, without looking for garbage first."""
    return [
        type(each).__name__
        for each in gc.get_objects()
        if issubclass(
            type(each), HardenedHttpProtocol | HardenedSocketProtocol
        )  # `isinstance` would ask lazy objects.
    ]


async def test_an_ended_server_removes_its_limit_on_warnings(tmp_path: Path) -> None:
    logger = logging.getLogger("uvicorn.error")
    async with inside(tmp_path):
        assert any(isinstance(each, RepeatLimit) for each in logger.filters)
    assert not any(isinstance(each, RepeatLimit) for each in logger.filters)
