"""What came is judged against what was sent: each token is the time at which it left the model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from bench.wire import Noted


@dataclass
class Judged:
    """Tokens of one or many sockets; `lost`, `doubled` and `misordered` must be 0."""

    times: list[tuple[int, int]] = field(default_factory=list)
    """When each token left and when it came."""
    firsts_ms: list[float] = field(default_factory=list)
    begun: int = 0
    """When the last of the answers began to come."""
    ended: int | None = None
    """When the last token of the answer that ended first left."""
    lost: int = 0
    doubled: int = 0
    misordered: int = 0

    @property
    def faults(self) -> int:
        """Count what must not happen."""
        return self.lost + self.doubled + self.misordered

    @property
    def latencies_ms(self) -> list[float]:
        """Return how long each token was on its way."""
        return [(came - left) / 1e6 for left, came in self.times]

    def steady_ms(self) -> list[float]:
        """Return the same of the tokens that left while every answer was under way; none, if that never was."""
        until = self.ended or 0
        return [(came - left) / 1e6 for left, came in self.times if self.begun < left < until]

    def add(self, frames: Sequence[Noted], text: Callable[[bytes], str], *, asked: int, count: int) -> None:
        """Judge the frames of one answer of `count` tokens that was asked for at a time in ns."""
        seen: list[int] = []
        rest = ""
        for at, payload in frames:
            *whole, rest = (rest + text(payload)).split(" ")
            if whole and not seen:
                self.firsts_ms.append((at - asked) / 1e6)
                self.begun = max(self.begun, at)
            for token in whole:
                seen.append(int(token))
                self.times.append((int(token), at))
        if seen:
            self.ended = min(seen[-1], self.ended or seen[-1])
        different = len(set(seen))
        self.lost += max(count - different, 0) + bool(rest)
        self.doubled += len(seen) - min(different, count)
        self.misordered += sum(1 for before, after in pairwise(seen) if after < before)


def percentile(values: Sequence[float], part: float) -> float:
    """Give the value below which this part of them lies."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)]
