"""A run as its trace sees it: the SDK's spans of agents and tools become observations, ours say how they ended.

Which run a span belongs to is known by the context of its task. The SDK's own spans of model calls are left out:
ours, made at the tap of the model's stream, know how an answer ended in both dialects.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Self

from agents import AgentSpanData, FunctionSpanData, ModelResponse, set_trace_processors, set_tracing_disabled
from agents import Usage as SdkUsage
from agents.items import TResponseStreamEvent
from agents.tracing import Span, Trace, TracingProcessor, get_current_span
from openai.types.responses import ResponseUsage

from server.agents.run.call_log import log_model_call
from server.agents.run.types import Result, RunInput
from server.errors import LoopwireError
from server.protocol.commands import parts_text
from server.tracing import SILENT, About, Observation, Tracer, Usage
from server.tracing.trace_context import TraceContext, follow_with


class TracedRun:
    """One run that is traced."""

    def __init__(self, root: Observation, *, private: bool = False) -> None:
        """`private` keeps what the model reads and writes out of the trace."""
        self.root = root
        self.private = private
        self.spans: dict[str, Observation] = {}
        """By the SDK's span id, also those that make no observation of their own: theirs is their parent's."""

    def of(self, span_id: str | None) -> Observation:
        """Return the observation of a span, else the run's."""
        return self.spans.get(span_id or "", self.root)

    def note_end(self, result: Result) -> None:
        """Keep how the run ended."""
        self.root.note({"loopwire.outcome": result.outcome})
        self.root.note(
            {
                f"loopwire.usage.{name}": count
                for name, count in result.usage.items()
                if isinstance(count, int)
            }
        )
        self.root.note_content(output=_agent_texts(result))
        if result.outcome == "error":
            code = str(result.code)
            self.root.note({"loopwire.code": code})
            self.root.judge("error", code)
        elif result.outcome == "cancelled":
            self.root.judge("warning", "cancelled")


_READ = ("system_instructions", "input")

_followed: ContextVar[TracedRun | None] = ContextVar("followed_run", default=None)


@contextmanager
def trace_run(tracer: Tracer, run_input: RunInput) -> Iterator[TracedRun | None]:
    """Trace what happens inside, in this task and in those that it starts; None when nothing is traced."""
    attempt = (run_input.run.id, run_input.run.attempt, run_input.run.trace_context)
    if not tracer.on:
        follow_with(lambda: tracer.context_of(*attempt))
        yield None
        return
    contract = run_input.service.contract
    run = TracedRun(tracer.run(_about(run_input)), private=bool(contract and contract.private))
    run.root.note_content(input=parts_text(run_input.run.content))
    follow_with(lambda: _context_here(run_input.run.trace_context))
    token = _followed.set(run)
    try:
        yield run
    except BaseException as error:
        # The run was fenced off, or this instance leaves: another instance continues it.
        run.root.judge("warning", type(error).__name__)
        raise
    finally:
        _followed.reset(token)
        for each in run.spans.values():
            each.end()
        run.root.end()


def current() -> Observation:
    """Return the observation at work in this task."""
    run = _followed.get()
    if run is None:
        return SILENT
    span = get_current_span()
    return run.of(span.span_id if span else None)


def _context_here(trace_context: str | None) -> TraceContext | None:
    """Name the current observation; the tracestate of the run's input is kept."""
    here, given = current().context(), TraceContext.parse(trace_context)
    return replace(here, state=given.state) if here is not None and given is not None else here


