"""Visitors of frames: by the cookie of a frame or by the token that it posts, with the conversation that goes on."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from server import patterns
from server.auth import FrameVisitor, Origins
from server.endpoints.caller_resolver import CallerResolver, cookies_of
from server.errors import BadFrame, NotFound, UnsupportedMediaType
from server.store import Store

FEW = 20
"""Conversations among which the newest with the service is looked for."""

_SESSION = patterns.compile(r"[A-Za-z0-9_]{1,64}")


@dataclass(frozen=True)
class FrameVisitors:
    """Finds the visitors of frames, and sets their cookies."""

    store: Store
    caller_resolver: CallerResolver
    origins: Origins

    def set_cookie(self, request: Request, response: Response, visitor: FrameVisitor) -> Response:
        """Lead the frame back to this visitor where its cookie names another one; a user gets no cookie."""
        shown = self.shown_visitor(request, visitor.app)
        if shown is not None and shown != visitor and visitor.identity is None:
            self._append_cookie(request, response, visitor)
        return response

    def _append_cookie(self, request: Request, response: Response, visitor: FrameVisitor) -> None:
        """Set the cookie, of this machine in both forms: a browser takes the secure one in a frame on another site."""
        for secure in self._forms(request):
            cookie = self.caller_resolver.frames.cookie(visitor, secure=secure)
            response.headers.append("set-cookie", cookie)

    async def meet(self, request: Request, visitor: FrameVisitor) -> Response:
        """Answer the frame of a new visitor with the token of the cookie's visitor, or set the cookie of its own."""
        shown = self.shown_visitor(request, visitor.app)
        is_known = shown is not None and not await self.caller_resolver.has_left(shown.principal)
        known = shown if is_known and visitor.identity is None else None
        token = None if known is None else self.caller_resolver.frames.token(known)
        response = JSONResponse({"token": token}, headers={"cache-control": "no-store"})
        if known is None and visitor.identity is None:
            self._append_cookie(request, response, visitor)
        return response

    def shown_visitor(self, request: Request, app: str) -> FrameVisitor | None:
        """Return the visitor of the frame's cookie."""
        cookies, frames = cookies_of(request.scope), self.caller_resolver.frames
        shown = (frames.visitor_of_cookie(cookies, app, secure=each) for each in self._forms(request))
        return next((each for each in shown if each is not None), None)

    def _forms(self, request: Request) -> tuple[bool, ...]:
        """Return the forms of the cookie that count, by whether they are secure."""
        if self.caller_resolver.is_secure(request.scope):
            return (True,)
        return (False, True) if self.other_site(request) else (False,)

    def other_site(self, request: Request) -> str:
        return self.origins.other_site(request.url.scheme, request.headers.get("host", ""))

    async def find(self, request: Request, app: str, service: str) -> tuple[FrameVisitor | None, str]:
        """Return the visitor of the frame's cookie, and the newest of its conversations with the service."""
        visitor = self.shown_visitor(request, app)
        if visitor is None or await self.caller_resolver.has_left(visitor.principal):
            return None, ""
        lines = await self.store.sessions.list_summaries(app, visitor.principal, FEW)
        return visitor, next((each.id for each in lines if each.service == service), "")

    async def read_form(self, given: Mapping[str, str], app: str) -> tuple[FrameVisitor, str]:
        """Return the visitor of a token that the frame posts, and the conversation that it goes on with."""
        visitor = self.caller_resolver.frames.read_token(given.get("token", ""))
        if visitor.app != app or await self.caller_resolver.has_left(visitor.principal, visitor.identity):
            raise NotFound
        session_id = given.get("session", "")
        if not session_id:
            return visitor, ""
        if not _SESSION.fullmatch(session_id):
            raise NotFound
        session = await self.store.sessions.get(session_id, visitor.principal)
        if session.app != app:
            raise NotFound
        return visitor, session.id


async def form_of(request: Request) -> dict[str, str]:
    """Read what a frame posts about itself. Raises BadFrame, and UnsupportedMediaType for one that is compressed."""
    if "content-encoding" in request.headers:
        raise UnsupportedMediaType
    if request.headers.get("content-type", "").partition(";")[0] != "application/x-www-form-urlencoded":
        raise BadFrame
    raw = b"".join([part async for part in request.stream()])
    try:
        return dict(parse_qsl(raw.decode(), max_num_fields=4))
    except ValueError as error:
        raise BadFrame from error
