"""The application of the inbox: its routes, and a page for each error that a person can read."""

from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from server.asgi import Receive, Scope, Send
from server.endpoints.dependencies import Dependencies
from server.errors import Internal, LoopwireError, NotFound
from server.html.render import Renderer
from server.http.failures import HANDLERS, error_response, neutral_response, theirs
from server.http.inbox.access import InboxAccess, NotSignedIn
from server.http.inbox.audit import AuditPage
from server.http.inbox.conversation import InboxConversations
from server.http.inbox.lists import InboxLists
from server.http.inbox.renderer import INBOX, SIGN_IN, InboxRenderer
from server.http.inbox.sign_in import SignInPage
from server.http.inbox.streams import InboxStreams
from server.http.inbox.typing_notices import TypingNotices
from server.http.inbox.watch import InboxWatch
from server.http.pages import reads_pages
from server.rooms.admission import Admission

__all__ = ["INBOX", "InboxPages"]


class InboxPages:
    """Serves what is below `/inbox`. Acquired by `start`, released by `aclose`."""

    def __init__(
        self, parts: Dependencies, renderer: Renderer, access: InboxAccess, admission: Admission
    ) -> None:
        self._inbox_renderer = InboxRenderer(parts, renderer)
        self._watch = InboxWatch(parts.store)
        conversations = InboxConversations(parts, access, self._inbox_renderer, InboxLists(parts, renderer))
        self._streams = InboxStreams(conversations, admission, self._watch)
        shown = (
            SignInPage(parts, access, self._inbox_renderer),
            conversations,
            TypingNotices(conversations),
            self._streams,
            AuditPage(parts, access, self._inbox_renderer),
        )
        self._routes = Starlette(
            routes=[route for each in shown for route in each.routes()],
            exception_handlers={
                **HANDLERS,
                HTTPException: self._draw_unknown,
                LoopwireError: self._failure,
                Exception: self._draw_unexpected,
            },
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        scope.setdefault("state", {})
        await self._routes(scope, receive, send)

    def start(self) -> None:
        """Begin to watch for changed conversations."""
        self._watch.start()

    def drain(self) -> None:
        """Send the readers of streams away."""
        self._streams.drain()

    async def aclose(self) -> None:
        """Stop watching."""
        await self._watch.aclose()

    async def _failure(self, request: Request, error: Exception) -> Response:
        """Redirect an operator who has not signed in to the page for it; answer other errors with a page."""
        if isinstance(error, NotSignedIn):
            if request.method in ("GET", "HEAD") and request.url.path != f"{INBOX}/events":
                return RedirectResponse(SIGN_IN, 303, {"cache-control": "no-store"})
            return error_response(error)
        if isinstance(error, LoopwireError):
            return self._inbox_renderer.failure(request, error)
        return await theirs(request, error)

    async def _draw_unknown(self, request: Request, error: Exception) -> Response:
        """Answer an address that there is not with a page, and a program with JSON."""
        answer = await theirs(request, error)
        if answer.status_code == HTTPStatus.NOT_FOUND and reads_pages(request):
            return self._inbox_renderer.failure(request, NotFound())
        return answer

    async def _draw_unexpected(self, request: Request, error: Exception) -> Response:
        """Log an unexpected error; answer a page with the page of a failure, and a program with JSON."""
        answer = await neutral_response(request, error)
        return self._inbox_renderer.failure(request, Internal()) if reads_pages(request) else answer
