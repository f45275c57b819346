"""Traces by OpenTelemetry: to Langfuse through its own client, or to any collector by OTLP over HTTP.

The provider is ours alone, never the process's: no other library's spans come in, ours go nowhere else. Spans
wait in a bounded queue, where the oldest are dropped; a background thread masks and sends them.
"""

import asyncio
import hashlib
import hmac
import json
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from datetime import UTC, datetime

from langfuse import Langfuse
from langfuse.types import MaskOtelSpansParams, MaskOtelSpansResult, OtelSpanPatch
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)
from opentelemetry.util.types import AttributeValue
from pydantic import BaseModel

from server.settings import Settings
from server.tasks import happens_within
from server.tracing import About, Fact, Kind, Level, Observation, Thumb, Usage
from server.tracing.masking import cut, mask, mask_attributes
from server.tracing.scores import ScoreQueue, thumb_score
from server.tracing.trace_context import TraceContext

FLUSH_S = 5.0
"""Seconds for which a leaving server tries to deliver its last traces."""

SEND_S = 5
"""Seconds for which the background thread tries to deliver one batch."""

_LINE_S = 60.0
_OPERATIONS = {"agent": "invoke_agent", "model": "chat", "tool": "execute_tool"}
_TYPES = {"agent": "agent", "model": "generation", "tool": "tool", "handoff": "span"}
_NAMES = {"agent": "gen_ai.agent.name", "model": "gen_ai.request.model", "tool": "gen_ai.tool.name"}

log = logging.getLogger(__name__)


class TracedSpan:
    """A span with the attributes that its whole trace has."""

    def __init__(self, traces: "Traces", span: Span, shared: Mapping[str, AttributeValue]) -> None:
        self._traces = traces
        self._span = span
        self._shared = shared

    def child(self, kind: Kind, name: str) -> Observation:
        """Begin a part of this one."""
        attributes = {**self._shared, "langfuse.observation.type": _TYPES[kind]}
        if kind in _OPERATIONS:
            attributes |= {"gen_ai.operation.name": _OPERATIONS[kind], _NAMES[kind]: name}
        context = set_span_in_context(self._span, Context())
        return TracedSpan(self._traces, self._traces.start(name, context, attributes), self._shared)

    def note(self, facts: Mapping[str, Fact]) -> None:
        """Keep facts."""
        self._span.set_attributes(facts)

    def note_content(self, *, input: object = None, output: object = None) -> None:
        """Keep the content, if the operator wants content."""
        if not self._traces.wants_content:
            return
        for name, value in (("input", input), ("output", output)):
            if value is not None:
                self._span.set_attribute(f"langfuse.observation.{name}", cut(_text(value)))

    def note_answer(self, usage: Usage, *, began_ns: int | None) -> None:
        """Keep tokens; Langfuse wants parts that add up, so what was cached is not in its input."""
        self.note({"gen_ai.usage.input_tokens": usage.input, "gen_ai.usage.output_tokens": usage.output})
        details = {
            "input": usage.input - usage.cached,
            "input_cached_tokens": usage.cached,
            "output": usage.output - usage.reasoning,
            "output_reasoning_tokens": usage.reasoning,
            "total": usage.total,
        }
        known = {name: count for name, count in details.items() if count}
        self.note({"langfuse.observation.usage_details": json.dumps(known)})
        if began_ns is not None:
            began = datetime.fromtimestamp(began_ns / 1e9, UTC).isoformat()
            self.note({"langfuse.observation.completion_start_time": began})

    def judge(self, level: Level, code: str) -> None:
        """Mark it as failed, or as ended before its time."""
        self.note({"langfuse.observation.level": level.upper(), "langfuse.observation.status_message": code})
        if level == "error":
            self._span.set_attribute("error.type", code)
            self._span.set_status(Status(StatusCode.ERROR, code))

    def context(self) -> TraceContext | None:
        """Name the span."""
        found = self._span.get_span_context()
        return TraceContext(f"{found.trace_id:032x}", f"{found.span_id:016x}", found.trace_flags.sampled)

    def end(self) -> None:
        """Hand it to the queue, once."""
        if self._span.is_recording():
            self._span.end()


