"""The caller of a request: a visitor, by the cookie of a request or of a socket's handshake, or by a frame's token."""

from collections.abc import Awaitable, Callable, Container
from dataclasses import dataclass

from server.asgi import Scope
from server.auth import FRAME_PREFIX, Frames, FrameVisitor, Visitors, headers_of
from server.errors import TwoVisitors, Unauthorized, Unavailable
from server.identity import Identity

IDENTIFY = "/v1/identify"
"""The path at which a user is named: a frame's token that opens nothing any more is replaced here, and not refused."""

Revoked = Callable[[str, Identity | None], Awaitable[bool]]
"""Whether a principal has left, or its identity was revoked."""


@dataclass(frozen=True, slots=True)
class ResolvedCaller:
    """The caller of a request: `principal` is None where cookies name two; a newcomer was made for this request."""

    principal: str | None
    newcomer: bool
    secure: bool
    """Whether its cookie is one that travels over HTTPS alone."""


class CallerResolver:
    """Finds the caller of each request."""

    def __init__(
        self,
        visitors: Visitors,
        frames: Frames,
        revoked: Revoked,
        *,
        apps: Container[str],
        secure_cookies: bool,
    ) -> None:
        """A visitor that was `revoked` is a new one; a frame of one, or of none of the `apps`, is refused."""
        self.visitors = visitors
        self.frames = frames
        self._revoked = revoked
        self._apps = apps
        self._secure = secure_cookies

    async def of(self, scope: Scope) -> ResolvedCaller:
        """Read the cookies of a scope, or a frame's token, and write the caller into its `state`, for the endpoints.

        The token of a frame is taken out of the scope, with the cookies: it has named the caller, and the endpoints
        would read a bearer that is left as a ticket. Raises Unauthorized for a token that is not good any more.

        At `IDENTIFY` such a token names its app and no visitor: otherwise an identity that ended could not be replaced.
        """
        secure = self.is_secure(scope)
        state = scope.setdefault("state", {})
        token = _frame_token(scope)
        if token is None:
            found = await self._find(cookies_of(scope), secure=secure)
        else:
            found = await self._of_frame(scope, token, secure=secure)
            names = (b"authorization", b"cookie")
            scope["headers"] = [pair for pair in scope["headers"] if pair[0].lower() not in names]
        state.update(principal=found.principal, newcomer=found.newcomer, secure_cookies=secure)
        return found

    def is_secure(self, scope: Scope) -> bool:
        """Return whether cookies of this request travel over HTTPS alone."""
        return self._secure or scope["scheme"] in ("https", "wss")

    async def has_left(self, principal: str, identity: Identity | None = None) -> bool:
        """Return whether this visitor has left.

        Without a database the answer is no: then nothing can be done in its name either.
        """
        try:
            return await self._revoked(principal, identity)
        except Unavailable:
            return False

    async def _of_frame(self, scope: Scope, token: str, *, secure: bool) -> ResolvedCaller:
        """Find the caller by a frame's token. Raises Unauthorized."""
        try:
            frame = await self._frame(token)
        except Unauthorized:
            if scope["path"] != IDENTIFY:
                raise
            self._note_ended(scope, token)
            return ResolvedCaller(self.visitors.new(), newcomer=True, secure=secure)
        scope["state"].update(app=frame.app, identity=frame.identity, framed=True)
        return ResolvedCaller(frame.principal, newcomer=False, secure=secure)

    async def _frame(self, token: str) -> FrameVisitor:
        """Return the visitor of a frame's token. Raises Unauthorized."""
        frame = self.frames.read_token(token)
        if frame.app not in self._apps or await self.has_left(frame.principal, frame.identity):
            raise Unauthorized
        return frame

    def _note_ended(self, scope: Scope, token: str) -> None:
        """Write the app of an ended token, and whose it was, into the state; nothing of one that is not ours."""
        try:
            frame = self.frames.read_ended_token(token)
        except Unauthorized:
            return
        if frame.app in self._apps:
            scope["state"].update(app=frame.app, framed=True, ended=frame.principal)

    async def _find(self, cookies: str, *, secure: bool) -> ResolvedCaller:
        """Find the visitor; none where cookies name two, for which `principal_of` raises."""
        try:
            principal = self.visitors.visitor_of(cookies, secure=secure)
        except TwoVisitors:
            return ResolvedCaller(None, newcomer=False, secure=secure)
        if principal is None or await self.has_left(principal):
            return ResolvedCaller(self.visitors.new(), newcomer=True, secure=secure)
        return ResolvedCaller(principal, newcomer=False, secure=secure)


def _frame_token(scope: Scope) -> str | None:
    """Return the frame's token that a request shows, if it shows one."""
    if scope["type"] != "http":  # A browser cannot send a bearer with a handshake.
        return None
    scheme, _, credential = headers_of(scope).get("authorization", "").partition(" ")
    token = credential.strip()
    return token if scheme.lower() == "bearer" and token.startswith(FRAME_PREFIX) else None


def cookies_of(scope: Scope) -> str:
    """Return all cookies of a request: HTTP/2 may send them in several lines."""
    return "; ".join(value.decode("latin-1") for name, value in scope["headers"] if name.lower() == b"cookie")
