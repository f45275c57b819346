"""The log lines of each call of a model or a tool, at DEBUG, without any text of a person or a model.

Which run a call belongs to is known by the context of its task.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from server import log as logs
from server.agents.run.types import RunInput
from server.tracing import Usage

FOREIGN_NAME = "unknown"
"""Instead of the name of a tool that does not exist: a model has made it up."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class LoggedRun:
    """The run at work, and those of its tools that have not ended."""

    service: str
    open: dict[str, tuple[str, str, float]] = field(default_factory=dict)
    """By call id the tool, the agent, and when it began."""


_logged: ContextVar[LoggedRun | None] = ContextVar("logged_run", default=None)


@contextmanager
def log_calls(run_input: RunInput) -> Iterator[None]:
    """Log what is called inside, in this task and in those that it starts; all lines there have the ids of the run."""
    run = LoggedRun(run_input.service.name)
    tokens = (
        logs.session_id.set(run_input.session.id),
        logs.run_id.set(run_input.run.id),
        _logged.set(run),
    )
    try:
        yield
    finally:
        for call_id in list(run.open):
            log_tool_end(call_id, "stopped")
        logs.session_id.reset(tokens[0])
        logs.run_id.reset(tokens[1])
        _logged.reset(tokens[2])


def log_model_call(model: str, agent: str | None, began: float, usage: Usage | None, outcome: str) -> None:
    """Log how a call of a model ended; `began` is by the monotonic clock."""
    run = _logged.get()
    if run is None or not log.isEnabledFor(logging.DEBUG):
        return
    fields: dict[str, object] = {
        "service": run.service,
        "agent": agent,
        "model": model,
        "ms": _ms_since(began),
        "outcome": outcome,
    }
    if usage is not None:
        fields |= {
            "input_tokens": usage.input,
            "cached_input_tokens": usage.cached,
            "output_tokens": usage.output,
            "reasoning_tokens": usage.reasoning,
        }
    log.debug("model call ended", extra={"fields": fields})


def note_tool_start(call_id: str, tool: str, agent: str) -> None:
    """Remember that a call of a tool began."""
    run = _logged.get()
    if run is not None and log.isEnabledFor(logging.DEBUG):
        run.open[call_id] = (tool, agent, time.monotonic())


def log_tool_end(call_id: str, outcome: str) -> None:
    """Log how a call of a tool ended."""
    run = _logged.get()
    began = run.open.pop(call_id, None) if run is not None else None
    if run is None or began is None:
        return
    tool, agent, at = began
    fields = {
        "service": run.service,
        "agent": agent,
        "tool": tool,
        "call_id": call_id,
        "ms": _ms_since(at),
        "outcome": outcome,
    }
    log.debug("tool call ended", extra={"fields": fields})


def _ms_since(began: float) -> int:
    return round(1000 * (time.monotonic() - began))
