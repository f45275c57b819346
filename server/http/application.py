"""The ASGI application of a web process, from the opening of its port to its end: one state with its answers.

| asked for | STARTING | LOADING | OPEN | LEAVING |
|---|---|---|---|---|
| `/healthz`, `/health` | 200 | 200 | 200 | 200 |
| `/static/`, `/widget.js`, `/service-worker.js`, `/offline` | the file | the file | the file | the file |
| `/readyz` | 503, `starting`, no `database` | 503, `starting` | 200 or 503, by the backend's health | 503 |
| a page | 503, a page that reloads itself | drawn | drawn | drawn, if there is a database |
| `/v1/`, `/agui/`, `/loopos_ai_…`, `/chat`, `/services`, `/docs` | 503 | waits | the backend | the backend, or 503 |
| `/inbox` | 503 | waits | the backend | the backend, or 503 |
| a socket | 503 | waits | the backend | the backend, if there is one; else 503 |

A method that the state's paths do not know is refused with 405 in each state. Every 503 has Retry-After, except that of
`/readyz`, which no client waits for. Every HTTP request passes the shield in each state; a socket has its checks in its
own endpoint.

Loading the Agents SDK takes longer than everything else of a start together, and the page does not need it: this module
imports nothing of it, nor of Redis. A stored conversation and a service's name are the backend's, so these pages wait.
"""

import asyncio
from collections.abc import Mapping
from enum import Enum, auto
from http import HTTPStatus
from pathlib import Path
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from server import __version__
from server.apps import DEMO, App, apps_of_origins
from server.asgi import Asgi, Receive, Scope, Send
from server.auth import Frames, Origins, Visitors, cookie_value, is_loopback
from server.endpoints.caller_resolver import CallerResolver
from server.endpoints.chat_refusals import CHAT, note_language
from server.endpoints.sockets import deny
from server.errors import Unavailable
from server.html.render import Renderer
from server.http.assets import assets
from server.http.compression import Compression
from server.http.failures import HANDLERS, error_response
from server.http.frame_pages import FramePages
from server.http.installation import Installation
from server.http.market_page import MarketPage
from server.http.pages import Pages, PageSnapshot, reads_pages, theme_of
from server.http.request_log import RequestLog
from server.http.shield import NOBODY, SAFE, Shield
from server.http.widget import Widget
from server.identity import Identity
from server.loopos.cores import Cores
from server.pacing import Pace
from server.settings import Settings
from server.store import Store
from server.words import choose_language

ROOT = Path(__file__).parents[2]

RETRY_AFTER_S = 2
RELOAD_S = 3
"""After so long the page of a server that starts reloads itself."""

_PACED = "/loopos_ai_"
"""Requests under this path ask a model for one object: what streams beside them goes first."""

_BACKEND = ("/v1/", "/agui/", _PACED, CHAT, "/services", "/docs", "/openapi.json", "/inbox")


class State(Enum):
    """The life of a web process, in this order; LEAVING may follow any other, and nothing follows it."""

    STARTING = auto()
    """The port is open, the database is not there yet."""
    LOADING = auto()
    """There is a database; the backend is being loaded."""
    OPEN = auto()
    """There is a backend."""
    LEAVING = auto()
    """The process ends. What it had before, it still has."""


class Backend(Protocol):
    """The API, the sockets and the runs: everything that needs the agents or Redis."""

    pace: Pace
    """The pace of the requests of services, and of their runs here."""

    async def serve_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request of the API that passed the shield."""

    async def serve_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a socket."""

    async def snapshot(self, session_id: str) -> PageSnapshot:
        """Return a conversation at one position of its log."""
        ...

    async def health(self) -> dict[str, Any]:
        """Return the state of each part, for `/readyz`: without its `database` the process is not ready."""
        ...

    async def drain(self) -> None:
        """Refuse new sockets, send all clients away, and let what runs come to its end."""


