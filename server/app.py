"""The composition root: it alone chooses parts, opens them in order, and closes them in reverse."""

import gc
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.routing import BaseRoute

from server import __version__, apps
from server.agents.demo.model import DemoModel
from server.agents.model import provider
from server.agents.runner import AgentRunner
from server.api import health, sessions, tickets
from server.api import services as service_routes
from server.api.failures import HANDLERS
from server.api.parts import Parts
from server.api.shield import MOST_BODY, Asgi, Shield
from server.auth import Origins, ResumeTokens, Tickets, Visitors, is_loopback
from server.bus import Bus
from server.bus.once import OnceStore
from server.pages import Pages, assets
from server.protocol.ids import new_id
from server.render import Renderer
from server.runs import Runs
from server.runs.points import Point, nowhere
from server.services import services
from server.settings import Settings
from server.store import Store
from server.tasks import Tasks
from server.tracing import tracer
from server.ws.endpoint import Endpoint
from server.ws.intake import Intake
from server.ws.rooms import Rooms

ROOT = Path(__file__).parents[1]

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Opened:
    """The parts that run, with or without a web server in front of them."""

    parts: Parts
    once: OnceStore
    drain_s: float

    async def end_runs(self) -> None:
        """Claim no more, let what runs end in time, and give the rest to others."""
        await self.parts.runs.aclose(drain_s=self.drain_s)

    async def abandon_runs(self) -> None:
        """Give to others what still runs; nothing does after `end_runs`."""
        await self.parts.runs.aclose(drain_s=0)


@asynccontextmanager
async def opened(
    settings: Settings, redis_url: str, *, capacity: int, point: Point = nowhere
) -> AsyncIterator[Opened]:
    """Open everything behind the doors; `capacity` runs are executed here at once, 0 leaves them to workers."""
    async with AsyncExitStack() as stack:
        traces = tracer(settings)
        stack.push_async_callback(traces.aclose)
        store = await Store.open(settings.database_url, data_dir=settings.data_dir)
        stack.push_async_callback(store.aclose)
        bus = Bus(redis_url, flush_ms=settings.flush_ms)
        stack.push_async_callback(bus.aclose)
        await bus.start()
        once = OnceStore(redis_url)
        stack.push_async_callback(once.aclose)
        known = services()
        models = provider(
            settings,
            DemoModel(settings.demo_delay_ms / 1000),
            read_timeout_s=settings.model_silence_seconds,
        )
        closing: Callable[[], Awaitable[None]] | None = getattr(models, "aclose", None)
        if closing is not None:
            stack.push_async_callback(closing)
        runner = AgentRunner(models, known, core=store.core, conversations=store.sessions, tracer=traces)
        runs = Runs(
            store=store,
            bus=bus,
            runner=runner,
            services=known,
            owner=new_id("own"),
            lease_s=settings.lease_seconds,
            point=point,
        )
        parts = Parts(
            store=store,
            bus=bus,
            runs=runs,
            services=known,
            tickets=Tickets(once),
            apps=apps.load(settings.apps),
            demo=settings.demo,
            language=settings.language,
        )
        ready = Opened(parts, once, settings.drain_seconds)
        stack.push_async_callback(ready.abandon_runs)
        await runs.start(capacity=capacity)
        yield ready


class Web:
    """The ASGI application: sockets go to their endpoint, the rest through the shield to the routes."""

    def __init__(self, settings: Settings, ready: Opened) -> None:
        """Assemble; nothing is opened here."""
        parts = ready.parts
        origins = Origins(settings.allowed_origins, loopback=is_loopback(settings.host))
        self._ready = ready
        drawing = Renderer(ROOT / "web", parts.services)
        self._rooms = Rooms(
            bus=parts.bus, runs=parts.runs, drawing=drawing, most_sockets=settings.sockets_per_session
        )
        self._pages = Pages(
            store=parts.store,
            renderer=drawing,
            snapshot=parts.runs.snapshot,
            language_of=parts.language_of,
            app=apps.DEMO,
            service=parts.service(None),
            demo=settings.demo,
            secure=settings.secure_cookies,
            version=__version__,
        )
        self._endpoint = Endpoint(
            store=parts.store,
            rooms=self._rooms,
            intake=Intake(store=parts.store, bus=parts.bus, runs=parts.runs),
            tickets=parts.tickets,
            tokens=ResumeTokens(settings.secret),
            origins=origins,
            demo=settings.demo,
        )
        failures = {**HANDLERS, Exception: self._pages.unexpected(HANDLERS[Exception])}
        routes = Starlette(routes=self._routes(parts), exception_handlers=failures, max_body_size=MOST_BODY)
        self._http: Asgi = Shield(
            routes,
            origins=origins,
            visitors=Visitors(settings.secret),
            secure_cookies=settings.secure_cookies,
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request or one socket."""
        if scope["type"] == "websocket":
            if scope["path"] == "/ws":
                await self._endpoint(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1000})
            return
        await self._http(scope, receive, send)

    async def drain(self) -> None:
        """Refuse newcomers, send everybody away, and let what runs come to its end."""
        self._endpoint.draining = True
        tasks = Tasks()
        ending = tasks.spawn(self._ready.end_runs(), name="drain runs")
        await self._rooms.drain()
        await ending

    async def aclose(self) -> None:
        """Close what is left of the rooms."""
        await self._rooms.aclose()

    def _routes(self, parts: Parts) -> list[BaseRoute]:
        return [
            *health.routes(parts, lambda: self._endpoint.draining),
            *tickets.routes(parts),
            *sessions.routes(parts),
            *service_routes.routes(parts),
            *assets(ROOT),
            *self._pages.routes(),
        ]


def settle() -> None:
    """After start-up nothing of it is garbage: keep the collector from looking at it again and again."""
    gc.collect()
    gc.freeze()
