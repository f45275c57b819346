"""The composition root: it alone chooses parts, opens them in order, and closes them in reverse."""

import asyncio
import gc
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from server.agents.context import ChosenForRun, ToolRules
from server.agents.model.providers import Provider, provider
from server.agents.run.runner import AgentRunner
from server.agents.service import Service
from server.agents.tools.search_server import SearchServer
from server.agents.tools.web_search import WebSearch
from server.apps import App
from server.auth import Tickets
from server.bus import Bus, EmbeddedValkey
from server.bus.one_time_values import RedisOneTimeValues
from server.bus.shared_counts import SharedCounts
from server.callbacks import CallbackSender, EventSender, Guard, PushAccess, PushSender, Secrets, Sender
from server.demo.model import DemoModel
from server.endpoints.dependencies import Dependencies
from server.garbage_collection import Collector
from server.http.application import Application
from server.http.backend import WebBackend
from server.limits import Limits
from server.loopos.core import Core
from server.loopos.cores import Cores
from server.loopos.pictures import Pictures
from server.loopos.shown_texts import shown_texts
from server.mcp import McpConnections
from server.metrics import served_metrics
from server.patterns import compile_next
from server.prices import Prices
from server.prices import load as load_prices
from server.protocol.ids import new_id
from server.runs import RunCommands
from server.runs.conversation.snapshots import Snapshots
from server.runs.crash_points import Point, pass_on
from server.runs.session_queue import SessionQueue
from server.runs.worker import Worker
from server.services import require_known, services
from server.settings import Settings
from server.store import Budget, Store
from server.tasks import Tasks
from server.tracing import Tracer, tracer


@dataclass(frozen=True)
class RunningParts:
    """The parts that run, with or without a web server in front of them."""

    parts: Dependencies
    once: RedisOneTimeValues
    drain_s: float

    async def end_runs(self) -> None:
        """Claim no more, let what runs end in time, and give the rest to others."""
        await self.parts.runs.worker.aclose(drain_s=self.drain_s)

    async def abandon_runs(self) -> None:
        """Give to others what still runs; nothing does after `end_runs`."""
        await self.parts.runs.worker.aclose(drain_s=0)


@asynccontextmanager
async def live(settings: Settings) -> AsyncIterator[tuple[str, str | None]]:
    """Yield the URL of Redis, and a note on its in-process replacement; start the embedded one when none is named."""
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
    cores: Cores,
    apps: Mapping[str, App],
    redis_url: str,
    *,
    capacity: int,
    point: Point = pass_on,
) -> AsyncIterator[RunningParts]:
    """Open everything behind the endpoints; `capacity` runs are executed here at once, 0 leaves them to workers."""
    known, prices = _services(settings, apps), load_prices(settings.prices)
    async with AsyncExitStack() as stack:
        traces = tracer(settings)
        stack.push_async_callback(traces.aclose)
        bus = Bus(redis_url, flush_ms=settings.flush_ms)
        stack.push_async_callback(bus.aclose)
        await bus.start()
        _start_collector(bus, stack)
        once, counts = _open_counts(redis_url, stack)
        models, remote = _models(settings, stack), _remote_tools(apps, settings, stack, connect=capacity > 0)
        runner = _runner(models, known, store, cores, apps, _search(settings, stack), remote, prices, traces)
        owner = new_id("own")
        guard = Guard(settings.callback_hosts, limits=settings)
        secrets = Secrets(apps, settings.secret)
        sender, events = _senders(settings, store, secrets, owner, stack)
        push, pusher = _push(settings, store, bus, secrets, owner, stack)
        runs = _runs(settings, store, bus, runner, known, apps, owner, point, sender.wake)
        parts = Dependencies(
            store=store,
            cores=cores,
            bus=bus,
            counts=counts,
            runs=runs,
            services=known,
            tickets=Tickets(once),
            apps=apps,
            demo=settings.demo,
            open_requests=settings.open_requests,
            language=settings.language,
            guard=guard,
            limits=settings,
            tracer=traces,
            push=push,
        )
        ready = RunningParts(parts, once, settings.drain_seconds)
        stack.push_async_callback(ready.abandon_runs)
        stack.enter_context(served_metrics(settings.metrics_host, settings.metrics_port, store.backlog.read))
        runs.worker.start(capacity)
        if capacity:
            _start_compiling(stack)
            sender.start()
            if store.webhooks.has_receivers:
                events.start()
            if pusher is not None:
                pusher.start()
        yield ready


def _senders(
    settings: Settings, store: Store, secrets: Secrets, owner: str, stack: AsyncExitStack
) -> tuple[Sender, Sender]:
    """Return the sender of callbacks and that of events: neither waits for receivers, or names, of the other."""
    senders = (
        CallbackSender(
            store.callbacks, secrets, Guard(settings.callback_hosts), owner=owner, demo=settings.demo
        ),
        EventSender(store.webhooks, secrets, Guard(settings.callback_hosts), owner=owner),
    )
    for each in senders:
        stack.push_async_callback(each.aclose)
    return senders


