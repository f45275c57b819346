"""The composition root: it alone chooses parts, opens them in order, and closes them in reverse."""

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.routing import BaseRoute

from server.agents.model.providers import Provider, provider
from server.agents.run.runner import AgentRunner
from server.agents.service import Service
from server.agui.endpoint import Agui
from server.agui.newcomers import Newcomers
from server.agui.request import RequestResolver
from server.api import blobs, commands, sessions, stream, tickets, visitor
from server.api import services as service_routes
from server.api.health import Health
from server.apps import App
from server.asgi import Asgi, Receive, Scope, Send
from server.auth import ResumeTokens, Tickets
from server.bus import Bus, EmbeddedValkey
from server.bus.one_time_values import OnceStore
from server.callbacks import Guard, Secrets, Sender
from server.collector import Collector
from server.demo.model import DemoModel
from server.http.application import Application
from server.http.failures import HANDLERS
from server.loopos.core import Core
from server.protocol.ids import new_id
from server.requests.dependencies import Dependencies
from server.rooms.admission import Admission
from server.rooms.backlog_watch import BacklogWatch
from server.rooms.intake import Intake
from server.rooms.revocation_watch import End, RevocationWatch
from server.rooms.rooms import Rooms
from server.runs import Runs
from server.runs.points import Point, nowhere
from server.runs.snapshots import ConversationSnapshot, Snapshots
from server.services import require_known, services
from server.settings import Settings
from server.store import Budget, Store
from server.tasks import Tasks
from server.tracing import Tracer, tracer
from server.ws.endpoint import Endpoint


@dataclass(frozen=True)
class RunningParts:
    """The parts that run, with or without a web server in front of them."""

    parts: Dependencies
    once: OnceStore
    drain_s: float

    async def end_runs(self) -> None:
        """Claim no more, let what runs end in time, and give the rest to others."""
        await self.parts.runs.aclose(drain_s=self.drain_s)

    async def abandon_runs(self) -> None:
        """Give to others what still runs; nothing does after `end_runs`."""
        await self.parts.runs.aclose(drain_s=0)


@asynccontextmanager
async def live(settings: Settings) -> AsyncIterator[tuple[str, str | None]]:
    """Give the URL of Redis, and the sentence that its stand-in wants said; start ours when none is named."""
    if settings.redis_url is not None:
        yield settings.redis_url, None
        return
    embedded = EmbeddedValkey(settings.data_dir)
    url = await asyncio.to_thread(embedded.start)
    try:
        yield url, embedded.notice
    finally:
        await asyncio.to_thread(embedded.stop)


@asynccontextmanager
async def open_parts(
    settings: Settings,
    store: Store,
    core: Core,
    apps: Mapping[str, App],
    redis_url: str,
    *,
    capacity: int,
    point: Point = nowhere,
) -> AsyncIterator[RunningParts]:
    """Open everything behind the endpoints; `capacity` runs are executed here at once, 0 leaves them to workers."""
    known = _services(apps)
    async with AsyncExitStack() as stack:
        traces = tracer(settings)
        stack.push_async_callback(traces.aclose)
        bus = Bus(redis_url, flush_ms=settings.flush_ms)
        stack.push_async_callback(bus.aclose)
        await bus.start()
        collector = Collector(bus)
        stack.push_async_callback(collector.aclose)
        collector.start()
        once = OnceStore(redis_url)
        stack.push_async_callback(once.aclose)
        models = _models(settings, stack)
        runner = _runner(models, known, store, core, apps, traces)
        owner, guard = new_id("own"), Guard(settings.callback_hosts)
        sender = Sender(store.callbacks, Secrets(apps, settings.secret), guard, owner=owner)
        stack.push_async_callback(sender.aclose)
        runs = Runs(
            store=store,
            bus=bus,
            runner=runner,
            services=known,
            owner=owner,
            lease_s=settings.lease_seconds,
            point=point,
            budgets={name: _budget(app) for name, app in apps.items()},
            ended=sender.ring,
            snapshots=_snapshots(settings, store, bus),
        )
        parts = Dependencies(
            store=store,
            core=core,
            bus=bus,
            runs=runs,
            services=known,
            tickets=Tickets(once),
            apps=apps,
            demo=settings.demo,
            language=settings.language,
            guard=guard,
            limits=settings,
        )
        ready = RunningParts(parts, once, settings.drain_seconds)
        stack.push_async_callback(ready.abandon_runs)
        await runs.start(capacity=capacity)
        if capacity:
            sender.start()
        yield ready


def _snapshots(settings: Settings, store: Store, bus: Bus) -> Snapshots:
    """Conversations as they stand: kept in Redis too where other processes may need them."""
    kept_bytes, shared = settings.conversation_cache_mb << 20, settings.redis_url is not None
    return Snapshots(store, bus, most_bytes=kept_bytes, shared=shared)


def _runner(
    models: Provider,
    known: Mapping[str, Service],
    store: Store,
    core: Core,
    apps: Mapping[str, App],
    traces: Tracer,
) -> AgentRunner:
    return AgentRunner(
        models,
        known,
        conversations=store.sessions,
        resources={Core: core},
        approvals={name: frozenset(app.approvals) for name, app in apps.items()},
        tracer=traces,
    )


