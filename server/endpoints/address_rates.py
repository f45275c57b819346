"""The rates that a request spends for its address, unless it was counted for the app whose key it has."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from starlette.requests import HTTPConnection

from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import address_of, app_of, counted_caller, has_key
from server.endpoints.rates import RequestRate, spend
from server.limit_counters import HeldShare


async def spend_of_address(request: HTTPConnection, rate: RequestRate) -> None:
    """Count a request for its address, unless it was counted for an app. Raises RateLimited."""
    if not has_key(request):
        await spend(request, (rate, address_of(request)))


async def spend_request(request: HTTPConnection, parts: Dependencies, service: str) -> None:
    """Count a request of a service, for its address or for the app whose key it has. Raises RateLimited."""
    if not has_key(request):
        own = address_of(request)
        await spend(request, (parts.request_rate, own), (parts.service_rates[service], own))
    elif (rate := parts.app_service_rates.get((app_of(request), service))) is not None:
        await spend(request, (rate, counted_caller(request)))


@contextmanager
def hold_pictures(
    request: HTTPConnection, parts: Dependencies, sources: Iterable[str | bytes]
) -> Iterator[HeldShare]:
    """Count the bytes of pictures from their arrival until they are read. Raises RateLimited and Unavailable."""
    with parts.waiting_pictures.share(counted_caller(request)) as held:
        held.add(sum(map(len, sources)))
        yield held


async def spend_images(request: HTTPConnection, parts: Dependencies, count: int) -> None:
    """Count pictures before they are read. Raises RateLimited."""
    if count:
        rate = parts.app_image_rates[app_of(request)] if has_key(request) else parts.image_rate
        await spend(request, (rate, counted_caller(request)), by=count)
