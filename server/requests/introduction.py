"""The introduction of a visitor, by the cookie of a request or of a socket's handshake."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from server.asgi import Scope
from server.auth import Visitors
from server.errors import TwoVisitors, Unavailable

Revoked = Callable[[str], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Introduced:
    """Who comes: `principal` is None where cookies name two; a newcomer was invented for this request."""

    principal: str | None
    newcomer: bool
    secure: bool
    """Whether its cookie is one that travels over HTTPS alone."""


class Introduction:
    """Finds out who comes."""

    def __init__(self, visitors: Visitors, revoked: Revoked, *, secure_cookies: bool) -> None:
        """A visitor that was `revoked` is a new one."""
        self.visitors = visitors
        self._revoked = revoked
        self._secure = secure_cookies

    async def of(self, scope: Scope) -> Introduced:
        """Read the cookies of a scope, and write who it is into its `state`, for the endpoints."""
        secure = self._secure or scope["scheme"] in ("https", "wss")
        found = await self._find(_cookies(scope), secure=secure)
        known = {"principal": found.principal, "newcomer": found.newcomer, "secure_cookies": secure}
        scope.setdefault("state", {}).update(known)
        return found

    async def _find(self, cookies: str, *, secure: bool) -> Introduced:
        """Find the visitor; none where cookies name two, for which `principal_of` raises."""
        try:
            principal = self.visitors.visitor_of(cookies, secure=secure)
        except TwoVisitors:
            return Introduced(None, newcomer=False, secure=secure)
        if principal is None or await self._has_left(principal):
            return Introduced(self.visitors.new(), newcomer=True, secure=secure)
        return Introduced(principal, newcomer=False, secure=secure)

    async def _has_left(self, principal: str) -> bool:
        """Has this visitor left? Without a database nobody can say, and nothing can be done in its name either."""
        try:
            return await self._revoked(principal)
        except Unavailable:
            return False


def _cookies(scope: Scope) -> str:
    """Give all cookies of a request: what came by HTTP/2 may be in several lines."""
    return "; ".join(value.decode("latin-1") for name, value in scope["headers"] if name.lower() == b"cookie")
