"""W3C Trace Context: the trace that a request belongs to, read strictly, stored as one text, and passed on.

The sender of a request chooses these values, so nothing but hexadecimal digits of a fixed length goes on, and, as
`tracestate`, what the recommendation allows in at most 512 characters. A trace id is a name and gives no right.
"""

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Self

from server import log as logs
from server import patterns

MOST_STATE = 512
"""Characters of a tracestate: a longer one is dropped, as the recommendation allows."""

MOST_MEMBERS = 32

_MOST_PARENT = 256
_PARENT = patterns.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[\x21-\x7e]*)?")
_KEY = r"(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})"
_MEMBER = patterns.compile(rf"({_KEY})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{{0,255}}[\x21-\x2b\x2d-\x3c\x3e-\x7e]")


@dataclass(frozen=True, slots=True)
class TraceContext:
    """A span of a caller or of this server: a span that continues its trace names it as the parent."""

    trace_id: str
    span_id: str
    sampled: bool = True
    state: str = ""
    """The `tracestate`, passed on unchanged."""

    def __str__(self) -> str:
        """Return the text that is stored: the traceparent, and the tracestate after a space."""
        parent = f"00-{self.trace_id}-{self.span_id}-{'01' if self.sampled else '00'}"
        return f"{parent} {self.state}" if self.state else parent

    @classmethod
    def parse(cls, text: str | None) -> Self | None:
        """Read what is stored; None for anything else."""
        parent, _, state = (text or "").partition(" ")
        return cls.of([parent], [state] if state else [])

    @classmethod
    def of(cls, parents: Iterable[str], states: Iterable[str]) -> Self | None:
        """Read the values of both headers. Without exactly one valid traceparent there is none."""
        named = list(parents)
        if len(named) != 1 or len(named[0]) > _MOST_PARENT:
            return None
        found = _PARENT.fullmatch(named[0])
        if found is None:
            return None
        version, trace_id, span_id, flags, more = found.groups()
        if version == "ff" or (version == "00" and more is not None):
            return None
        if not trace_id.strip("0") or not span_id.strip("0"):
            return None
        return cls(trace_id, span_id, bool(int(flags, 16) & 1), _state_of(states))

    def headers(self) -> dict[str, str]:
        """Return the headers of a request that continues this trace."""
        parent, _, state = str(self).partition(" ")
        return {"traceparent": parent, "tracestate": state} if state else {"traceparent": parent}


def _state_of(values: Iterable[str]) -> str:
    """Return the members of a tracestate, joined; empty where one of them is not allowed or named twice."""
    joined = ",".join(values)
    if len(joined) > MOST_STATE:
        return ""
    members = [each for each in (part.strip(" \t") for part in joined.split(",")) if each]
    found = [_MEMBER.fullmatch(each) for each in members]
    keys = {each[1] for each in found if each is not None}
    return ",".join(members) if len(members) <= MOST_MEMBERS and len(keys) == len(members) else ""


_incoming: ContextVar[TraceContext | None] = ContextVar("incoming_trace", default=None)

_outgoing: ContextVar[Callable[[], TraceContext | None] | None] = ContextVar("outgoing_trace", default=None)


def take_headers(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Let what this task does belong to the trace that a request names, if it names one."""
    parents, states = [], []
    for name, value in headers:
        if name == b"traceparent":
            parents.append(value.decode("latin-1"))
        elif name == b"tracestate":
            states.append(value.decode("latin-1"))
    _take(TraceContext.of(parents, states) if parents else None)


def take_stored(text: str) -> None:
    """Set the trace context to a stored text; an empty text clears it."""
    _take(TraceContext.parse(text))


def _take(context: TraceContext | None) -> None:
    _incoming.set(context)
    logs.trace_id.set(context.trace_id if context is not None else None)


def incoming() -> str | None:
    """Return the trace that the input of this task belongs to, as it is stored with a run."""
    context = _incoming.get()
    return str(context) if context is not None else None


def follow_with(current: Callable[[], TraceContext | None]) -> None:
    """Let requests that this task sends, and tasks that it starts, name what `current` gives then as their parent."""
    _outgoing.set(current)


def outgoing_headers() -> dict[str, str]:
    """Return the headers with which a request to an operator's server continues the trace at work, if there is one."""
    current = _outgoing.get()
    context = current() if current is not None else None
    return context.headers() if context is not None else {}