def _push(
    settings: Settings, store: Store, bus: Bus, secrets: Secrets, owner: str, stack: AsyncExitStack
) -> tuple[PushAccess | None, PushSender | None]:
    """Return what subscribes browsers, and the sender of pushes; nothing where no contact is named."""
    if settings.push_contact is None:
        return None, None
    pusher = PushSender(
        store.pushes,
        secrets,
        Guard(settings.push_hosts),
        owner=owner,
        contact=settings.push_contact,
        is_here=bus.presence.is_here,
    )
    stack.push_async_callback(pusher.aclose)
    guard = Guard(settings.push_hosts, limits=settings)
    return PushAccess.of(secrets, guard), pusher


def _start_collector(bus: Bus, stack: AsyncExitStack) -> None:
    collector = Collector(bus)
    stack.push_async_callback(collector.aclose)
    collector.start()


def _start_compiling(stack: AsyncExitStack) -> None:
    tasks = Tasks()
    stack.push_async_callback(tasks.aclose)
    tasks.spawn(_compile_patterns(), name="compile the patterns")


async def _compile_patterns() -> None:
    while await asyncio.to_thread(compile_next):
        pass


def _open_counts(redis_url: str, stack: AsyncExitStack) -> tuple[RedisOneTimeValues, SharedCounts]:
    once, counts = RedisOneTimeValues(redis_url), SharedCounts(redis_url)
    stack.push_async_callback(once.aclose)
    stack.push_async_callback(counts.aclose)
    return once, counts


def _snapshots(settings: Settings, store: Store, bus: Bus) -> Snapshots:
    """Return the current conversations: kept in Redis too where other processes may need them."""
    kept_bytes, shared = settings.conversation_cache_mb << 20, settings.redis_url is not None
    return Snapshots(store, bus, most_bytes=kept_bytes, shared=shared)


def _runs(
    settings: Settings,
    store: Store,
    bus: Bus,
    runner: AgentRunner,
    known: Mapping[str, Service],
    apps: Mapping[str, App],
    owner: str,
    point: Point,
    on_end: Callable[[], None],
) -> RunCommands:
    snapshots, queue = _snapshots(settings, store, bus), SessionQueue(store, bus)
    worker = Worker(
        store=store,
        bus=bus,
        runner=runner,
        services=known,
        owner=owner,
        lease_s=settings.lease_seconds,
        snapshots=snapshots,
        queue=queue,
        point=point,
        on_end=on_end,
    )
    return RunCommands(
        store=store,
        bus=bus,
        runner=runner,
        services=known,
        worker=worker,
        snapshots=snapshots,
        queue=queue,
        point=point,
        budgets={name: _budget(app) for name, app in apps.items()},
        limits=settings,
    )


def _runner(
    models: Provider,
    known: Mapping[str, Service],
    store: Store,
    cores: Cores,
    apps: Mapping[str, App],
    search: WebSearch,
    remote: McpConnections,
    prices: Prices,
    traces: Tracer,
) -> AgentRunner:
    return AgentRunner(
        models,
        known,
        conversations=store.sessions,
        resources={
            Core: ChosenForRun(lambda run: cores.of_session(run.app, run.session_context)),
            Pictures: store.blobs,
        },
        rules={
            name: ToolRules(frozenset(app.approvals), frozenset(app.tool_scopes))
            for name, app in apps.items()
        },
        search=search,
        remote=remote,
        prices=prices,
        tracer=traces,
    )


def _services(settings: Settings, apps: Mapping[str, App]) -> Mapping[str, Service]:
    known = services()
    require_known(apps, known, model_search=settings.model_search)
    return known


def _search(settings: Settings, stack: AsyncExitStack) -> WebSearch:
    if settings.search_url is None:
        return WebSearch(by_model=settings.model_search)
    server = SearchServer(settings.search_url)
    stack.push_async_callback(server.aclose)
    return WebSearch(server)


def _remote_tools(
    apps: Mapping[str, App], limits: Limits, stack: AsyncExitStack, *, connect: bool
) -> McpConnections:
    """Return the MCP servers of the apps; only processes that execute runs connect to them."""
    remote = McpConnections(apps, limits)
    stack.push_async_callback(remote.aclose)
    if connect:
        remote.start()
    return remote


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


@asynccontextmanager
async def open_backend(
    settings: Settings,
    application: Application,
    store: Store,
    cores: Cores,
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
                cores,
                application.apps,
                redis_url,
                capacity=capacity,
                point=point or pass_on,
            )
        )
        application.renderer.know_texts(shown_texts())
        backend = WebBackend(settings, application, ready.parts, ready.once, ready.end_runs)
        stack.push_async_callback(backend.aclose)
        settle()
        backend.start()
        application.open(backend)
        yield notice


SWITCH_S = 0.001
"""Seconds that the event loop waits for a computing thread of the database; Python's own 5 ms delay each token."""


def settle() -> None:
    """Keep the collector from examining what start-up made: none of it is garbage.

    Threads take shorter turns from here on, so that streams are not late.
    """
    gc.collect()
    gc.freeze()
    gc.enable()
    sys.setswitchinterval(SWITCH_S)
