"""Connections to a model's server that are kept: how long, for whom, and what their end leaves behind."""

from __future__ import annotations

import asyncio
import gc
import ssl
import weakref
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import httpx2
import pytest

from server.agents.model.client import Client
from server.agents.model.fast import transport
from server.agents.model.fast.choice import model_of
from server.agents.model.fast.transport import Transport, http_client
from tests.contract.agents.streams import frames, turn_text
from tests.integration.agents.test_fast_transport import CHUNKED, HEAD, OLA, Server, certificate, client
from tests.modelserver import Plan, Text
from tests.parts.wait import PATIENCE_S, paced, until_async


async def test_an_idle_connection_is_closed_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 5 <= transport.KEPT_S < 60, "servers keep one for a minute or longer"
    monkeypatch.setattr(transport, "KEPT_S", 0.1)
    async with Server(OLA) as server, client() as http:
        async with http.stream("POST", server.origin, content=b"x") as response:
            await response.aread()
        async with asyncio.timeout(PATIENCE_S):
            await server.left.wait()


async def test_a_connection_that_is_in_use_is_not_idle_whatever_its_time_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(transport, "KEPT_S", 0.3)
    gate = asyncio.Event()
    async with Server(OLA, gate, OLA) as server, client() as http:
        await http.post(server.origin, content=b"x")
        second = asyncio.create_task(http.post(server.origin, content=b"y"))
        await until_async(lambda: len(server.asked) == 2)
        await paced(0.8)
        gate.set()
        assert (await second).text == "olá"
        assert server.connections == 1


async def test_a_closed_client_closes_its_connections_and_leaves_no_timer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(transport, "KEPT_S", 0.3)
    troubles: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: troubles.append(context["message"]))
    async with Server(OLA) as server:
        async with client() as http:
            await http.post(server.origin, content=b"x")
            assert not server.left.is_set()
        async with asyncio.timeout(PATIENCE_S):
            await server.left.wait()
        await paced(0.5)
    assert troubles == []


async def test_closing_a_client_ends_its_pending_connection() -> None:
    async with Server() as server:
        http = httpx2.AsyncClient(transport=Transport(), timeout=None)
        asking = asyncio.create_task(http.post(server.origin.replace("http:", "https:"), content=b"x"))
        await until_async(lambda: server.connections == 1)
        await http.aclose()
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.wait({asking})
            await server.left.wait()
        assert asking.cancelled() or asking.exception() is not None


@pytest.mark.parametrize(
    ("scheme", "given", "fault"),
    [
        ("https:", {"connect": 0.3}, httpx2.ConnectTimeout),
        ("http:", {"read": 0.3}, httpx2.ReadTimeout),
    ],
)
async def test_a_server_that_does_not_answer_is_left_at_the_timeout_of_the_request(
    scheme: str, given: dict[str, float], fault: type[Exception]
) -> None:
    gate = asyncio.Event()
    async with Server(gate, None) as server, client() as http:
        with pytest.raises(fault):
            url = server.origin.replace("http:", scheme)
            await http.post(url, content=b"x", timeout=httpx2.Timeout(PATIENCE_S, **given))
        gate.set()


async def test_a_server_that_reads_nothing_is_left_at_the_timeout_of_the_request() -> None:
    over, gone = asyncio.Event(), asyncio.Event()

    async def ignore(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await over.wait()
        writer.transport.abort()
        with suppress(OSError):
            await writer.wait_closed()
        gone.set()

    async with await asyncio.start_server(ignore, "127.0.0.1", 0, limit=1024) as server, client() as http:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        with pytest.raises(httpx2.WriteTimeout):
            await http.post(url, content=b"x" * 20_000_000, timeout=httpx2.Timeout(PATIENCE_S, write=0.3))
        over.set()
        await gone.wait()


async def test_a_request_that_is_given_up_hangs_up() -> None:
    gone = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        await reader.read()
        writer.close()
        await writer.wait_closed()
        gone.set()

    asked = asyncio.Event()
    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server, client() as http:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        asking = asyncio.create_task(http.get(url))
        await asked.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        async with asyncio.timeout(PATIENCE_S):
            await gone.wait()


async def test_an_address_without_a_port_has_that_of_its_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    async def refuse(make: Any, host: str, port: int, **_: Any) -> Any:
        asked.append((host, port))
        raise OSError

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", refuse)
    async with client() as http:
        for url in ("http://model.test/", "https://model.test/", "http://model.test:8080/"):
            with pytest.raises(httpx2.ConnectError):
                await http.get(url)
    assert asked == [("model.test", 80), ("model.test", 443), ("model.test", 8080)]


async def test_the_client_chooses_http_1_1_when_a_server_offers_h2(tmp_path: Path) -> None:
    pem, private = certificate(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(pem, private)
    tls.set_alpn_protocols(["h2", "http/1.1"])
    async with (
        Server(OLA, tls=tls) as server,
        client(ssl.create_default_context(cafile=str(pem))) as http,
    ):
        assert (await http.post(server.origin, content=b"x")).text == "olá"
        chosen = server.writers[0].get_extra_info("ssl_object").selected_alpn_protocol()
    assert chosen == "http/1.1"


async def test_a_server_that_moved_is_followed() -> None:
    moved = b"HTTP/1.1 307 Moved\r\nLocation: /v2\r\nContent-Length: 0\r\n\r\n"
    async with Server(moved, OLA) as server, http_client() as http:
        assert (await http.post(f"{server.origin}/v1", content=b"x")).text == "olá"
        assert [each.split()[1] for each in server.asked] == [b"/v1", b"/v2"]
        assert server.asked[1].endswith(b"x")


class Secret:
    """What a run knows."""


_secret: ContextVar[Secret | None] = ContextVar("secret", default=None)


async def test_a_kept_connection_keeps_nothing_of_the_run_that_opened_it() -> None:
    async with Server(OLA) as server, client() as http:
        secret = Secret()

        async def run(secret: Secret) -> None:
            _secret.set(secret)
            assert (await http.post(server.origin, content=b"x")).text == "olá"

        await asyncio.create_task(run(secret))
        left = weakref.ref(secret)
        del secret
        await asyncio.sleep(0)
        gc.collect()
        assert left() is None
        server.answers = [OLA]
        await http.post(server.origin, content=b"x")
        assert server.connections == 1


def streaming(api: str, *texts: str) -> list[bytes]:
    """Return whole answers of a model's server."""
    body = [b"".join(frames(api, Plan([Text(each)]))) for each in texts]
    head = HEAD.replace(b"text/plain", b"text/event-stream")
    return [
        head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(each) + each + b"\r\n0\r\n\r\n"
        for each in body
    ]


@pytest.mark.parametrize("api", ["responses", "chat"])
async def test_answers_of_a_model_come_over_one_connection_and_one_that_is_left_ends_it(api: str) -> None:
    part = CHUNKED + b"".join(
        b"%x\r\n" % len(each) + each + b"\r\n" for each in frames(api, Plan([Text("um dois três")]))[:4]
    )
    async with Server(*streaming(api, "um", "dois"), part) as server, http_client() as http:
        made = Client(api_key="sk-test", base_url=f"{server.origin}/v1", max_retries=0, http_client=http)
        model = model_of(api, "m", made)
        assert [(await turn_text(model)).text for _ in range(2)] == ["um", "dois"]
        assert server.connections == 1
        leaving = asyncio.create_task(turn_text(model))
        await until_async(lambda: len(server.asked) == 3)
        await paced(0.1)
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        async with asyncio.timeout(PATIENCE_S):
            await server.left.wait()
