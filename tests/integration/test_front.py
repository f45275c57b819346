"""The front door: the page is there before the agents are, and what needs them waits instead of failing."""

from __future__ import annotations

import subprocess
import sys

import httpx2
import pytest
from websockets import Origin
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from server import apps
from server.app import WebApplication, open_parts
from server.http.front import Front
from server.http.server import Server, config
from server.loopos.core import EmbeddedCore
from server.settings import Settings
from server.store import Store
from server.tasks import Tasks
from tests.parts.ports import free_port
from tests.parts.wait import until_async


def test_the_front_needs_neither_the_agents_nor_redis_nor_migrations() -> None:
    script = (
        "import sys, server.cli.serve\n"
        "heavy = {'agents', 'openai', 'mcp', 'redis', 'alembic', 'opentelemetry', 'langfuse'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


async def test_what_needs_the_agents_waits_for_them_and_the_page_does_not(tmp_path, valkey_url) -> None:
    settings = Settings(data_dir=tmp_path, port=free_port(), demo_delay_ms=0, openai_api_key=None)
    store, tasks = await Store.open(None, data_dir=tmp_path), Tasks()
    core = await EmbeddedCore.open(store.database)
    front = Front(settings, store, core, apps.load(None))
    serving = config(front, host=settings.host, port=settings.port, trusted_proxies="", limits=settings)
    server = Server(serving, front.drain, lambda _: None)
    running = tasks.spawn(server.serve(), name="server")
    await until_async(lambda: server.started)
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{settings.port}", timeout=60) as client:
        page = await client.get("/", headers={"accept-language": "en"})
        assert page.status_code == 200
        assert "<html" in page.text
        assert (await client.get("/healthz")).json() == {"alive": True}
        early = await client.get("/readyz")
        assert (early.status_code, early.json()) == (503, {"ready": False, "starting": True})
        waiting = tasks.spawn(client.get("/v1/services"), name="waits")
        assert (await client.get("/static/css/tokens.css")).status_code == 200
        assert not waiting.done()
        async with open_parts(settings, store, core, front.apps, valkey_url, capacity=0) as ready:
            web = WebApplication(settings, ready, front)
            front.open(web)
            assert "submission" in (await waiting).text
            assert (await client.get("/readyz")).json()["ready"] is True
            assert (await client.get("/v1/nowhere")).json()["error"]["code"] == "not_found"
            server.should_exit = True
            await running
            await web.aclose()
    await store.aclose()


async def test_who_waits_for_a_house_that_never_opens_is_sent_away(tmp_path) -> None:
    settings = Settings(data_dir=tmp_path, port=free_port(), openai_api_key=None)
    store, tasks = await Store.open(None, data_dir=tmp_path), Tasks()
    core = await EmbeddedCore.open(store.database)
    front = Front(settings, store, core, apps.load(None))
    serving = config(front, host=settings.host, port=settings.port, trusted_proxies="", limits=settings)
    server = Server(serving, front.drain, lambda _: None)
    running = tasks.spawn(server.serve(), name="server")
    await until_async(lambda: server.started)
    url = f"127.0.0.1:{settings.port}"
    async with httpx2.AsyncClient(base_url=f"http://{url}", timeout=60) as client:
        waiting = tasks.spawn(client.get("/v1/services"), name="waits")
        socket = tasks.spawn(_refused(f"ws://{url}/ws", f"http://{url}"), name="socket")
        assert (await client.get("/")).status_code == 200
        await front.drain()
        answer = await waiting
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
        assert await socket == 503
    server.should_exit = True
    await running
    await store.aclose()


async def _refused(url: str, origin: str) -> int:
    with pytest.raises(InvalidStatus) as refused:
        await connect(url, origin=Origin(origin), proxy=None)
    return refused.value.response.status_code
