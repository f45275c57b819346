"""The lookups of the names that strangers give: in threads of their own, a bounded number at once and in waiting.

`loop.getaddrinfo` looks names up in the threads that all of the process shares (those of libuv, or the loop's
executor). A name below a zone that never answers keeps such a thread for longer than any caller waits for it. The names
of the model, of Redis and of PostgreSQL would wait behind it.
"""

import asyncio
import socket
import threading
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from server.errors import LoopwireError, RateLimited, Unavailable
from server.limits import Limits

RESOLVE_S = 3.0
"""Seconds for which a name is waited for, with the wait for a thread. The system may go on looking for longer."""

AT_ONCE = 48
"""Lookups that are made at once; each has a thread until the system gives up, which may take 20 s."""

OF_CALLER = 6
"""Lookups of one caller at once."""

MOST_WAITING = 256
"""Lookups that wait for a thread, of all."""

AGAIN_S = 5.0


@dataclass(eq=False)
class NameLookup:
    """A lookup that waits for a thread or has one."""

    host: str
    caller: str
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    found: "asyncio.Future[list[str]]" = field(init=False)

    def __post_init__(self) -> None:
        """Promise the addresses."""
        self.found = self.loop.create_future()

    def look_up(self) -> list[str]:
        """Return every address of the name, as the system resolves it. Raises OSError, UnicodeError."""
        return [str(each[4][0]) for each in socket.getaddrinfo(self.host, None, type=socket.SOCK_STREAM)]

    def keep(self, addresses: list[str]) -> None:
        """Give the addresses to the task that waits."""
        self.found.set_result(addresses)

    def fail(self, error: Exception) -> None:
        """Let the task that waits raise the error."""
        self.found.set_exception(error)


class NameLookups:
    """Looks names up for one guard. Its threads are daemons: the process ends without waiting for them."""

    def __init__(self, limits: Limits | None = None) -> None:
        """Let so many lookups of one caller wait as `limits` say; the defaults without them."""
        limits = limits or Limits()
        self._waiting_of_caller = limits.lookups_per_address
        self._running: Counter[str] = Counter()
        self._waiting: deque[NameLookup] = deque()

    async def resolve(self, host: str, caller: str = "") -> list[str]:
        """Return every address of a name, as the system resolves it; a `caller` that has a name is bounded by itself.

        Raises OSError, UnicodeError, TimeoutError; RateLimited and Unavailable where the caller, or all callers, have
        too many names looked up.
        """
        lookup = NameLookup(host, caller)
        self._enter(lookup)
        try:
            async with asyncio.timeout(RESOLVE_S):
                return await lookup.found
        except TimeoutError:
            if lookup in self._waiting:
                raise self._refusal(caller) from None
            raise
        finally:
            with suppress(ValueError):
                self._waiting.remove(lookup)

    def _enter(self, lookup: NameLookup) -> None:
        of_caller = sum(each.caller == lookup.caller for each in self._waiting) if lookup.caller else 0
        if of_caller >= self._waiting_of_caller or len(self._waiting) >= MOST_WAITING:
            raise self._refusal(lookup.caller)
        self._waiting.append(lookup)
        self._begin()

    def _begin(self) -> None:
        """Give a thread to each that may have one, in their order; a caller with too many is passed over."""
        for lookup in list(self._waiting):
            if self._running.total() >= AT_ONCE:
                return
            if self._is_full(lookup.caller):
                continue
            try:
                threading.Thread(target=self._run, args=(lookup,), name="name lookup", daemon=True).start()
            except RuntimeError:
                return  # The system has no thread now. It is asked again when a lookup begins or ends.
            self._waiting.remove(lookup)
            self._running[lookup.caller] += 1

    def _run(self, lookup: NameLookup) -> None:
        """Look a name up in a thread, and tell the loop, unless that is closed."""
        try:
            end = partial(lookup.keep, lookup.look_up())
        except Exception as error:
            # The task that waits for the addresses raises it, whatever it is.
            end = partial(lookup.fail, error)
        with suppress(RuntimeError):
            lookup.loop.call_soon_threadsafe(self._end, lookup, end)

    def _end(self, lookup: NameLookup, end: Callable[[], None]) -> None:
        self._running[lookup.caller] -= 1
        self._running += Counter()  # Forgets the callers that have none.
        if not lookup.found.done():
            end()
        self._begin()

    def _is_full(self, caller: str) -> bool:
        return bool(caller) and self._running[caller] >= OF_CALLER

    def _refusal(self, caller: str) -> LoopwireError:
        if self._is_full(caller):
            return RateLimited(
                "Too many names of addresses from here are being looked up.", retry_after=AGAIN_S
            )
        return Unavailable("Too many names of addresses are being looked up.", retry_after=AGAIN_S)
