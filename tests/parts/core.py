"""A client of a LoopOS Core over HTTP, in the test's own process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from server.callbacks import Guard
from server.loopos.remote.breaker import CircuitBreaker
from server.loopos.remote.endpoint import CoreEndpoint
from server.loopos.remote.exchange import CoreExchange, CoreTimes
from server.loopos.remote.http_core import HttpCore

PATIENT = CoreTimes(connect_s=30, attempt_s=60, total_s=120)
"""A busy machine may be slow: only a test about time has less."""


@asynccontextmanager
async def http_core(
    url: str,
    *,
    token: str | None = None,
    times: CoreTimes = PATIENT,
    breaker: CircuitBreaker | None = None,
    guard: Guard | None = None,
    **more: Any,
) -> AsyncIterator[HttpCore]:
    """Speak to the Core at this address, wherever it is."""
    guard = guard or Guard([url.removeprefix("http://")])
    exchange = CoreExchange(url, guard, token=token, times=times, **more)
    core = HttpCore(CoreEndpoint(url, exchange, breaker or CircuitBreaker(), times))
    try:
        yield core
    finally:
        await core.aclose()
