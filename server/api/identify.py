"""Identities over HTTP: a visitor becomes the user of an app's token or signs out, and the app's key revokes."""

import time
from collections.abc import Awaitable
from typing import Annotated

from pydantic import Field, model_validator
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from server.apps import apps_of_origins
from server.auth import FrameVisitor, Origins
from server.endpoints.address_rates import spend_of_address
from server.endpoints.bodies import JsonBody, NoControl, body_of
from server.endpoints.caller_resolver import IDENTIFY, CallerResolver
from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import (
    app_of,
    ended_principal_of,
    has_key,
    identity_of,
    in_frame,
    is_newcomer,
    principal_of,
)
from server.errors import Forbidden, KeyNotAllowed, NotFound, Unauthorized
from server.identities import VerifiedUser, Verifier
from server.identities.errors import IdentityAudience, IdentityRevoked
from server.identities.token_claims import MOST_NAME
from server.identity import VISITOR_PREFIX, claimed_from, id_of_jti, identities_of
from server.protocol.commands import Hello
from server.rooms.admission import Admission
from server.store import Session

_Name = Annotated[str, Field(min_length=1, max_length=MOST_NAME), NoControl]


class IdentifyBody(JsonBody):
    """The token of the app that names the user; null signs out."""

    token: str | None
    app: Annotated[str, Field(min_length=1, max_length=200), NoControl] | None = None
    """The app of the token, where neither a frame nor the page's origin determines it."""
    session_id: Annotated[str, Field(max_length=64), NoControl] | None = None
    """The conversation that is open."""
    resume_token: Annotated[str, Field(max_length=4096)] | None = None
    """The token of that conversation: it shows that its visitor asks, where neither a cookie nor a frame does."""
    service: Annotated[str, Field(max_length=64), NoControl] | None = None
    """The service of the conversation that is opened where the open one is another's."""


class RevokeBody(JsonBody):
    """The tokens to revoke: all of a user that were issued up to now, or one by its `jti`."""

    user: _Name | None = None
    jti: _Name | None = None

    @model_validator(mode="after")
    def _names_one(self) -> "RevokeBody":
        if (self.user is None) == (self.jti is None):
            raise ValueError("name either a user or a jti")
        return self


