"""The page of a marketplace that embeds the chat in three ways, for a developer to try before building it in.

It has the strictest policies that a host page can have: scripts of the chat's server alone, no inline style, no markup
from strings (Trusted Types), isolated from other origins (COEP). On this machine the chat is that of the same server
under its other name (`localhost` in a page at `127.0.0.1`), so that a browser takes the two for two sites.
"""

from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from server.html.render import Renderer
from server.http.pages import theme_of

POLICY = (
    "default-src 'none'; script-src {own} {chat}; frame-src {chat}; style-src {own}; img-src {own}; font-src {own}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
TRUSTED = "require-trusted-types-for 'script'; trusted-types 'none'"


@dataclass(frozen=True)
class MarketPage:
    """Draws the page. The chat is that of the server at `chat_of` a request, or of this server where that is empty."""

    renderer: Renderer
    language_of: Callable[[Request], str]
    app: str
    chat_of: Callable[[Request], str]

    def routes(self) -> list[BaseRoute]:
        """GET /demo."""
        return [Route("/demo", self._draw)]

    async def _draw(self, request: Request) -> Response:
        chat = self.chat_of(request)
        policy = POLICY.format(own="'self'", chat=chat or "'self'")
        html = self.renderer.page(
            "market.html",
            self.language_of(request),
            app=self.app,
            chat=chat,
            policy=policy,
            trusted=TRUSTED,
            theme=theme_of(request),
        )
        headers = {
            "cache-control": "no-store",
            "vary": "Cookie, Accept-Language",
            "content-security-policy": f"{policy}; {TRUSTED}",
            "cross-origin-embedder-policy": "require-corp",
        }
        return HTMLResponse(html, headers=headers)
