"""The plan of an answer: outputs, their pace, the end, and faults on the way."""

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from tests.modelserver.request import Dialect, ModelRequest

_counter = itertools.count(1)


def new_id(prefix: str) -> str:
    """Return an id that no other answer of this process carries."""
    return f"{prefix}_{next(_counter):024x}"


@dataclass(frozen=True, slots=True)
class Text:
    """Assistant text. `pieces` (or a callable that makes them as they are sent) are the deltas;
    without it `Pace.chunking` cuts the text."""

    text: str = ""
    pieces: Iterable[str] | Callable[[], Iterable[str]] | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Assistant refusal, on the wire a part of a message like text."""

    text: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """What the model thinks: raw, but for a summary where a request of the Responses API asked for one.

    Each paragraph is a part of the summary. The Chat API has `reasoning_content`.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function call. Arguments given as a string go out verbatim, so that they may be wrong."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    call_id: str = ""

    @property
    def wire(self) -> str:
        """Return the arguments as they stand on the wire."""
        if isinstance(self.arguments, str):
            return self.arguments
        return json.dumps(dict(self.arguments), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Searched:
    """A search of the server itself, by its hosted tool (Responses alone)."""

    query: str
    sources: tuple[str, ...] = ()


Output = Text | Refusal | Reasoning | Call | Searched


def words(text: str) -> Iterator[str]:
    """Cut after every blank, as a tokeniser roughly does."""
    start = 0
    for index, char in enumerate(text):
        if char in " \n":
            yield text[start : index + 1]
            start = index + 1
    if start < len(text):
        yield text[start:]


def pairs(text: str) -> Iterator[str]:
    """Cut after every second character: many small deltas."""
    return (text[i : i + 2] for i in range(0, len(text), 2))


def whole(text: str) -> Iterator[str]:
    """Return everything in one delta."""
    return iter([text] if text else [])


@dataclass(frozen=True, slots=True)
class Pace:
    """The pace of deltas: `first` seconds before the first, then `burst` of them every `delay`.

    Deadlines are absolute, so a late wake-up doesn't slow the whole stream down.
    """

    delay: float = 0.0
    first: float = 0.0
    burst: int = 1
    chunking: Callable[[str], Iterator[str]] = words

    @classmethod
    def per_second(cls, tokens: float, **rest: Any) -> "Pace":
        """So many deltas a second."""
        return cls(delay=1.0 / tokens if tokens else 0.0, **rest)


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts as the provider reports them."""

    input: int
    output: int
    cached: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Frame:
    """One server-sent event, encoded. Faults look at `kind` to find their place in the stream."""

    data: bytes
    kind: Literal["open", "delta", "end"] = "open"


TICK = None
"""Stands in a stream where the pace may wait; what follows is made only after the wait."""

Step = Frame | None


@dataclass(frozen=True, slots=True)
class Stall:
    """In a stream: say nothing for so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Close:
    """In a stream: close the connection without ending the body; `reset` sends RST."""

    reset: bool = False


Disturbance = Frame | Stall | Close | None


@dataclass(frozen=True, slots=True)
class Fault:
    """The places where something can go wrong with one request; here nothing does."""

    name: ClassVar[str] = ""

    async def before(self) -> None:
        """Raise, or wait, before the answer starts."""

    def plan(self, plan: "Plan") -> "Plan":
        """Change what the brain decided."""
        return plan

    def stream(self, steps: Iterator[Disturbance], dialect: Dialect) -> Iterator[Disturbance]:
        """Change what goes over the wire."""
        return steps

    def split(self, data: bytes) -> Iterator[bytes]:
        """Change or split the bytes of one frame."""
        yield data


@dataclass(slots=True)
class Plan:
    """The answer to one request: outputs in order, their pace, the usage and how it ends."""

    outputs: list[Output]
    pace: Pace = field(default_factory=Pace)
    usage: Usage | None = None
    ending: Literal["complete", "length", "content_filter", "failed"] = "complete"
    failure: str = ""
    faults: tuple[Fault, ...] = ()

    def __post_init__(self) -> None:
        """Give every call an id: the client pairs results with it."""
        self.outputs = [
            Call(o.name, o.arguments, o.call_id or new_id("call")) if isinstance(o, Call) else o
            for o in self.outputs
        ]

    def usage_for(self, request: ModelRequest, said: int) -> Usage:
        """Return the usage given, else a plausible one for `said` characters: four make a token."""
        if self.usage:
            return self.usage
        asked = len(json.dumps(request.items, default=str)) + len(request.instructions or "")
        return Usage(input=max(1, asked // 4), output=max(1, said // 4))


def pieces_of(text: Text | Refusal | Reasoning, pace: Pace) -> Iterable[str]:
    """Return the deltas of a text, produced lazily so that a brain may stamp them with the time."""
    given = text.pieces if isinstance(text, Text) else None
    if given is None:
        return pace.chunking(text.text)
    return given() if callable(given) else given