class Application:
    """Serves every request and every socket of a web process."""

    def __init__(self, settings: Settings, apps: Mapping[str, App]) -> None:
        self.state = State.STARTING
        self.renderer = Renderer(ROOT / "web", languages=apps[DEMO].spoken)
        allowed = settings.allowed_origins | apps_of_origins(apps).keys()
        self.origins = Origins(allowed, loopback=is_loopback(settings.host))
        self.caller_resolver = CallerResolver(
            Visitors(settings.secret),
            Frames(settings.secret),
            self._is_revoked,
            apps=apps,
            secure_cookies=settings.secure_cookies,
        )
        self.apps = apps
        self._settings = settings
        self._store: Store | None = None
        self._backend: Backend | None = None
        self._loaded = asyncio.Event()
        """No request waits any more: the backend is there, or never will be."""
        routes = [
            Route("/healthz", _alive),
            Route("/health", _alive),
            Route("/readyz", self._ready),
            *Widget(ROOT / "web" / "static" / "widget" / "widget.js", __version__).routes(),
            *Installation(ROOT / "web", self.renderer, installable=apps[DEMO].installable).routes(),
            *assets(ROOT),
        ]
        self._common_routes = routes
        self._routes: Asgi = Starlette(routes=routes, exception_handlers=HANDLERS)
        self._requests = RequestLog(
            Compression(
                Shield(
                    self._serve_request,
                    origins=self.origins,
                    caller_resolver=self.caller_resolver,
                    limits=settings,
                    framed_by={name: app.origins for name, app in apps.items()},
                )
            )
        )

    def use_storage(self, store: Store, cores: Cores) -> None:
        """Draw pages from here on, unless the process leaves already."""
        if self.state is not State.STARTING:
            return
        pages = self._pages(store, cores)
        failures = {**HANDLERS, Exception: pages.last_handler(HANDLERS[Exception])}
        shown = (self._frame_pages(store), self._market_page(), pages)
        routes = [*self._common_routes, *(route for each in shown for route in each.routes())]
        self._routes = Starlette(routes=routes, exception_handlers=failures)
        self._store = store
        self.state = State.LOADING

    def open(self, backend: Backend) -> None:
        """Serve what waits for the backend, unless the process leaves already."""
        if self.state is State.LOADING:
            self._backend = backend
            self.state = State.OPEN
            self._loaded.set()

    def refuse_waiting(self) -> None:
        """Refuse what waits for a backend that is not there yet."""
        self.state = State.LEAVING
        self._loaded.set()

    async def drain(self) -> None:
        """Leave; returns once the backend, if there is one, has sent all clients away and its runs have ended."""
        self.refuse_waiting()
        if self._backend is not None:
            await self._backend.drain()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one socket."""
        if scope["type"] != "websocket":
            await self._serve_in_steps(scope, receive, send)
        elif (backend := await self._loaded_backend()) is not None:
            await backend.serve_socket(scope, receive, send)
        else:
            await receive()  # websocket.connect
            await deny(send, HTTPStatus.SERVICE_UNAVAILABLE)

    async def _serve_in_steps(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, once there is a backend: that of a service in steps, the body of another in a turn."""
        if scope["path"].startswith(CHAT):
            note_language(scope, self._language_of(Request(scope)))
        serving = self._requests(scope, receive, send)
        if self._backend is not None and scope["path"].startswith(_PACED):
            serving = self._backend.pace.run(serving)
        elif self._backend is not None:
            scope.setdefault("state", {})["pace"] = self._backend.pace
        await serving

    async def _serve_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request that passed the shield."""
        path, answer = scope["path"], self._routes
        if self._store is None and not path.startswith(NOBODY):
            answer = self._starting_response(Request(scope))
        elif path.startswith(_BACKEND):
            backend = await self._loaded_backend()
            answer = error_response(_unavailable(), scope) if backend is None else backend.serve_request
        await answer(scope, receive, send)

    async def _loaded_backend(self) -> Backend | None:
        """Return the backend, after its loading; None when there is none, and waiting would be of no use."""
        if self.state is State.LOADING:
            await self._loaded.wait()
        return self._backend

    async def _ready(self, _: Request) -> Response:
        report: dict[str, Any] = {"ready": False, "starting": True}
        if self._store is None:
            report["database"] = False
        elif self._backend is not None:
            health = await self._backend.health()
            leaving = self.state is State.LEAVING  # Read the state after the await.
            report = {"ready": health["database"] and not leaving, "draining": leaving, **health}
        return JSONResponse(report, HTTPStatus.OK if report["ready"] else HTTPStatus.SERVICE_UNAVAILABLE)

    def _starting_response(self, request: Request) -> Response:
        """Refuse: a browser gets a page that reloads itself, a program an error."""
        if request.method not in SAFE or not reads_pages(request):
            return error_response(_unavailable(), request.scope)
        values = {"theme": theme_of(request), "seconds": RELOAD_S}
        return HTMLResponse(
            self.renderer.page("starting.html", self._language_of(request), **values),
            HTTPStatus.SERVICE_UNAVAILABLE,
            headers={
                "cache-control": "no-store",
                "retry-after": str(RETRY_AFTER_S),
                "vary": "Cookie, Accept, Accept-Language",
            },
        )

    def _pages(self, store: Store, cores: Cores) -> Pages:
        return Pages(
            store=store,
            cores=cores,
            renderer=self.renderer,
            snapshot=self._snapshot,
            offers=self._offers,
            language_of=self._language_of,
            app=DEMO,
            service=self.apps[DEMO].service,
            demo=self._settings.demo,
            installable=self.apps[DEMO].installable,
            secure=self._settings.secure_cookies,
        )

    def _frame_pages(self, store: Store) -> FramePages:
        return FramePages(
            store=store,
            renderer=self.renderer,
            caller_resolver=self.caller_resolver,
            origins=self.origins,
            apps=self.apps,
            offers=self._offers,
            language=self._settings.language,
            demo=self._settings.demo,
        )

    def _market_page(self) -> MarketPage:
        public = (self._settings.public_url or "").rstrip("/")

        def chat_of(request: Request) -> str:
            return public or self.origins.other_site(request.url.scheme, request.headers.get("host", ""))

        return MarketPage(renderer=self.renderer, language_of=self._language_of, app=DEMO, chat_of=chat_of)

    async def _snapshot(self, session_id: str) -> PageSnapshot:
        return await (await self._required_backend()).snapshot(session_id)

    async def _offers(self, service: str) -> bool:
        """Return whether there is such a service; the backend brings their names."""
        await self._required_backend()
        return self.renderer.knows(service)

    async def _required_backend(self) -> Backend:
        """Return the backend, after its loading. Raises Unavailable when there will be none."""
        backend = await self._loaded_backend()
        if backend is None:
            raise _unavailable()
        return backend

    async def _is_revoked(self, principal: str, identity: Identity | None) -> bool:
        """Return whether a visitor has left, or its identity was revoked. Raises Unavailable without a database."""
        if self._store is None:
            raise _unavailable()
        return await self._store.revocations.ends(principal, identity)

    def _language_of(self, request: Request) -> str:
        accepted = request.headers.get("accept-language", "")
        remembered, spoken = cookie_value(request.headers, "language"), self.apps[DEMO].spoken
        return choose_language(remembered, accepted, self._settings.language, spoken)


async def _alive(_: Request) -> Response:
    return JSONResponse({"alive": True})


def _unavailable() -> Unavailable:
    return Unavailable(retry_after=RETRY_AFTER_S)
