"""The application of a web process until its database is there: alive, not ready, come again."""

from http import HTTPStatus

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from server import __version__
from server.asgi import Asgi, Receive, Scope, Send
from server.auth import Origins, Visitors, cookie_value, is_loopback
from server.errors import Unavailable
from server.html.render import Renderer
from server.html.words import choose_language
from server.http.failures import HANDLERS, error_response
from server.http.front import ROOT, Front
from server.http.pages import assets, reads_pages, theme_of
from server.http.shield import SAFE, Shield
from server.rooms.wire import deny
from server.settings import Settings

AGAIN_S = 2.0
RELOAD_S = 3
"""How long the page waits that opens by itself."""


class Entrance:
    """The ASGI application from the first moment on; the front takes over as soon as there is one."""

    def __init__(self, settings: Settings) -> None:
        self._front: Front | None = None
        self._settings = settings
        self._drawing = Renderer(ROOT / "web")
        routes = [Route("/healthz", _alive), Route("/readyz", _not_ready), *assets(ROOT)]
        self._files: Asgi = Starlette(routes=routes, exception_handlers=HANDLERS)
        self._shielded = Shield(
            self._serve,
            origins=Origins(settings.allowed_origins, loopback=is_loopback(settings.host)),
            visitors=Visitors(settings.secret),
            revoked=_nobody_knows,
            secure_cookies=settings.secure_cookies,
            limits=settings,
        )

    def open(self, front: Front) -> None:
        """Leave everything to the front."""
        self._front = front

    async def drain(self) -> None:
        """Drain what there is."""
        if self._front is not None:
            await self._front.drain()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one socket."""
        if self._front is not None:
            await self._front(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()  # websocket.connect
            await deny(send, HTTPStatus.SERVICE_UNAVAILABLE)
        else:
            await self._shielded(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request that the shield let through."""
        request = Request(scope)
        if scope["path"].startswith(("/static/", "/healthz", "/readyz")):
            await self._files(scope, receive, send)
        elif scope["method"] in SAFE and reads_pages(request):
            await self._page(request)(scope, receive, send)
        else:
            await error_response(Unavailable(retry_after=AGAIN_S))(scope, receive, send)

    def _page(self, request: Request) -> Response:
        """Draw the page that says that we start, and that asks again by itself."""
        accepted = request.headers.get("accept-language", "")
        language = choose_language(
            cookie_value(request.headers, "language"), accepted, self._settings.language
        )
        values = {"theme": theme_of(request), "version": __version__, "seconds": RELOAD_S}
        return HTMLResponse(
            self._drawing.page("starting.html", language, **values),
            HTTPStatus.SERVICE_UNAVAILABLE,
            headers={
                "cache-control": "no-store",
                "retry-after": f"{AGAIN_S:.0f}",
                "vary": "Cookie, Accept, Accept-Language",
            },
        )


async def _alive(_: Request) -> Response:
    return JSONResponse({"alive": True})


async def _not_ready(_: Request) -> Response:
    told = {"ready": False, "starting": True, "database": False}
    return JSONResponse(told, HTTPStatus.SERVICE_UNAVAILABLE)


async def _nobody_knows(_: str) -> bool:
    """Say whether a visitor has left: without a database nobody can."""
    raise Unavailable
