"""DELETE /v1/visitor: the visitor of a cookie is forgotten."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from server.auth import cookie_name
from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import has_key, principal_of
from server.errors import KeyNotAllowed
from server.identity import USER_PREFIX


def routes(parts: Dependencies) -> list[BaseRoute]:
    """DELETE /v1/visitor: every ticket, token and copy of the cookie opens nothing any more."""

    async def leave(request: Request) -> Response:
        principal = principal_of(request)
        if has_key(request) or principal.startswith(USER_PREFIX):
            raise KeyNotAllowed("Users of an app do not leave: delete their conversations instead.")
        await parts.bus.idle_proof.withdraw(principal)
        await parts.store.revocations.revoke(principal)
        await parts.store.push_subscriptions.remove_all(principal)
        await parts.bus.signals.revoke(principal)
        response = Response(status_code=204)
        secure = request.state.secure_cookies
        name = cookie_name(secure=secure)
        response.delete_cookie(name, secure=secure, httponly=True, samesite="lax")
        return response

    return [Route("/v1/visitor", leave, methods=["DELETE"])]
