"""A model that answers as a test says, and stops in mid-sentence until the test releases it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.modelserver import Fault, ModelServer, Pace, Plan, Scripted, Text
from tests.modelserver.plan import Disturbance, Frame, Stall
from tests.modelserver.request import Dialect

KEY = "sk-test-7d20aa"
LOOK_S = 0.005


@dataclass(frozen=True, slots=True)
class Held(Fault):
    """Says `allowed` deltas and no more; the test raises the number."""

    allowed: list[int]

    def stream(self, steps: Iterator[Disturbance], dialect: Dialect) -> Iterator[Disturbance]:
        """Say nothing while more is not allowed."""
        said = 0
        for step in steps:
            if isinstance(step, Frame) and step.kind != "open":
                while said >= self.allowed[0]:
                    yield Stall(LOOK_S)
                said += 1
            yield step


@dataclass
class Tap:
    """The part of an answer that may flow."""

    allowed: list[int] = field(default_factory=lambda: [0])

    def let(self, deltas: int) -> None:
        """Let this many more deltas come."""
        self.allowed[0] += deltas

    def open(self) -> None:
        """Let everything come."""
        self.allowed[0] = 1_000_000


@dataclass
class Model:
    """The model server of a test."""

    server: ModelServer

    @property
    def script(self) -> Scripted:
        """Return what it will say."""
        assert isinstance(self.server.brain, Scripted)
        return self.server.brain

    def will_say(self, text: str, *, delay: float = 0.0, faults: tuple[Fault, ...] = ()) -> None:
        """Have the next request answered by a text, a word every `delay` seconds."""
        self.script.extend([Plan([Text(text)], pace=Pace(delay=delay), faults=faults)])

    def held(self, text: str) -> Tap:
        """Have the next request answered by a text that waits for its tap."""
        tap = Tap()
        self.will_say(text, faults=(Held(tap.allowed),))
        return tap


def sentences(count: int) -> str:
    """Return an answer of many short sentences in two paragraphs, each word of which says where it stands."""
    said = [f"Frase {n} tem a{n} b{n} c{n} d{n}." for n in range(1, count + 1)]
    half = count // 2
    return " ".join(said[:half]) + "\n\n" + " ".join(said[half:])
