"""A whole server in the test's own loop, so that a test may write to its log directly."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from server import apps
from server.app import RunningParts, open_parts
from server.bus import EmbeddedValkey
from server.http.application import Application
from server.http.backend import WebBackend
from server.http.server import Server, config
from server.loopos.core import EmbeddedCore
from server.loopos.cores import Cores
from server.settings import Settings
from server.store import Store
from server.tasks import Tasks
from tests.integration.ws.visitor import Visitor
from tests.parts.ports import free_port
from tests.parts.postgres import copy_tables
from tests.parts.wait import until_async


@dataclass
class Address:
    """The address of the server, as a visitor needs it."""

    url: str

    @property
    def ws_url(self) -> str:
        """Return the address of its WebSocket."""
        return self.url.replace("http", "ws", 1) + "/ws"


@dataclass
class Inside:
    """A running server with its parts."""

    visitor: Visitor
    ready: RunningParts
    web: WebBackend
    server: Server
    redis_url: str
    application: Application


@asynccontextmanager
async def inside(
    folder: Path,
    *,
    redis_url: str | None = None,
    database_url: str | None = None,
    capacity: int = 0,
    delay_ms: int = 0,
    drain_s: float = 25,
    conversation_cache_mb: int = 64,
) -> AsyncIterator[Inside]:
    """Serve from this loop, with embedded parts unless they are named.

    Without a capacity runs are left alone, and the test writes what they would.
    """
    settings = Settings(
        data_dir=folder,
        port=free_port(),
        demo_delay_ms=delay_ms,
        drain_seconds=drain_s,
        conversation_cache_mb=conversation_cache_mb,
    )
    valkey, tasks = EmbeddedValkey(folder), Tasks()
    url = redis_url or valkey.start()
    try:
        if database_url is None:
            copy_tables(folder)
        store = await Store.open(database_url, data_dir=folder)
        cores = Cores(await EmbeddedCore.open(store.database, store.webhooks))
        application = Application(settings, apps.load(None))
        application.use_storage(store, cores)
        async with open_parts(settings, store, cores, application.apps, url, capacity=capacity) as ready:
            web = WebBackend(settings, application, ready.parts, ready.once, ready.end_runs)
            web.start()
            await until_async(
                lambda: not web.revocation_watch.may_be_revoked(), what="the revocations to be known"
            )
            application.open(web)
            server = Server(
                config(
                    application, host=settings.host, port=settings.port, trusted_proxies="", limits=settings
                ),
                application.drain,
                lambda _: None,
            )
            running = tasks.spawn(server.serve(), name="server")
            await until_async(lambda: server.started)
            visitor = Visitor(Address(f"http://127.0.0.1:{settings.port}"))  # type: ignore[arg-type]
            yield Inside(visitor, ready, web, server, url, application)
            await visitor.aclose()
            server.should_exit = True
            await running
            await web.aclose()
        await store.aclose()
    finally:
        await tasks.aclose()
        valkey.stop()


async def rested(here: Inside) -> None:
    """Wait until no run is executed here: what it left is kept, and what waited is told, after its end was seen."""
    await until_async(here.ready.parts.runs.worker.slots.idle.is_set, what="the server to have nothing to do")
