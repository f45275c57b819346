"""The calls of one LoopOS Core: attempts with pauses between them, behind the circuit breaker of their address."""

import asyncio
import logging
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

from server.errors import CoreUnavailable, LoopwireError
from server.loopos.remote.breaker import CircuitBreaker
from server.loopos.remote.exchange import CoreExchange, CoreReply, CoreRequest, CoreTimes
from server.loopos.remote.failures import CoreFailure
from server.metrics import CORE_CALLS, CORE_OPEN
from server.tasks import Backoff, retry

ATTEMPTS = 3
FIRST_PAUSE_S = 0.1
MOST_PAUSE_S = 1.0

T = TypeVar("T")

log = logging.getLogger(__name__)


def host_of(base_url: str) -> str:
    """Return host and port of an address: what logs and metrics show of it."""
    return urlsplit(base_url).netloc


def breaker_of(base_url: str) -> CircuitBreaker:
    """Make the circuit breaker of an address, which tells the log and the metrics what it does."""
    host = host_of(base_url)
    CORE_OPEN.labels(host).set(0)

    def note(is_open: bool) -> None:
        CORE_OPEN.labels(host).set(is_open)
        log.warning("LoopOS Core at %s %s", host, "is not asked any more" if is_open else "answers again")

    return CircuitBreaker(on_change=note)


class CoreEndpoint:
    """Calls one Core with one token. Endpoints of the same address share a breaker. Released by `aclose`."""

    def __init__(
        self, base_url: str, exchange: CoreExchange, breaker: CircuitBreaker, times: CoreTimes | None = None
    ) -> None:
        self._host = host_of(base_url)
        self._exchange = exchange
        self._breaker = breaker
        self._times = times or CoreTimes()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._exchange.aclose()

    async def call(self, request: CoreRequest, read: Callable[[CoreReply], T]) -> T:
        """Send a request, which may be sent several times, and return what `read` makes of the answer.

        `read` raises CoreFailure for what is no usable answer, and the errors of the port. Raises these errors, and
        CoreUnavailable.
        """
        try:
            async with asyncio.timeout(self._times.total_s) as limit:
                found = await self._attempts(request, read, limit.when() or 0.0)
        except TimeoutError:
            failure = CoreFailure("timeout", retry=False)
        except CoreFailure as caught:
            failure = caught
        except LoopwireError:  # A refusal by the Core is an answer, and no failure.
            CORE_CALLS.labels(self._host, "answered").inc()
            raise
        else:
            CORE_CALLS.labels(self._host, "answered").inc()
            return found
        raise self._unavailable(failure) from failure

    async def _attempts(self, request: CoreRequest, read: Callable[[CoreReply], T], until: float) -> T:
        """Try up to three times; `until` is when the time of the call is over, on the loop's clock.

        While an earlier attempt is under way at the Core, asking for its result is no further one.
        """
        clock, left = asyncio.get_running_loop().time, ATTEMPTS

        async def attempt_once() -> T:
            with self._breaker.attempt():
                return read(await self._exchange.send(request))

        def give_up_in_time(failure: CoreFailure, pause: float) -> float:
            nonlocal left
            pause = pause if failure.retry_after is None else failure.retry_after
            left -= failure.reason != "in_progress"
            if not failure.retry or not left or clock() + pause >= until:
                raise failure
            return pause

        pauses = Backoff(FIRST_PAUSE_S, MOST_PAUSE_S)
        return await retry(attempt_once, pauses, on=CoreFailure, on_failure=give_up_in_time)

    def _unavailable(self, failure: CoreFailure) -> CoreUnavailable:
        CORE_CALLS.labels(self._host, failure.reason).inc()
        level = logging.DEBUG if failure.reason == "open" else logging.WARNING
        log.log(level, "LoopOS Core at %s gave no usable answer: %s", self._host, failure)
        return CoreUnavailable(retry_after=failure.retry_after)