class Traces:
    """The tracer: one provider with one exporter."""

    on = True

    def __init__(self, *, secret: bytes, wants_content: bool) -> None:
        """Begin without a way out; `open_traces` adds it."""
        self.wants_content = wants_content
        self.provider = TracerProvider(resource=_resource(), id_generator=_RunIds(), shutdown_on_exit=False)
        self._tracer = self.provider.get_tracer("loopwire")
        self._secret = secret
        self.scores: ScoreQueue | None = None
        self._closing: list[Callable[[], None]] = [self.provider.shutdown]

    def call_at_close(self, first: Callable[[], None]) -> None:
        """Call this before the provider is closed."""
        self._closing.insert(0, first)

    def start(self, name: str, context: Context, attributes: Mapping[str, AttributeValue]) -> Span:
        """Begin a span."""
        return self._tracer.start_span(name, context, attributes=attributes)

    def run(self, about: About) -> Observation:
        """Begin the trace of one attempt."""
        shared: dict[str, AttributeValue] = {
            "session.id": about.session_id,
            "user.id": hmac.digest(self._secret, f"trace\0{about.principal}".encode(), "sha256").hex()[:32],
            "langfuse.trace.name": about.service,
            "langfuse.trace.tags": [
                f"app:{about.app}", f"service:{about.service}", f"language:{about.language}"
            ],
        }  # fmt: skip
        own: dict[str, AttributeValue] = {
            "langfuse.observation.type": "agent",
            "loopwire.run_id": about.run_id,
            "loopwire.attempt": about.attempt,
        }
        parent = _parent_of(TraceContext.parse(about.trace_context))
        token = _attempt.set((about.run_id, about.attempt))
        try:
            return TracedSpan(self, self.start(about.service, parent, {**shared, **own}), shared)
        finally:
            _attempt.reset(token)

    def context_of(self, run_id: str, attempt: int, trace_context: str | None) -> TraceContext | None:
        """Name the first span of an attempt: its id is made from the run's, so any process knows it."""
        given = TraceContext.parse(trace_context)
        trace_id = given.trace_id if given is not None else f"{_trace_id(run_id):032x}"
        state = given.state if given is not None else ""
        return TraceContext(trace_id, f"{_span_id(run_id, attempt):016x}", state=state)

    def score(self, thumb: Thumb) -> None:
        """Queue a thumb for Langfuse; other collectors know no scores."""
        if self.scores is None:
            return
        given = TraceContext.parse(thumb.trace_context)
        trace_id = given.trace_id if given is not None else f"{_trace_id(thumb.run_id):032x}"
        # What a person wrote is content: it leaves this server on the same condition as the texts of the run.
        written = mask(thumb.comment) if thumb.comment and self.wants_content else None
        self.scores.put(
            thumb_score(
                trace_id,
                thumb.run_id,
                thumb.message_id,
                thumb.value,
                thumb.said_at_ms,
                comment=": ".join(filter(None, (thumb.reason, written))),
            )
        )

    async def aclose(self) -> None:
        """Deliver what waits, in a thread. Nothing waits for it longer than that, not even the process's end."""
        delivered = asyncio.Event()
        loop = asyncio.get_running_loop()

        def close() -> None:
            for each in self._closing:
                try:
                    each()
                except Exception:
                    # What is closed belongs to libraries: a fault of one must not keep the others open.
                    log.exception("traces could not be closed")
            with suppress(RuntimeError):  # The loop may be closed by now.
                loop.call_soon_threadsafe(delivered.set)

        threading.Thread(target=close, name="last traces", daemon=True).start()
        if not await happens_within(delivered, FLUSH_S):
            log.warning("the last traces were not delivered within %s s", FLUSH_S)


def open_traces(settings: Settings) -> Traces:
    """Open the way out that the settings name."""
    _be_brief()
    traces = Traces(secret=settings.secret, wants_content=settings.trace_content)
    if settings.langfuse_secret_key is not None:
        client = Langfuse(
            public_key=settings.langfuse_public_key,
            secret_key=settings.langfuse_secret_key.get_secret_value(),
            base_url=settings.langfuse_url.rstrip("/"),
            timeout=SEND_S,
            tracer_provider=traces.provider,
            should_export_span=lambda span: True,
            mask_otel_spans=_patches,
        )
        traces.call_at_close(client.shutdown)
        traces.scores = ScoreQueue(client.api, send_s=SEND_S)
        traces.call_at_close(traces.scores.close)
    else:
        endpoint = f"{(settings.otlp_endpoint or '').rstrip('/')}/v1/traces"
        exporter = MaskedExporter(OTLPSpanExporter(endpoint, timeout=SEND_S))
        traces.provider.add_span_processor(BatchSpanProcessor(exporter))
    return traces


