"""The rates that a request spends for its address, unless it was counted for the app whose key it has."""

from starlette.requests import HTTPConnection

from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import address_of, counted_caller, has_key
from server.endpoints.rates import RequestRate, spend


async def spend_of_address(request: HTTPConnection, rate: RequestRate) -> None:
    """Count a request for its address, unless it was counted for an app. Raises RateLimited."""
    if not has_key(request):
        await spend(request, (rate, address_of(request)))


async def spend_images(request: HTTPConnection, parts: Dependencies, count: int) -> None:
    """Count pictures before they are read. Raises RateLimited."""
    if count:
        await spend(request, (parts.image_rate, counted_caller(request)), by=count)
