"""The endpoint of push subscriptions: a browser gives the address at which it takes messages while no page is open."""

from typing import Annotated

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from server.callbacks import PushAccess
from server.callbacks.push_encryption import BrowserKeys
from server.endpoints.address_rates import spend_of_address
from server.endpoints.bodies import JsonBody, NoControl, body_of
from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import app_of, counted_caller, is_newcomer, principal_of
from server.errors import BadFrame, NotFound, Unauthorized

MOST_ENDPOINT = 1024
"""Characters of an address."""

Endpoint = Annotated[str, Field(min_length=1, max_length=MOST_ENDPOINT), NoControl]


class PushKeys(JsonBody):
    """The keys by which the browser alone reads a message, in base64url."""

    p256dh: Annotated[str, Field(max_length=100), NoControl]
    auth: Annotated[str, Field(max_length=40), NoControl]


class PushSubscription(JsonBody):
    """What `PushSubscription.toJSON()` of a browser gives."""

    endpoint: Endpoint
    keys: PushKeys
    expiration_time: float | None = Field(None, alias="expirationTime")


class EndedSubscription(JsonBody):
    """The address of a subscription that ends."""

    endpoint: Endpoint


def routes(parts: Dependencies) -> list[BaseRoute]:
    """GET, PUT and DELETE /v1/push."""
    subscriptions = parts.store.push_subscriptions

    async def read_key(_: Request) -> Response:
        return JSONResponse({"key": None if parts.push is None else parts.push.public_key})

    async def subscribe(request: Request) -> Response:
        access, principal = await _let_in(request)
        body = await body_of(request, PushSubscription)
        try:
            BrowserKeys.of(body.keys.p256dh, body.keys.auth)
        except ValueError:
            raise BadFrame(
                "The keys of a subscription are a point of P-256 and a secret of 16 bytes."
            ) from None
        await access.guard.for_caller(counted_caller(request)).judge(body.endpoint)
        await subscriptions.put(app_of(request), principal, body.endpoint, body.keys.p256dh, body.keys.auth)
        return Response(status_code=204)

    async def unsubscribe(request: Request) -> Response:
        _, principal = await _let_in(request)
        body = await body_of(request, EndedSubscription)
        await subscriptions.remove(app_of(request), principal, body.endpoint)
        return Response(status_code=204)

    async def _let_in(request: Request) -> tuple[PushAccess, str]:
        """Return the visitor of a request. Raises NotFound, Unauthorized and RateLimited."""
        access = _access(parts)
        if is_newcomer(request):
            raise Unauthorized
        await spend_of_address(request, parts.change_rate)
        return access, principal_of(request)

    return [
        Route("/v1/push", read_key, methods=["GET"]),
        Route("/v1/push", subscribe, methods=["PUT"]),
        Route("/v1/push", unsubscribe, methods=["DELETE"]),
    ]


def _access(parts: Dependencies) -> PushAccess:
    """Return what subscribes browsers. Raises NotFound where nothing is pushed."""
    if parts.push is None:
        raise NotFound("This server pushes nothing.")
    return parts.push