class MaskedExporter(SpanExporter):
    """Sends spans by another exporter, masked; what cannot be masked is not sent."""

    def __init__(self, inner: SpanExporter) -> None:
        self._inner = inner

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Mask and send, in the background thread."""
        return self._inner.export([_clean(span) for span in spans])

    def shutdown(self) -> None:
        """End the other exporter."""
        self._inner.shutdown()


def _clean(span: ReadableSpan) -> ReadableSpan:
    found = mask_attributes(span.attributes or {})
    if not found:
        return span
    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes={**(span.attributes or {}), **found},
        kind=span.kind,
        status=span.status,
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _patches(*, params: MaskOtelSpansParams) -> MaskOtelSpansResult:
    """Mask for Langfuse, in its background thread; when this raises, the batch is not sent."""
    patches = {
        key: OtelSpanPatch(set_attributes=mask_attributes(span.attributes))
        for key, span in params.spans.items()
    }
    return MaskOtelSpansResult(span_patches=patches)


_attempt: ContextVar[tuple[str, int] | None] = ContextVar("traced_attempt", default=None)


class _RunIds(RandomIdGenerator):
    """Trace ids by the run's id, the way Langfuse seeds them: the id of a run leads to its trace.

    The id of an attempt's first span is made from its number as well: another process may send its callback.
    """

    def generate_trace_id(self) -> int:
        attempt = _attempt.get()
        return super().generate_trace_id() if attempt is None else _trace_id(attempt[0])

    def generate_span_id(self) -> int:
        attempt = _attempt.get()
        return super().generate_span_id() if attempt is None else _span_id(*attempt)


def _parent_of(given: TraceContext | None) -> Context:
    """Return the caller's span that a run continues, or nothing.

    Its flag `sampled` does not count: what is recorded is the operator's to decide, and not a visitor's.
    """
    if given is None:
        return Context()
    found = SpanContext(
        int(given.trace_id, 16),
        int(given.span_id, 16),
        is_remote=True,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )
    return set_span_in_context(NonRecordingSpan(found), Context())


def _span_id(run_id: str, attempt: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{run_id}/{attempt}".encode()).digest()[:8], "big")


def _trace_id(run_id: str) -> int:
    return int.from_bytes(hashlib.sha256(run_id.encode()).digest()[:16], "big")


def _resource() -> Resource:
    """Return the resource with our service name, unless OTEL_SERVICE_NAME is set."""
    found = Resource.create()
    named = str(found.attributes.get(SERVICE_NAME, ""))
    return found.merge(Resource({SERVICE_NAME: "loopwire"})) if named.startswith("unknown_service") else found


def _text(value: object) -> str:
    """Return a value as JSON; one that is no JSON says so instead of failing the run."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain)
    except (TypeError, ValueError, RecursionError):
        return f"[{type(value).__name__} that is no JSON]"


def _plain(value: object) -> object:
    return value.model_dump(mode="json", exclude_none=True) if isinstance(value, BaseModel) else str(value)


class _OnceAMinute(logging.Filter):
    """Lets one line a minute pass, since a collector that is down fails with every batch."""

    def __init__(self) -> None:
        super().__init__()
        self._next = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + _LINE_S
        return True


_RARELY = _OnceAMinute()


def _be_brief() -> None:
    """Keep the exporters' lines rare; Langfuse's at start carries its public key and is dropped."""
    logging.getLogger("langfuse").setLevel(logging.WARNING)
    for name in (
        "opentelemetry.exporter.otlp.proto.http.trace_exporter",
        "opentelemetry.sdk._shared_internal",
        "langfuse",
        "server.tracing.scores",
    ):
        logging.getLogger(name).addFilter(_RARELY)