def _services(apps: Mapping[str, App]) -> Mapping[str, Service]:
    known = services()
    require_known(apps, known)
    return known


def _models(settings: Settings, stack: AsyncExitStack) -> Provider:
    models = provider(
        settings,
        DemoModel(settings.demo_delay_ms / 1000),
        read_timeout_s=settings.model_silence_seconds,
    )
    closing: Callable[[], Awaitable[None]] | None = getattr(models, "aclose", None)
    if closing is not None:
        stack.push_async_callback(closing)
    return models


def _budget(app: App) -> Budget:
    return Budget(app.session_tokens_per_day, app.visitor_tokens_per_day, app.tokens_per_day)


class WebBackend:
    """The backend of the web application: the API and the sockets, over the running parts."""

    def __init__(self, settings: Settings, ready: RunningParts, application: Application) -> None:
        parts = ready.parts
        self._ready = ready
        application.renderer.know(parts.services)
        self.rooms = Rooms(
            bus=parts.bus,
            runs=parts.runs,
            drawing=application.renderer,
            most_sockets=settings.sockets_per_session,
        )
        tokens = ResumeTokens(settings.secret)
        ends: list[End] = [self.rooms.end]
        self.revocation_watch = RevocationWatch(ends, parts.store.revocations, parts.bus)
        self._admission = Admission(
            store=parts.store,
            idle_proof=parts.bus.idle_proof,
            rooms=self.rooms,
            tickets=parts.tickets,
            tokens=tokens,
            suspects=self.revocation_watch.suspects,
            demo=settings.demo,
            limits=settings,
        )
        self._intake = Intake(store=parts.store, bus=parts.bus, runs=parts.runs, limits=settings)
        self._origins = application.origins
        self._endpoint = Endpoint(admission=self._admission, intake=self._intake, origins=self._origins)
        newcomers = Newcomers(ready.once, parts.store)
        self.agui = Agui(
            RequestResolver(
                parts, self._admission, self._intake, self._origins, tokens, newcomers, settings.public_url
            ),
            most_of_session=settings.sockets_per_session,
        )
        ends.append(self.agui.end)
        self.backlog_watch = BacklogWatch(self.rooms, parts.runs)
        own = settings.database_url is None or settings.redis_url is None
        self._health = Health(parts, settings.data_dir if own else None)
        self._api: Asgi = Starlette(routes=self._routes(parts), exception_handlers=HANDLERS)

    async def serve_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request of the API."""
        await self._api(scope, receive, send)

    async def serve_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a socket; there is one address for them."""
        if scope["path"] == "/ws":
            await self._endpoint(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    def start(self) -> None:
        """Begin to look after who is here."""
        self.revocation_watch.start()
        self.backlog_watch.start()

    async def snapshot(self, session_id: str) -> ConversationSnapshot:
        """Give a conversation at one position of its log."""
        return await self._ready.parts.runs.snapshot(session_id)

    async def health(self) -> dict[str, Any]:
        """Return the state of each part."""
        return await self._health.report()

    async def drain(self) -> None:
        """Refuse new sockets, send all clients away, and let what runs come to its end."""
        self._admission.draining = True
        tasks = Tasks()
        ending = tasks.spawn(self._ready.end_runs(), name="drain runs")
        await self.rooms.drain()
        await ending
        self.agui.leave()

    async def aclose(self) -> None:
        """Close what is left of the rooms."""
        await self.backlog_watch.aclose()
        await self.revocation_watch.aclose()
        await self.rooms.aclose()

    def _routes(self, parts: Dependencies) -> list[BaseRoute]:
        return [
            *tickets.routes(parts, self._origins),
            *visitor.routes(parts),
            *sessions.routes(parts, self._admission, self._origins),
            *blobs.routes(parts, self._admission, self._origins),
            *stream.routes(self._admission, self._origins),
            *commands.routes(self._admission, self._intake, self._origins),
            *self.agui.routes(),
            *service_routes.routes(parts),
        ]


@asynccontextmanager
async def open_backend(
    settings: Settings,
    application: Application,
    store: Store,
    core: Core,
    *,
    capacity: int,
    point: Point | None,
) -> AsyncIterator[str | None]:
    """Open the backend of the web application; gives what the operator should know about its Redis."""
    async with AsyncExitStack() as stack:
        redis_url, notice = await stack.enter_async_context(live(settings))
        ready = await stack.enter_async_context(
            open_parts(
                settings,
                store,
                core,
                application.apps,
                redis_url,
                capacity=capacity,
                point=point or nowhere,
            )
        )
        backend = WebBackend(settings, ready, application)
        stack.push_async_callback(backend.aclose)
        settle()
        backend.start()
        application.open(backend)
        yield notice


def settle() -> None:
    """After start-up nothing of it is garbage: keep the collector from looking at it again and again."""
    gc.collect()
    gc.freeze()
    gc.enable()
