"""The web application in each of its states: immediate answers, waiting requests, and refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import httpx2
import pytest
from websockets import Origin
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from server import apps
from server.app import open_parts
from server.http.application import Application, State
from server.http.backend import WebBackend
from server.http.server import Server, config
from server.loopos.core import EmbeddedCore
from server.loopos.cores import Cores
from server.settings import Settings
from server.store import Store
from server.tasks import Tasks
from tests.parts.ports import free_port
from tests.parts.sampled import later
from tests.parts.wait import PATIENCE_S, until_async

BROWSER = {"accept": "text/html", "accept-language": "en"}
PATHS = ("/healthz", "/static/css/tokens.css", "/readyz", "/", "/v1/services", "socket")


@dataclass
class Web:
    """An application behind an open port, and a client of it."""

    application: Application
    settings: Settings
    store: Store
    cores: Cores
    client: httpx2.AsyncClient
    tasks: Tasks

    def use_storage(self) -> None:
        """Begin to load."""
        self.application.use_storage(self.store, self.cores)

    @asynccontextmanager
    async def opened(self, redis_url: str) -> AsyncIterator[None]:
        """Open the application with a real backend, for as long as this is entered."""
        known = self.application.apps
        async with open_parts(self.settings, self.store, self.cores, known, redis_url, capacity=0) as ready:
            backend = WebBackend(self.settings, self.application, ready.parts, ready.once, ready.end_runs)
            backend.start()
            self.application.open(backend)
            yield
            await backend.aclose()

    async def status(self, path: str) -> int:
        """Ask for a path, as a browser or with a socket; return the status of the answer."""
        if path == "socket":
            return await self._socket_status()
        return (await self.client.get(path, headers=BROWSER)).status_code

    async def _socket_status(self) -> int:
        """Return the status of the handshake: 101 when it is accepted."""
        url = f"127.0.0.1:{self.settings.port}"
        try:
            async with connect(
                f"ws://{url}/ws",
                origin=Origin(f"http://{url}"),
                subprotocols=["loopwire.v1"],
                proxy=None,
                open_timeout=PATIENCE_S,
            ):
                return 101
        except InvalidStatus as refused:
            assert "retry-after" in refused.response.headers
            return refused.response.status_code


@pytest.fixture
async def web(tmp_path) -> AsyncIterator[Web]:
    """Yield an application that starts."""
    settings = Settings(data_dir=tmp_path, port=free_port(), demo_delay_ms=0, openai_api_key=None)
    store, tasks = await Store.open(None, data_dir=tmp_path), Tasks()
    application = Application(settings, apps.load(None))
    serving = config(application, host=settings.host, port=settings.port, trusted_proxies="", limits=settings)
    server = Server(serving, application.drain, lambda _: None)
    running = tasks.spawn(server.serve(), name="server")
    await until_async(lambda: server.started)
    url = f"http://127.0.0.1:{settings.port}"
    async with httpx2.AsyncClient(base_url=url, timeout=60) as client:
        cores = Cores(await EmbeddedCore.open(store.database, store.webhooks))
        yield Web(application, settings, store, cores, client, tasks)
    server.should_exit = True
    await running
    await store.aclose()


@pytest.mark.conformance
def test_the_application_needs_neither_the_agents_nor_redis_nor_migrations() -> None:
    script = (
        "import sys, server.cli.serve\n"
        "heavy = {'agents', 'openai', 'mcp', 'redis', 'alembic', 'opentelemetry', 'langfuse'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


LEFT_BEFORE_OPEN = (200, 200, 503, 200, 503, 503)
STATES = {
    "starting": ([], State.STARTING, (200, 200, 503, 503, 503, 503)),
    "open": (["load", "open"], State.OPEN, (200, 200, 200, 200, 200, 101)),
    "left in starting": (["drain"], State.LEAVING, (200, 200, 503, 503, 503, 503)),
    "left in loading": (["load", "drain"], State.LEAVING, LEFT_BEFORE_OPEN),
    "left when open": (["load", "open", "drain"], State.LEAVING, (200, 200, 503, 200, 200, 503)),
    "a database after leaving": (["drain", "load"], State.LEAVING, (200, 200, 503, 503, 503, 503)),
    "a backend after leaving": (["load", "drain", "open"], State.LEAVING, LEFT_BEFORE_OPEN),
}
"""By what a state is reached, and the statuses of PATHS in it; while loading some wait, which is a test of its own."""


RARE = ("left in starting", "left in loading", "a database after leaving", "a backend after leaving")


@pytest.mark.parametrize("name", [later(each) if each in RARE else each for each in STATES])
async def test_each_state_answers_as_its_table_says(web, valkey_url, name) -> None:
    steps, state, statuses = STATES[name]
    async with AsyncExitStack() as stack:
        for step in steps:
            if step == "load":
                web.use_storage()
            elif step == "open":
                await stack.enter_async_context(web.opened(valkey_url))
            else:
                await web.application.drain()
        assert web.application.state is state
        assert tuple([await web.status(path) for path in PATHS]) == statuses


@pytest.mark.parametrize("path", ["/readyz", later("/healthz")])
async def test_a_post_to_a_health_route_is_answered_by_405_in_each_state(web, valkey_url, path) -> None:
    """Never a 503, with which a probe of the wrong method would wait for ever."""

    async def refused() -> bool:
        answer = await web.client.post(path)
        allowed = set(answer.headers["allow"].replace(",", " ").split())
        return (answer.status_code, allowed) == (405, {"GET", "HEAD"})

    assert await refused()
    web.use_storage()
    assert web.application.state is State.LOADING
    assert await refused()
    async with web.opened(valkey_url):
        assert await refused()


async def test_requests_to_the_backend_wait_for_it_and_the_page_does_not(web, valkey_url) -> None:
    web.use_storage()
    page = await web.client.get("/", headers=BROWSER)
    assert page.status_code == 200
    assert "<html" in page.text
    assert (await web.client.get("/healthz")).json() == {"alive": True}
    early = await web.client.get("/readyz")
    assert (early.status_code, early.json()) == (503, {"ready": False, "starting": True})
    waiting = web.tasks.spawn(web.client.get("/v1/services"), name="waits")
    socket = web.tasks.spawn(web.status("socket"), name="socket")
    assert (await web.client.get("/static/css/tokens.css")).status_code == 200
    assert not waiting.done()
    assert not socket.done()
    async with web.opened(valkey_url):
        assert "submission" in (await waiting).text
        assert await socket == 101
        assert (await web.client.get("/readyz")).json()["ready"] is True
        assert (await web.client.get("/v1/nowhere")).json()["error"]["code"] == "not_found"


async def test_a_server_that_starts_shows_a_browser_a_page_that_reloads_itself_and_a_program_an_error(
    web,
) -> None:
    page = await web.client.get("/", headers={**BROWSER, "cookie": "theme=dark; language=pt"})
    assert (page.status_code, page.headers["retry-after"]) == (503, "2")
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["vary"].startswith("Cookie, Accept, Accept-Language")
    assert '<html lang="pt-PT" data-theme="dark">' in page.text
    assert '<meta http-equiv="refresh" content="3">' in page.text
    for method, headers in (("GET", {}), ("POST", BROWSER)):
        answer = await web.client.request(method, "/", headers=headers)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
        assert answer.json()["error"]["code"] == "unavailable"
    assert (await web.client.get("/readyz")).json() == {"ready": False, "starting": True, "database": False}


async def test_waiting_requests_are_refused_when_the_backend_never_opens(web) -> None:
    web.use_storage()
    waiting = web.tasks.spawn(web.client.get("/v1/services"), name="waits")
    page = web.tasks.spawn(web.client.get("/?service=chat", headers=BROWSER), name="page")
    socket = web.tasks.spawn(web.status("socket"), name="socket")
    assert (await web.client.get("/")).status_code == 200
    await web.application.drain()
    answer = await waiting
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
    assert answer.headers["retry-after"] == "2"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert ((await page).status_code, (await page).headers["retry-after"]) == (503, "2")
    assert await socket == 503


async def test_readyz_of_a_draining_process_has_draining_and_the_health_of_its_parts(web, valkey_url) -> None:
    web.use_storage()
    async with web.opened(valkey_url):
        before = (await web.client.get("/readyz")).json()
        await web.application.drain()
        after = await web.client.get("/readyz")
        assert (before["ready"], before["draining"], before["database"]) == (True, False, True)
        assert after.status_code == 503
        assert (after.json()["ready"], after.json()["draining"], after.json()["database"]) == (
            False,
            True,
            True,
        )


WORK = {
    "/loopos_ai_decision": {"prompt": "Which?", "options": ["A", "B"], "item_context": "An item."},
    "/chat": {
        "messages": [{"role": "user", "text": "olá"}],
        "loopos_core_base_url": "https://core.example/",
        "loopos_submission_base_url": "https://submission.example/",
    },
    "/agui/chat": {
        "threadId": "t",
        "runId": "r",
        "state": {},
        "tools": [],
        "context": [],
        "forwardedProps": {},
        "messages": [{"id": "m1", "role": "user", "content": "olá"}],
    },
    "/services/decision": b"prompt=Which%3F&options=A%0AB&item_context=An+item.",
}
"""What begins work, by its path; bytes are the form of a page."""


async def test_a_process_that_leaves_takes_no_new_work_over_http(web, valkey_url) -> None:
    web.use_storage()
    async with web.opened(valkey_url):
        await web.application.drain()
        for path, body in WORK.items():
            form = isinstance(body, bytes)
            kind = "application/x-www-form-urlencoded" if form else "application/json"
            content = body if form else json.dumps(body)
            headers = {"content-type": kind, "origin": str(web.client.base_url)}
            answer = await web.client.post(path, content=content, headers=headers)
            assert answer.status_code == 503, path
            if not form:
                assert int(answer.headers["retry-after"]) > 0, path
                told = answer.json()
                assert (told["code"] if path == "/chat" else told["error"]["code"]) == "unavailable"
