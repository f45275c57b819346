"""Tickets: the permission to open one socket, which names the session."""

import time
from typing import Annotated

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from server.auth import TICKET_SECONDS, Grant, Origins
from server.endpoints.address_rates import spend_of_address
from server.endpoints.bodies import JsonBody, NoControl, body_of
from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import address_of, app_of, has_key, identity_of, principal_of
from server.endpoints.rates import spend
from server.identity import USER_PREFIX, Identity
from server.languages import Language
from server.tracing.trace_context import incoming


class TicketBody(JsonBody):
    """Names the conversation: one of the visitor's own by its id or by the caller's alias, or a new one."""

    service: Annotated[str, Field(max_length=64), NoControl] | None = None
    session_id: Annotated[str, Field(max_length=64), NoControl] | None = None
    alias: Annotated[str, Field(min_length=1, max_length=128), NoControl] | None = None
    """The caller's own name of a conversation with the service, such as a `session_id` of `/chat`; else it begins."""
    language: Language | None = None
    origin: Annotated[str, Field(max_length=300), NoControl] | None = None
    """The origin of the page that is to open the socket, where the page's server asks for it."""


def routes(parts: Dependencies, origins: Origins) -> list[BaseRoute]:
    """POST /v1/tickets."""

    async def issue(request: Request) -> Response:
        principal = principal_of(request)
        if not has_key(request):
            # Count the address first: a client without a cookie is a new principal at each request.
            of_address = parts.ticket_rate_of_addresses, address_of(request)
            await spend(request, of_address, (parts.ticket_rate_of_visitors, principal))
        body = await body_of(request, TicketBody)
        origin = request.headers.get("origin")
        if body.origin is not None:
            origin = origins.normalize(request.scope["scheme"], request.headers, body.origin)
        if body.session_id is None:
            await spend_of_address(request, parts.conversation_rate)
            session = await parts.new_session(
                request, service=body.service, language=body.language, alias=body.alias
            )
        else:
            session = await parts.store.sessions.get(body.session_id, principal)
        identity = identity_of(request)
        wished = body.language and parts.apps[app_of(request)].language_for(body.language)
        grant = Grant(
            session_id=session.id,
            principal=principal,
            origin=origin,
            language=wished if wished and wished != session.language else "",
            identity="" if identity is None else identity.id,
            since=_since(principal, identity),
            until=0 if identity is None else identity.ends_at,
            trace=incoming() or "",
        )
        return JSONResponse(
            {
                "ticket": await parts.tickets.issue(grant),
                "expires_in": TICKET_SECONDS,
                "session_id": session.id,
                "service": session.service,
                "language": grant.language or session.language,
                "demo": parts.demo,
            }
        )

    return [Route("/v1/tickets", issue, methods=["POST"])]


def _since(principal: str, identity: Identity | None) -> int:
    """Return since when the caller is known as a user: by an identity, or now by the app's key; 0 for others."""
    if identity is not None:
        return identity.issued_at
    return int(time.time()) if principal.startswith(USER_PREFIX) else 0
