"""The application of the inbox: its routes, and a page for each error that a person can read."""

from dataclasses import asdict

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from server.asgi import Receive, Scope, Send
from server.endpoints.dependencies import Dependencies
from server.errors import LoopwireError
from server.html.render import Renderer
from server.http.failures import HANDLERS, theirs
from server.http.inbox.access import InboxAccess, NotSignedIn
from server.http.inbox.drawing import INBOX, SIGN_IN, InboxDrawing
from server.http.inbox.sign_in import SignInPage

__all__ = ["INBOX", "InboxPages"]

MOST_SHOWN = 50


class InboxPages:
    """Serves what is below `/inbox`."""

    def __init__(self, parts: Dependencies, renderer: Renderer, access: InboxAccess) -> None:
        self._parts = parts
        self._access = access
        self._drawing = InboxDrawing(parts, renderer)
        sign_in = SignInPage(parts, access, self._drawing)
        self._routes = Starlette(
            routes=[Route(INBOX, self._list, methods=["GET"]), *sign_in.routes()],
            exception_handlers={**HANDLERS, LoopwireError: self._failure},
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        scope.setdefault("state", {})
        await self._routes(scope, receive, send)

    async def _list(self, request: Request) -> Response:
        """Show the newest conversations of the operator's apps."""
        account = (await self._access.signed_in(request)).account
        lines = []
        for app in account.roles:
            await self._parts.store.operator_actions.record(
                app=app, key_id=account.id, session_id=None, action="list"
            )
            without = [name for name, each in self._parts.services.items() if each.contract is not None]
            found = await self._parts.store.operated.list_newest(app, MOST_SHOWN, without=without)
            lines += [{**asdict(each), "app": app} for each in found]
        lines.sort(key=lambda each: each["updated_at"], reverse=True)
        return self._drawing.page(request, "inbox/list.html", account=account, lines=lines)

    async def _failure(self, request: Request, error: Exception) -> Response:
        """Send who has not signed in to the page for it, and answer other errors with a page."""
        if isinstance(error, NotSignedIn):
            return RedirectResponse(SIGN_IN, 303, {"cache-control": "no-store"})
        if isinstance(error, LoopwireError):
            return self._drawing.failure(request, error)
        return await theirs(request, error)
