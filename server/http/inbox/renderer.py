"""The renderer of the inbox's pages: in the operator's language and theme, and never stored by a cache."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from math import ceil

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from server.endpoints.dependencies import Dependencies
from server.errors import LoopwireError
from server.html.render import Renderer
from server.http.failures import error_response
from server.http.pages import theme_of

INBOX = "/inbox"
SIGN_IN = "/inbox/sign-in"

HEADERS = {"cache-control": "no-store", "vary": "Cookie, Accept-Language"}


@dataclass(frozen=True)
class InboxRenderer:
    """Draws pages."""

    parts: Dependencies
    renderer: Renderer

    def page(
        self,
        request: Request,
        template: str,
        code: int = HTTPStatus.OK,
        headers: Mapping[str, str] | None = None,
        **values: object,
    ) -> Response:
        """Draw one page."""
        language = self.parts.language_of(request)
        html = self.renderer.page(template, language, theme=theme_of(request), **values)
        return HTMLResponse(html, code, {**HEADERS, **(headers or {})})

    def failure(self, request: Request, error: LoopwireError) -> Response:
        """Draw the page that says what went wrong; without words for people the error itself is the answer."""
        if not self.renderer.words.has(self.parts.language_of(request), f"error.{error.status}.title"):
            return error_response(error)
        seconds = max(1, ceil(error.retry_after)) if error.retry_after else 0
        headers = {"retry-after": str(seconds)} if seconds else {}
        return self.page(request, "error.html", error.status, headers, seconds=seconds, status=error.status)
