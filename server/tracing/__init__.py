"""Traces of runs: steps, durations and costs; texts only with the setting for them.

Off unless the operator names a collector. Then the exporter, and with it Langfuse and OpenTelemetry's SDK, is
imported; nothing else of the server knows them. A trace may always be lost, a run never waits for one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Literal, Protocol

from server.settings import Settings
from server.tracing.trace_context import TraceContext

__all__ = [
    "OFF",
    "SILENT",
    "About",
    "Fact",
    "Kind",
    "Level",
    "Observation",
    "Thumb",
    "Tracer",
    "Usage",
    "tracer",
]

Kind = Literal["agent", "model", "tool", "handoff"]
Level = Literal["warning", "error"]
Fact = str | int | float | bool


@dataclass(frozen=True, slots=True)
class About:
    """The run and the principal of a trace. The principal leaves this server only as a keyed hash."""

    run_id: str
    session_id: str
    principal: str
    app: str
    service: str
    language: str
    attempt: int
    trace_context: str | None = None
    """The caller's trace that the run belongs to, as it is stored."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one model call; `cached` is a part of `input`, `reasoning` one of `output`."""

    input: int = 0
    output: int = 0
    total: int = 0
    cached: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Thumb:
    """A person's judgement of a message of a run: `up`, `down`, or None when it is taken back."""

    run_id: str
    message_id: str
    value: Literal["up", "down"] | None
    said_at_ms: int
    """The time at which the message was stored; it does not change."""
    trace_context: str | None = None
    """The run's, as it is stored."""
    reason: str | None = None
    """The name of the reason for a thumb down."""
    comment: str | None = None
    """The person's text with it."""


class Observation(Protocol):
    """One observed part of a run, until its `end`. No method waits, and none raises for its arguments."""

    def child(self, kind: Kind, name: str) -> "Observation":
        """Begin a part of this one. The name carries no user text."""
        ...

    def note(self, facts: Mapping[str, Fact]) -> None:
        """Keep facts that are never user text: ids, names, counts, outcomes."""
        ...

    def note_content(self, *, input: object = None, output: object = None) -> None:
        """Keep the content, as JSON and masked; it is dropped unless the operator wants content."""
        ...

    def note_answer(self, usage: Usage, *, began_ns: int | None) -> None:
        """Keep the usage of a model call, and the time of its first words."""
        ...

    def judge(self, level: Level, code: str) -> None:
        """Mark it as failed, by a code and never by a message of a library or a server."""
        ...

    def context(self) -> TraceContext | None:
        """Return the parent span of a request that it sends."""
        ...

    def end(self) -> None:
        """Close it; what comes later is lost."""
        ...


class Tracer(Protocol):
    """Traces runs."""

    on: bool
    """Whether anything is recorded: a caller need not prepare what is thrown away."""
    wants_content: bool
    """Whether what was said is recorded too, masked."""

    def run(self, about: About) -> Observation:
        """Begin the trace of one attempt of a run.

        All attempts have one trace id: that of the trace that the run belongs to, else one made from the run's id.
        """
        ...

    def context_of(self, run_id: str, attempt: int, trace_context: str | None) -> TraceContext | None:
        """Return the parent span of a request on behalf of an attempt, whichever process sends it.

        Where nothing is traced that is the span of the run's input, if it has one.
        """
        ...

    def score(self, thumb: Thumb) -> None:
        """Send a thumb as the score of its run's trace. The call neither waits nor raises."""
        ...

    async def aclose(self) -> None:
        """Deliver what waits, for some seconds at most; what is not delivered by then is lost."""
        ...


class _NullObservation:
    """The observation that keeps nothing."""

    def child(self, kind: Kind, name: str) -> Observation:
        return self

    def note(self, facts: Mapping[str, Fact]) -> None:
        return

    def note_content(self, *, input: object = None, output: object = None) -> None:
        return

    def note_answer(self, usage: Usage, *, began_ns: int | None) -> None:
        return

    def judge(self, level: Level, code: str) -> None:
        return

    def context(self) -> TraceContext | None:
        return None

    def end(self) -> None:
        return


class _NullTracer:
    """The tracer of a server whose operator named no collector."""

    on = False
    wants_content = False

    def run(self, about: About) -> Observation:
        return SILENT

    def context_of(self, run_id: str, attempt: int, trace_context: str | None) -> TraceContext | None:
        return TraceContext.parse(trace_context)

    def score(self, thumb: Thumb) -> None:
        return

    async def aclose(self) -> None:
        return


SILENT: Observation = _NullObservation()
OFF: Tracer = _NullTracer()


def tracer(settings: Settings) -> Tracer:
    """Return the tracer that the settings ask for; the adapter is imported only when one does."""
    if not settings.traces:
        return OFF
    opened: Tracer = import_module("server.tracing.telemetry").open_traces(settings)
    return opened