class ModelCall:
    """One call of a model, from its request to the end of its answer."""

    def __init__(
        self, observation: Observation, name: str, agent: str | None, *, private: bool = False
    ) -> None:
        """Observe the call of the model of this `name`; `private` keeps the answer out of the trace."""
        self._observation = observation
        self._name = name
        self._agent = agent
        self._private = private
        self._began = time.monotonic()
        self._began_ns: int | None = None
        """The time of its first words."""
        self._usage: Usage | None = None

    def note_event(self, event: TResponseStreamEvent) -> None:
        """Note the first words, and the end with its cost."""
        match event.type:
            case "response.output_text.delta":
                self._began_ns = self._began_ns or time.time_ns()
            case "response.completed" | "response.incomplete":
                self._note_answer(event.response.usage, event.response.output)

    def note_answer(self, response: ModelResponse) -> None:
        """Note an answer that was not streamed."""
        self._note_answer(response.usage, response.output)

    def _note_answer(self, usage: ResponseUsage | SdkUsage | None, output: list[Any]) -> None:
        if not self._private:
            self._observation.note_content(output=output)
        if usage is None:
            return
        read, written = usage.input_tokens_details, usage.output_tokens_details  # None from some servers
        spent = Usage(
            input=usage.input_tokens or 0,
            output=usage.output_tokens or 0,
            total=usage.total_tokens or 0,
            cached=getattr(read, "cached_tokens", 0) or 0,
            reasoning=getattr(written, "reasoning_tokens", 0) or 0,
        )
        self._usage = spent
        self._observation.note_answer(spent, began_ns=self._began_ns)

    def __enter__(self) -> Self:
        """Return the call, which ends with the block."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """End it, with the code of what went wrong; a generator that is closed early did all that was wanted."""
        outcome = "done"
        if isinstance(error, Exception):
            outcome = error.code if isinstance(error, LoopwireError) else type(error).__name__
            self._observation.judge("error", outcome)
        elif isinstance(error, asyncio.CancelledError):
            outcome = "stopped"
            self._observation.judge("warning", outcome)
        self._observation.end()
        log_model_call(self._name, self._agent, self._began, self._usage, outcome)


def model_call(name: str, agent: str | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ModelCall:
    """Begin to observe a call of this model for an agent; its arguments are the SDK's."""
    run = _followed.get()
    if run is None:
        return ModelCall(SILENT, name, agent)
    observation = current().child("model", name)
    if not run.private:
        observation.note_content(input=model_input(args, kwargs))
    return ModelCall(observation, name, agent, private=run.private)


def model_input(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the input of a model's call with the SDK's arguments."""
    given = dict(zip(_READ, args, strict=False)) | kwargs
    return {key: given.get(key) for key in _READ}


class SpanFollower(TracingProcessor):
    """Gets every span of the SDK, in the task that makes it; it stores nothing of its own."""

    def on_span_start(self, span: Span[Any]) -> None:
        """Begin the observation of an agent or a tool."""
        run = _followed.get()
        if run is None:
            return
        parent = run.of(span.parent_id)
        match span.span_data:
            case AgentSpanData(name=name):
                run.spans[span.span_id] = parent.child("agent", name)
            case FunctionSpanData(name=name):
                run.spans[span.span_id] = parent.child("tool", name)
            case _:
                run.spans[span.span_id] = parent

    def on_span_end(self, span: Span[Any]) -> None:
        """End it. The texts of the SDK's errors are those of providers and tools, so only that there was one stays."""
        run = _followed.get()
        if run is None or not isinstance(span.span_data, AgentSpanData | FunctionSpanData):
            return
        if span.error:
            run.of(span.span_id).judge("error", "failed")
        run.of(span.span_id).end()

    def on_trace_start(self, trace: Trace) -> None:
        """Do nothing: the run's own observation stands for the trace."""

    def on_trace_end(self, trace: Trace) -> None:
        """Do nothing: the run's own observation stands for the trace."""

    def shutdown(self) -> None:
        """Do nothing: no span is buffered."""

    def force_flush(self) -> None:
        """Do nothing: no span is buffered."""


def follow() -> None:
    """Let the SDK make spans, for us alone; its own uploader stays off."""
    set_trace_processors([SpanFollower()])
    set_tracing_disabled(False)


def _about(run_input: RunInput) -> About:
    run, session = run_input.run, run_input.session
    return About(
        run_id=run.id,
        session_id=session.id,
        principal=session.principal,
        app=session.app,
        service=run_input.service.name,
        language=run.language,
        attempt=run.attempt,
        trace_context=run.trace_context,
    )


def _agent_texts(result: Result) -> list[Any]:
    """Return the text of the agents in this run."""
    return [item.get("content") for item in result.items if item.get("role") == "assistant"]