class Identify:
    """POST /v1/identify and POST /v1/identities/revoke."""

    def __init__(
        self,
        parts: Dependencies,
        verifier: Verifier,
        caller_resolver: CallerResolver,
        admission: Admission,
        origins: Origins,
    ) -> None:
        self._origins = origins
        self._parts = parts
        self._verifier = verifier
        self._caller_resolver = caller_resolver
        self._admission = admission
        self._app_of_origin = apps_of_origins(parts.apps)

    def routes(self) -> list[BaseRoute]:
        """Return the two paths."""
        return [
            Route(IDENTIFY, self._identify, methods=["POST"]),
            Route("/v1/identities/revoke", self._revoke, methods=["POST"]),
        ]

    async def _identify(self, request: Request) -> Response:
        if has_key(request):
            raise KeyNotAllowed("A key speaks for the users that Loopwire-User names: no token is needed.")
        await spend_of_address(request, self._parts.identity_rate)
        body = await body_of(request, IdentifyBody)
        app = self._app(request, body)
        if body.token is None:
            return await self._sign_out(request, app)
        verified = await self._verifier.verify(app, body.token)
        if await self._parts.store.revocations.ends(verified.principal, verified.identity):
            raise IdentityRevoked
        is_named = identity_of(request) is not None
        known = verified.principal == (principal_of(request) if is_named else ended_principal_of(request))
        if is_named and not known:
            # A client that becomes another user signs out as the former one.
            await self._leave_identity(request)
        visitor = await self._visitor(request, body)
        claimed = [] if visitor is None else await self._claim(app, visitor, verified.principal)
        shown = FrameVisitor(verified.principal, app, verified.identity)
        return JSONResponse(
            {
                "token": self._caller_resolver.frames.token(shown),
                "expires_in": max(0, verified.identity.ends_at - int(time.time())),
                "app": app,
                "user": verified.user,
                "session_id": await self._session_of(app, verified, body, known=known),
                "claimed": len(claimed),
            },
            headers={"cache-control": "no-store"},
        )

    def _app(self, request: Request, body: IdentifyBody) -> str:
        """Return the app that is meant. Raises IdentityAudience where a frame or an origin is another's."""
        known = (
            app_of(request)
            if in_frame(request)
            else self._app_of_origin.get(request.headers.get("origin", ""))
        )
        if known is not None and body.app not in (None, known):
            raise IdentityAudience
        return known or body.app or app_of(request)

    async def _visitor(self, request: Request, body: IdentifyBody) -> str | None:
        """Return the anonymous visitor who asks: by a resume token, a frame or a cookie; None where there is none."""
        if body.resume_token is not None:
            try:
                principal = await self._visitor_of_token(request, body.resume_token)
            except (Unauthorized, Forbidden, NotFound):
                return None  # An old token is no reason to refuse a good identity.
            return principal if principal.startswith(VISITOR_PREFIX) else None
        if is_newcomer(request):
            return None
        principal = principal_of(request)
        return principal if principal.startswith(VISITOR_PREFIX) else None

    async def _visitor_of_token(self, request: Request, token: str) -> str:
        """Return whose a resume token is. Raises Unauthorized, Forbidden and NotFound."""
        hello, scheme = Hello(type="hello", resume_token=token), request.scope["scheme"]
        grant = await self._admission.read_grant(hello, *self._origins.possible(scheme, request.headers))
        return (await self._admission.session(grant)).principal

    async def _claim(self, app: str, visitor: str, user: str) -> list[str]:
        """Make the visitor's conversations the user's; their readers come back as the user."""
        bus = self._parts.bus
        await bus.idle_proof.withdraw(visitor)
        claimed = await self._parts.store.hand_overs.hand_over(app, visitor, user)
        for id in claimed:
            await bus.signals.revoke(claimed_from(id, visitor))
        return claimed

    async def _session_of(
        self, app: str, verified: VerifiedUser, body: IdentifyBody, *, known: bool
    ) -> str | None:
        """Return the conversation that goes on: the open one where it is the user's, else the newest of the service.

        An open one without messages gives way. A client that is `known` as this user already has chosen the open one.
        """
        shown = await self._own_session(app, verified.principal, body.session_id)
        if known or (shown is not None and shown.last_run is not None):
            return None if shown is None else shown.id
        own = None if shown is None else shown.id
        service = body.service or self._parts.apps[app].service
        newest = await self._parts.store.sessions.list_summaries(app, verified.principal, 1, service=service)
        return newest[0].id if newest else own

    async def _own_session(self, app: str, principal: str, session_id: str | None) -> Session | None:
        """Return the conversation of this id where it is the user's by now."""
        if session_id is None:
            return None
        try:
            session = await self._parts.store.sessions.get(session_id, principal)
        except (NotFound, Unauthorized):
            return None
        return session if session.app == app else None

    async def _sign_out(self, request: Request, app: str) -> Response:
        """End the identity of the request, and set the cookie of a new visitor."""
        await self._leave_identity(request)
        visitor = self._caller_resolver.frames.new(app)
        shown = {
            "token": self._caller_resolver.frames.token(visitor),
            "app": app,
            "user": None,
            "session_id": None,
        }
        return JSONResponse({**shown, "claimed": 0}, headers={"cache-control": "no-store"})

    async def _revoke(self, request: Request) -> Response:
        if not has_key(request):
            raise Unauthorized("Identities are revoked with a key of the app.")
        body, app = await body_of(request, RevokeBody), app_of(request)
        revocations = self._parts.store.revocations
        if body.jti is not None:
            subject = id_of_jti(app, body.jti)
            await self._end(subject, revocations.revoke(subject))
        elif body.user is not None:
            principal = self._verifier.principal_of(app, body.user)
            await self._end(identities_of(principal), revocations.revoke_all_of(principal))
        return Response(status_code=204)

    async def _leave_identity(self, request: Request) -> None:
        """End the identity that is shown: its token, and what it has opened."""
        identity = identity_of(request)
        if identity is not None:
            await self._end(identity.id, self._parts.store.revocations.revoke(identity.id))

    async def _end(self, subject: str, revoking: Awaitable[None]) -> None:
        """Revoke a subject, and end what it has opened on every instance."""
        await self._parts.bus.idle_proof.withdraw(subject)
        await revoking
        await self._parts.bus.signals.revoke(subject)
