"""What came is judged against what was sent: each token is the time at which it left the model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from bench.wire import Noted


@dataclass
class Judged:
    """Tokens of one or many sockets; `lost`, `doubled` and `misordered` must be 0."""

    latencies_ms: list[float] = field(default_factory=list)
    firsts_ms: list[float] = field(default_factory=list)
    lost: int = 0
    doubled: int = 0
    misordered: int = 0

    @property
    def faults(self) -> int:
        """Count what must not happen."""
        return self.lost + self.doubled + self.misordered

    def add(self, frames: Sequence[Noted], text: Callable[[bytes], str], *, asked: int, count: int) -> None:
        """Judge the frames of one answer of `count` tokens that was asked for at a time in ns."""
        seen: list[int] = []
        rest = ""
        for at, payload in frames:
            *whole, rest = (rest + text(payload)).split(" ")
            if whole and not seen:
                self.firsts_ms.append((at - asked) / 1e6)
            for token in whole:
                seen.append(int(token))
                self.latencies_ms.append((at - int(token)) / 1e6)
        different = len(set(seen))
        self.lost += max(count - different, 0) + bool(rest)
        self.doubled += len(seen) - min(different, count)
        self.misordered += sum(1 for before, after in pairwise(seen) if after < before)


def percentile(values: Sequence[float], part: float) -> float:
    """Give the value below which this part of them lies."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)]
