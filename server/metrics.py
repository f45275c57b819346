"""Counters, histograms and gauges of this process, in the format of Prometheus, and the port that serves them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import TimeoutError as TooLate
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from server import patterns
from server.errors import CannotStart, Unavailable
from server.prices import NANO

REGISTRY = CollectorRegistry()
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)
DATABASE_S = 2.0
"""Seconds that a scrape waits for the database; then `loopwire_database_up` is 0, and its gauges are missing."""
PORT_END_S = 2.0
"""Seconds that the end of the process waits for the thread of the port."""

REQUESTS = Counter(
    "loopwire_requests", "Requests over HTTP.", ("route", "method", "status"), registry=REGISTRY
)
REQUEST_SECONDS = Histogram(
    "loopwire_request_seconds",
    "Seconds from a request's head to the end of its answer; a stream ends with its reader.",
    ("route",),
    buckets=_SECONDS,
    registry=REGISTRY,
)
RUNS = Counter("loopwire_runs", "Runs that ended here.", ("service", "outcome", "code"), registry=REGISTRY)
RUN_SECONDS = Histogram(
    "loopwire_run_seconds",
    "Seconds from a run's last claim to its end.",
    ("service",),
    buckets=_SECONDS,
    registry=REGISTRY,
)
TOKENS = Counter(
    "loopwire_tokens",
    "Tokens of runs that ended here: input, output, cached_input, reasoning, and those that are estimated.",
    ("service", "model", "class"),
    registry=REGISTRY,
)
COST = Counter(
    "loopwire_cost",
    "What runs cost that ended here and whose model has a price, in units of the currency.",
    ("service", "model", "currency"),
    registry=REGISTRY,
)
UNPRICED_RUNS = Counter(
    "loopwire_unpriced_runs",
    "Runs that ended here and whose cost is unknown, because their model has no price or told no tokens.",
    ("service", "model"),
    registry=REGISTRY,
)
CALLBACKS = Counter(
    "loopwire_callbacks", "Posts of callbacks, by their result.", ("result",), registry=REGISTRY
)
WEBHOOKS = Counter("loopwire_webhooks", "Posts of events, by their result.", ("result",), registry=REGISTRY)
PUSHES = Counter("loopwire_pushes", "Pushes to browsers, by their result.", ("result",), registry=REGISTRY)
WEBHOOKS_LOST = Counter(
    "loopwire_webhooks_lost",
    "Events that were not kept, since too many wait for the receiver.",
    registry=REGISTRY,
)
CORE_CALLS = Counter(
    "loopwire_core_calls",
    "Calls of LoopOS Cores over HTTP, by their result.",
    ("address", "result"),
    registry=REGISTRY,
)
CORE_OPEN = Gauge(
    "loopwire_core_circuit_open",
    "1 while this process does not call a LoopOS Core because it failed.",
    ("address",),
    registry=REGISTRY,
)
SOCKETS = Gauge("loopwire_sockets", "Sockets and streams that are open here.", registry=REGISTRY)
MERGED_EVENTS = Counter(
    "loopwire_merged_events",
    "Events that became part of a frame which waited for a slow reader.",
    registry=REGISTRY,
)
DROPPED_FRAMES = Counter(
    "loopwire_dropped_frames",
    "Frames that waited for a slow reader and were dropped: it was closed, or a newer snapshot replaced them.",
    registry=REGISTRY,
)
CLOSED_READERS = Counter(
    "loopwire_closed_readers",
    "Sockets and streams that this process closed, by the reason in their close frame, and sockets that it aborted.",
    ("reason",),
    registry=REGISTRY,
)
SLOW, STALLED, SILENT = "slow", "stalled", "silent"
"""Reasons: the reader was too far behind, took nothing for too long, answered no ping. The last two get no frame."""

for _reason in (SLOW, STALLED, SILENT):
    CLOSED_READERS.labels(_reason)  # A series that begins at 0 shows its first increase.

_CLASSES = {
    "inputTokens": "input",
    "outputTokens": "output",
    "cachedInputTokens": "cached_input",
    "reasoningTokens": "reasoning",
    "estimatedTokens": "estimated",
}
_ROUTES = (
    "/",
    "/agui/{name}",
    "/agui/{name}/cancel",
    "/chat",
    "/demo",
    "/docs",
    "/docs/socket",
    "/docs/{name}",
    "/embed/{name}",
    "/health",
    "/healthz",
    "/inbox",
    "/inbox/audit",
    "/inbox/events",
    "/inbox/s/{name}",
    "/inbox/s/{name}/blobs/{name}",
    "/inbox/s/{name}/join",
    "/inbox/s/{name}/leave",
    "/inbox/s/{name}/messages",
    "/inbox/s/{name}/older",
    "/inbox/s/{name}/typing",
    "/inbox/sign-in",
    "/inbox/sign-out",
    "/items/{name}",
    "/loopos_ai_{name}",
    "/manifest.webmanifest",
    "/offline",
    "/openapi.json",
    "/preferences",
    "/readyz",
    "/s/{name}",
    "/s/{name}/export",
    "/s/{name}/older",
    "/service-worker.js",
    "/services",
    "/services/{name}",
    "/sessions",
    "/static/{name}",
    "/v1/identify",
    "/v1/identities/revoke",
    "/v1/items/{name}",
    "/v1/jobs/{name}",
    "/v1/models",
    "/v1/models/{name}",
    "/v1/operator/sessions",
    "/v1/push",
    "/v1/responses",
    "/v1/responses/{name}",
    "/v1/responses/{name}/cancel",
    "/v1/services",
    "/v1/sessions",
    "/v1/sessions/{name}",
    "/v1/sessions/{name}/blobs/{name}",
    "/v1/sessions/{name}/commands",
    "/v1/sessions/{name}/events",
    "/v1/sessions/{name}/files",
    "/v1/sessions/{name}/log",
    "/v1/sessions/{name}/messages",
    "/v1/sessions/{name}/operator",
    "/v1/tickets",
    "/v1/visitor",
    "/widget-mcp-app.js",
    "/widget-page.js",
    "/widget.js",
    "/widget@{name}.js",
)
_METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
_SHAPES = {
    route: patterns.compile(
        patterns.escape(route).replace(r"\{name\}", ".+" if route.startswith("/static") else "[^/]+")
    )
    for route in _ROUTES
    if "{" in route
}
_WHOLE = frozenset(_ROUTES) - _SHAPES.keys()

Gauges = Callable[[], Awaitable[Mapping[str, float]]]


def count_request(path: str, method: str, status: int, seconds: float) -> None:
    """Count a request that was answered."""
    route = route_of(path)
    REQUESTS.labels(route, method if method in _METHODS else "other", status).inc()
    REQUEST_SECONDS.labels(route).observe(seconds)


def route_of(path: str) -> str:
    """Return the route of a path: any client chooses paths, and each label is kept for the life of the process."""
    if path in _WHOLE:
        return path
    return next((route for route, shape in _SHAPES.items() if shape.fullmatch(path)), "other")


def count_run(
    service: str, outcome: str, code: str | None, seconds: float, tokens: Mapping[str, object]
) -> None:
    """Count a run whose end was committed."""
    RUNS.labels(service, outcome, code or "").inc()
    RUN_SECONDS.labels(service).observe(seconds)
    model = tokens.get("model")
    if not isinstance(model, str):
        return
    for name, class_ in _CLASSES.items():
        count = tokens.get(name)
        if isinstance(count, int) and count > 0:
            TOKENS.labels(service, model, class_).inc(count)
    cost = tokens.get("costNano")
    if isinstance(cost, int):
        COST.labels(service, model, tokens.get("currency", "")).inc(cost / NANO)
    else:
        UNPRICED_RUNS.labels(service, model).inc()


class _DatabaseGauges(Collector):
    """Asks the event loop for the numbers of the database, from the thread of a scrape."""

    def __init__(self, loop: asyncio.AbstractEventLoop, read: Gauges) -> None:
        self._loop = loop
        self._read = read

    def describe(self) -> list[Metric]:
        """Describe nothing before: a scrape tells what there is."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Yield a gauge for each value."""

        async def read() -> Mapping[str, float]:
            return await self._read()

        asking = asyncio.run_coroutine_threadsafe(read(), self._loop)
        values: Mapping[str, float] = {}
        try:
            values = asking.result(DATABASE_S)
        except (TooLate, Unavailable):
            asking.cancel()
        yield GaugeMetricFamily(
            "loopwire_database_up", "Whether the database answered.", 1.0 if values else 0.0
        )
        for name, value in values.items():
            yield GaugeMetricFamily(name, "Read from the database by each process.", value)


@contextmanager
def served_metrics(host: str, port: int | None, read: Gauges) -> Iterator[None]:
    """Serve `/metrics` on a port of its own, from a thread; without a port nothing is served. Raises CannotStart."""
    if port is None:
        yield
        return
    database = _DatabaseGauges(asyncio.get_running_loop(), read)
    REGISTRY.register(database)
    try:
        try:
            server, thread = start_http_server(port, addr=host, registry=REGISTRY)
        except OSError as error:
            raise CannotStart(
                f"Port {port} of {host} cannot be opened. Stop who has it, or set LOOPWIRE_METRICS_PORT."
            ) from error
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
            thread.join(PORT_END_S)
    finally:
        REGISTRY.unregister(database)
