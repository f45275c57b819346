"""The callers of services over REST: apps by their keys, visitors by their cookies, others by the session they name."""

import hashlib
import hmac
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from server.endpoints.identity import address_of, app_of, has_key, in_frame, is_newcomer, principal_of
from server.errors import NoKey
from server.identity import CALLER_PREFIX
from server.store import Store

OF_BROWSERS = ("origin", "sec-fetch-site")
"""Headers that a browser sends with what a page asks, and a program without one does not."""


@dataclass(frozen=True)
class ApiCaller:
    """An app, and the principal in it whose conversations are meant."""

    app: str
    principal: str


class Callers:
    """Recognises callers."""

    def __init__(self, secret: bytes, store: Store, *, open_to_all: bool) -> None:
        """`open_to_all` lets in a client that has neither a key nor a cookie."""
        self._secret = secret
        self._store = store
        self._open = open_to_all

    def require_known(self, request: HTTPConnection) -> None:
        """Raise NoKey for a stranger where only known callers are answered."""
        if is_newcomer(request) and not self._open:
            raise NoKey

    async def of(self, request: HTTPConnection, service: str, session_id: str | None) -> ApiCaller:
        """Return the caller of a request for the session that it calls `session_id`.

        A caller without key and cookie is known by the `session_id` that it chose: a client that knows it goes on
        with the conversation, as at LoopOS, so it should not be guessable. Without one it is a new visitor. Raises
        NoKey where the installation requires a key.
        """
        first, *others = self.meant(request, session_id)
        if others and session_id is not None:
            for each in (first, *others):
                if await self._store.caller_names.exists(each.app, each.principal, service, session_id):
                    return each
        return first

    def meant(self, request: HTTPConnection, session_id: str | None) -> list[ApiCaller]:
        """Return the callers that may be meant, the likeliest first. Raises NoKey and TwoVisitors.

        A program that keeps cookies may have begun a session by its name alone, and got a cookie since then, from a
        page or a ticket. It is the visitor of the cookie, and where that one has no such session, the caller that the
        name identifies. A browser is the visitor alone: a stranger may have begun a session of that name to read what a
        person writes there.
        """
        self.require_known(request)
        app = app_of(request)
        named = [] if session_id is None else [ApiCaller(app, self._principal("session", session_id))]
        if is_newcomer(request):
            return named or [ApiCaller(app, principal_of(request))]
        known = ApiCaller(app, principal_of(request))
        return [known, *named] if self._open and _is_program_with_cookie(request) else [known]

    def owner(self, request: HTTPConnection) -> ApiCaller:
        """Return whose conversations without a name are looked through: without key and cookie, those of an address."""
        self.require_known(request)
        app = app_of(request)
        if is_newcomer(request):
            return ApiCaller(app, self._principal("address", address_of(request)))
        return ApiCaller(app, principal_of(request))

    def _principal(self, kind: str, name: str) -> str:
        made = hmac.digest(self._secret, f"{kind}\0{name}".encode(), hashlib.sha256)
        return f"{CALLER_PREFIX}{made.hex()[:32]}"


def _is_program_with_cookie(request: HTTPConnection) -> bool:
    """Return whether a visitor's cookie has named a caller that is no browser."""
    shown = any(name in request.headers for name in OF_BROWSERS)
    return not (has_key(request) or in_frame(request) or shown)
