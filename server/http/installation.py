"""The page as an app that a browser installs, and the page that it shows while this server cannot be reached.

The service worker (`web/static/js/service_worker.js`) shows one page, `/offline`, where a navigation fails, and keeps
nothing else. An app that is not `installable` serves a worker in its place that removes the former one, and its page
names no manifest.
"""

import base64
import hashlib
import json
from http import HTTPStatus
from pathlib import Path

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from server import patterns
from server.errors import NotFound
from server.html.files.page_files import background_colours, page_files
from server.html.render import Renderer
from server.http.pages import THEMES
from server.languages import LOCALES, Language, nearest_language

MANIFEST, WORKER, OFFLINE = "/manifest.webmanifest", "/service-worker.js", "/offline"
REVALIDATED = {"cache-control": "no-cache"}

_ICONS = (
    ("icons/icon-192.png", "192x192", "any"),
    ("icons/icon-512.png", "512x512", "any"),
    ("icons/maskable-512.png", "512x512", "maskable"),
)
_FONT = patterns.compile(r"@font-face\{[^}]*\}")


class Installation:
    """Serves the manifest, the service worker and the page that it shows."""

    def __init__(self, web: Path, renderer: Renderer, *, installable: bool) -> None:
        self._installable = installable
        self._renderer = renderer
        self._colours = background_colours(web)
        files = page_files(web).files
        self._worker = files[f"js/{'service' if installable else 'removed'}_worker.js"]
        # The page stands alone, without the files of this server: its fonts would not be found.
        self._style = _FONT.sub("", files["css/offline.css"].decode())
        self._script = files["js/offline_page.js"].decode()
        self._policy = (
            f"default-src 'none'; style-src {_source(self._style)}; script-src {_source(self._script)}; "
            "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )

    def routes(self) -> list[BaseRoute]:
        """Return the routes. They are in no folder: a worker is in charge of what lies below its own address."""
        return [
            Route(MANIFEST, self._manifest),
            Route(WORKER, self._service_worker),
            Route(OFFLINE, self._offline_page),
        ]

    async def _manifest(self, request: Request) -> Response:
        """Give the manifest in `?language=`, with the colour of `?theme=`: a browser asks for it without cookies."""
        self._require_installable()
        language = _language_of(request)
        colour = self._colours[_theme_of(request) or "light"]
        manifest = {
            "id": "/",
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            "name": "Loopwire",
            "short_name": "Loopwire",
            "description": self._renderer.words.say(language, "page.description"),
            "lang": LOCALES[language].tag,
            "dir": "ltr",
            "theme_color": colour,
            "background_color": colour,
            "icons": [
                {"src": f"/static/{path}", "sizes": sizes, "type": "image/png", "purpose": purpose}
                for path, sizes, purpose in _ICONS
            ],
        }
        return _answer(request, json.dumps(manifest).encode(), "application/manifest+json")

    async def _service_worker(self, request: Request) -> Response:
        return _answer(request, self._worker, "text/javascript")

    async def _offline_page(self, request: Request) -> Response:
        """Give the page for one reader, in `?language=` and `?theme=`: its cookies do not matter."""
        self._require_installable()
        html = self._renderer.page(
            "offline.html",
            _language_of(request),
            theme=_theme_of(request),
            style=_element("style", self._style),
            script=_element("script", self._script),
        )
        return HTMLResponse(html, headers={**REVALIDATED, "content-security-policy": self._policy})

    def _require_installable(self) -> None:
        if not self._installable:
            raise NotFound


def _language_of(request: Request) -> Language:
    return nearest_language(request.query_params.get("language", ""))


def _theme_of(request: Request) -> str:
    """Return the theme that is named, or nothing."""
    theme = request.query_params.get("theme", "")
    return theme if theme in THEMES else ""


def _answer(request: Request, data: bytes, media_type: str) -> Response:
    """Answer with what a browser keeps, but asks for at each use whether it changed."""
    headers = {**REVALIDATED, "etag": f'"{hashlib.sha256(data).hexdigest()}"'}
    if headers["etag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(data, headers=headers, media_type=media_type)


def _source(text: str) -> str:
    """Return how a policy names a script or a style by its hash."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _element(name: str, text: str) -> Markup:
    return Markup(f"<{name}>{text}</{name}>")  # noqa: S704 - a file of ours.
