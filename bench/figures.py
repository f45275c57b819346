"""Every figure of the bench, in the order of the table, and the goals that Loopwire sets itself."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Goal:
    """A limit for a value, or for its ratio to the floor or to the plain way of the same run."""

    limit: float
    of_floor: bool = False
    of_plain: bool = False
    least: bool = False

    def met(self, value: float) -> bool:
        """Return whether this value keeps to the goal."""
        return value >= self.limit if self.least else value <= self.limit

    def __str__(self) -> str:
        """As the table shows it."""
        sign = ">=" if self.least else "<="
        of = " x" if self.of_floor else " x the plain way" if self.of_plain else ""
        return f"{sign} {self.limit:,g}{of}"


@dataclass(frozen=True)
class Figure:
    """What is measured; `apart` is the goal of Valkey's share."""

    name: str
    goal: Goal | None = None
    apart: Goal | None = None


@dataclass
class Figures:
    """What one server needed in one round, Valkey's share apart."""

    values: dict[Figure, float] = field(default_factory=dict)
    apart: dict[Figure, float] = field(default_factory=dict)
    at_least: set[Figure] = field(default_factory=set)
    faults: int = 0

    def tell(
        self, figure: Figure, value: float, apart: float | None = None, *, at_least: bool = False
    ) -> None:
        """Note one figure; `at_least` when the load gave up before the server did."""
        self.values[figure] = value
        if apart is not None:
            self.apart[figure] = apart
        if at_least:
            self.at_least.add(figure)


PAGE = Figure("start to page, s", Goal(3))
READY = Figure("start to ready, s")
READY_CPU = Figure("CPU of the start, s")
READY_MEMORY = Figure("memory when ready, MiB")
IDLE = Figure("memory of an idle socket, KiB", Goal(30))
IDLE_DEFLATE = Figure("the same, permessage-deflate offered, KiB", Goal(30))
DEFLATED = Figure("offers of permessage-deflate taken, of 1,000")
STREAMING = Figure("memory of a streaming socket, KiB", Goal(60))
STREAMED = Figure("the same, after its answer, KiB", Goal(60))
PACED_CPU = Figure("CPU of a token, paced, us", Goal(4, of_floor=True), apart=Goal(25))
PACED_P50 = Figure("added latency p50, ms", Goal(4, of_floor=True))
PACED_P99 = Figure("added latency p99, ms", Goal(8, of_floor=True))
PACED_STALL = Figure("longest stall, ms", Goal(50))
STEADY_P50 = Figure("added latency p50 apart from starts and ends, ms")
STEADY_P99 = Figure("added latency p99 apart from starts and ends, ms")
FIRST = Figure("time to first token p50, ms", Goal(8, of_floor=True))
DRAWN_CPU = Figure("CPU of a token, paced, with fragments, us")
DRAWN_TIMES = Figure("the same, times that without fragments")
DRAWN_P50 = Figure("added latency p50, with fragments, ms")
DRAWN_P99 = Figure("added latency p99, with fragments, ms")
DRAWN_FIRST = Figure("time to first token p50, with fragments, ms")
PACED_LOAD = Figure("load's core busy, paced, %")
BURST = Figure("tokens in a CPU second, burst", Goal(60_000, least=True))
BURST_CPU = Figure("CPU of a token, burst, us")
RUN_CPU = Figure("CPU of a run of one token, ms", Goal(3.5))
RUN_P50 = Figure("a run of one token p50, ms")
RUN_P99 = Figure("a run of one token p99, ms")
DELIVERY_CPU = Figure("CPU of a delivery, 50 watchers, us", Goal(1.5, of_floor=True))
DRAWN_DELIVERY_CPU = Figure("CPU of a delivery, 50 watchers, with fragments, us")
DRAWN_DELIVERY_TIMES = Figure("the same of a delivery, times that without fragments")
CAPACITY = Figure("capacity, sessions", Goal(300, least=True))
CAPACITY_LOAD = Figure("load's core busy, at capacity, %")
PAUSE = Figure("longest pause for garbage while streaming, ms", Goal(5))

FIGURES = tuple(each for each in list(globals().values()) if isinstance(each, Figure))
