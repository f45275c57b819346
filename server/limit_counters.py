"""Counters for limits: exact windows for events, counts of sockets per address and of bytes per caller.

Their numbers are in `limits`.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from server.errors import RateLimited, Unavailable
from server.limits import Pairs

HELD_AGAIN_S = 2.0
"""Seconds after which the bytes of others may be held no longer."""

Clock = Callable[[], float]


class WindowFull(RateLimited):
    """One more event would be more than `count` within `seconds`."""

    def __init__(self, count: int, seconds: float, wait_s: float) -> None:
        super().__init__(retry_after=round(wait_s, 1) or 0.1)
        self.count = count
        self.seconds = seconds


class Window:
    """Allows at most so many events within so many seconds, for each of its pairs; exact, not approximate."""

    __slots__ = ("_clock", "_limits", "_most", "_times")

    def __init__(self, limits: Pairs, clock: Clock = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._most = max(count for count, _ in limits)
        self._times: list[float] = []
        """No deque: an empty one is 760 bytes, and there are several windows a socket."""

    def spend(self) -> None:
        """Count one event, or raise WindowFull with the seconds until it would be allowed, counting nothing."""
        self.check()
        self.add()

    def check(self) -> None:
        """Raise WindowFull when one more event would not be allowed; count nothing."""
        now = self._clock()
        wait, count, seconds = max((self._wait(now, *each), *each) for each in self._limits)
        if wait > 0:
            raise WindowFull(count, seconds, wait)

    def add(self) -> None:
        """Count one event, be it allowed or not."""
        if len(self._times) >= 2 * self._most:
            del self._times[: self._most]
        self._times.append(self._clock())

    def give_back(self) -> None:
        """Count one event less: the last event was none that the limit is for."""
        if self._times:
            self._times.pop()

    def _wait(self, now: float, count: int, seconds: float) -> float:
        if len(self._times) < count:
            return 0.0
        return self._times[-count] + seconds - now


@dataclass(slots=True)
class Windows:
    """A window for each key; the keys used longest ago are forgotten first, so that memory is bounded."""

    limits: Pairs
    clock: Clock = time.monotonic
    most: int = 20_000
    _windows: OrderedDict[str, Window] = field(default_factory=OrderedDict)

    def spend(self, key: str) -> None:
        """Count one event of this key, or raise WindowFull."""
        self._window(key).spend()

    def check(self, key: str) -> None:
        """Raise WindowFull when one more event of this key would not be allowed; count nothing."""
        if (window := self._windows.get(key)) is not None:
            window.check()

    def add(self, key: str) -> None:
        """Count one event of this key, be it allowed or not."""
        self._window(key).add()

    def give_back(self, key: str) -> None:
        """Count one event of this key less."""
        if (window := self._windows.get(key)) is not None:
            window.give_back()

    def _window(self, key: str) -> Window:
        window = self._windows.get(key)
        if window is None:
            window = self._windows[key] = Window(self.limits, self.clock)
        self._windows.move_to_end(key)
        if len(self._windows) > self.most:
            self._windows.popitem(last=False)
        return window


class UnauthenticatedSockets:
    """Counts the unauthenticated sockets of each address."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: dict[str, int] = {}

    def __contains__(self, address: str) -> bool:
        """Return whether a socket of this address is counted."""
        return address in self._counts

    def enter(self, address: str) -> None:
        """Count one more socket of this address. Raises Unavailable when there are too many."""
        if self._counts.get(address, 0) >= self._most:
            raise Unavailable(retry_after=5)
        self._counts[address] = self._counts.get(address, 0) + 1

    def leave(self, address: str) -> None:
        """Count one socket less of this address: its client is known now, or the socket is closed."""
        left = self._counts.get(address, 0) - 1
        if left > 0:
            self._counts[address] = left
        else:
            self._counts.pop(address, None)


class HeldBytes:
    """Counts bytes that are held for callers."""

    refusal = "Too much is being sent from this address at once."

    def __init__(self, most_of_caller: int, most: int) -> None:
        self._most_of_caller = most_of_caller
        self._most = most
        self._by_caller: dict[str, int] = {}
        self.total = 0

    @property
    def callers(self) -> int:
        """Return the number of callers that hold bytes."""
        return len(self._by_caller)

    def hold(self, caller: str, size: int) -> None:
        """Count bytes. Raises RateLimited or Unavailable, and counts nothing, when they are too many."""
        held = self._by_caller.get(caller, 0) + size
        if held > self._most_of_caller:
            raise RateLimited(self.refusal, retry_after=HELD_AGAIN_S)
        if self.total + size > self._most:
            raise Unavailable(retry_after=HELD_AGAIN_S)
        self._by_caller[caller] = held
        self.total += size

    def release(self, caller: str, size: int) -> None:
        """Count these bytes of the caller no longer."""
        self.total -= size
        left = self._by_caller.get(caller, 0) - size
        if left > 0:
            self._by_caller[caller] = left
        else:
            self._by_caller.pop(caller, None)

    @contextmanager
    def share(self, caller: str) -> Iterator["HeldShare"]:
        """Count the bytes that one request adds, until the end of the block."""
        share = HeldShare(self, caller)
        try:
            yield share
        finally:
            self.release(caller, share.size)


class HeldShare:
    """The bytes that one request holds."""

    def __init__(self, held: HeldBytes, caller: str) -> None:
        self._held = held
        self._caller = caller
        self.size = 0

    def add(self, size: int) -> None:
        """Count so many bytes more for the request. Raises RateLimited or Unavailable."""
        self._held.hold(self._caller, size)
        self.size += size


class WaitingPictures(HeldBytes):
    """Counts the bytes of pictures that have arrived and are not read yet."""

    refusal = "Too many pictures from this address are waiting to be read."
