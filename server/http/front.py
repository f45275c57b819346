"""The application in front: pages and files, open before the agents are loaded; the rest waits for them.

Loading the Agents SDK takes longer than everything else of a start together, and nobody who opens the page needs it
before the first message.
"""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Protocol

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from server import __version__
from server.apps import DEMO, App
from server.asgi import Asgi, Receive, Scope, Send
from server.auth import Origins, Visitors, cookie_value, is_loopback
from server.errors import Unavailable
from server.html.render import Renderer
from server.html.words import choose_language
from server.http.failures import HANDLERS, error_response
from server.http.pages import Pages, PageSnapshot, assets
from server.http.shield import Shield
from server.loopos.core import Core
from server.rooms.wire import deny
from server.settings import Settings
from server.store import Store

ROOT = Path(__file__).parents[2]

_READY = "/readyz"
_INSIDE = ("/v1/", "/agui/", _READY)


class Closed(Unavailable):
    """The server leaves before it has opened."""


class Backend(Protocol):
    """What lies behind the front: the API, the sockets and whoever executes runs."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request of the API, which the shield let through, or a socket."""

    async def snapshot(self, session_id: str) -> PageSnapshot:
        """Give a conversation at one position of its log."""
        ...

    async def drain(self) -> None:
        """Refuse newcomers, send everybody away, and let what runs come to its end."""


class Front:
    """The ASGI application; what it cannot serve itself waits until `open` is called, which takes a second or two."""

    def __init__(self, settings: Settings, store: Store, core: Core, apps: Mapping[str, App]) -> None:
        self.store, self.core = store, core
        self.apps = apps
        self.drawing = Renderer(ROOT / "web")
        self.origins = Origins(settings.allowed_origins, loopback=is_loopback(settings.host))
        self._settings = settings
        self.leaving = False
        """Nobody will be let in any more."""
        self._backend: Backend | None = None
        self._opened = asyncio.Event()
        self._pages = Pages(
            store=store,
            core=core,
            renderer=self.drawing,
            snapshot=self._snapshot,
            offers=self._offers,
            language_of=self._language_of,
            app=DEMO,
            service=apps[DEMO].service,
            demo=settings.demo,
            secure=settings.secure_cookies,
            version=__version__,
        )
        failures = {**HANDLERS, Exception: self._pages.last_handler(HANDLERS[Exception])}
        self._routes: Asgi = Starlette(routes=self._own_routes(), exception_handlers=failures)
        self._shielded = Shield(
            self._serve,
            origins=self.origins,
            visitors=Visitors(settings.secret),
            revoked=store.revocations.holds,
            secure_cookies=settings.secure_cookies,
            limits=settings,
        )

    def open(self, backend: Backend) -> None:
        """Let everybody in."""
        self._backend = backend
        self._opened.set()

    def shut(self) -> None:
        """Let nobody wait any more: without a backend, a request for what it serves is refused."""
        self.leaving = True
        self._opened.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one socket."""
        try:
            if scope["type"] == "websocket":
                await (await self._inside())(scope, receive, send)
            else:
                await self._shielded(scope, receive, send)
        except Closed as error:
            if scope["type"] == "websocket":
                await receive()  # websocket.connect
                await deny(send, HTTPStatus.SERVICE_UNAVAILABLE)
            else:
                await error_response(error)(scope, receive, send)

    async def drain(self) -> None:
        """Drain the backend; before there is one, see to it that none is opened."""
        if self._backend is not None:
            await self._backend.drain()
        else:
            self.shut()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request that the shield let through."""
        path = scope["path"]
        if path == _READY and self._backend is None:
            await JSONResponse({"ready": False, "starting": True}, 503)(scope, receive, send)
        elif path.startswith(_INSIDE):
            await (await self._inside())(scope, receive, send)
        else:
            await self._routes(scope, receive, send)

    async def _inside(self) -> Backend:
        await self._opened.wait()
        if self._backend is None:
            raise Closed(retry_after=2)
        return self._backend

    async def _snapshot(self, session_id: str) -> PageSnapshot:
        return await (await self._inside()).snapshot(session_id)

    async def _offers(self, service: str) -> bool:
        """Say whether there is such a service, once the services are known."""
        await self._inside()
        return self.drawing.knows(service)

    def _language_of(self, request: Request) -> str:
        accepted = request.headers.get("accept-language", "")
        return choose_language(cookie_value(request.headers, "language"), accepted, self._settings.language)

    def _own_routes(self) -> list[BaseRoute]:
        return [Route("/healthz", _alive), *assets(ROOT), *self._pages.routes()]


async def _alive(_: Request) -> Response:
    return JSONResponse({"alive": True})
