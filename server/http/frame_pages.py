"""The pages of frames: the conversation of an app, to be shown within a page of another site.

The visitor of a frame is known by a token in its page (`server.auth.frames`), which its script keeps in memory. A frame
that is drawn anew, in another language for instance, posts that token, so that nothing has to be in an address or a
cookie.

A page with two frames requests both before it has a cookie, so each is drawn for a visitor of its own. The page of a
frame therefore sets no cookie for a new visitor: the frame asks here once, before it first sends anything. The first
one to ask gets the cookie, and every later one becomes its visitor.

A frame keeps its token and its conversation in the storage of its tab. The next frame of the tab posts both where the
cookie did not lead to that conversation: without a cookie, and with a first message that is not stored yet.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from server.apps import DEMO, App
from server.auth import FrameVisitor, Origins
from server.endpoints.caller_resolver import CallerResolver
from server.errors import LoopwireError, NotFound, Unauthorized
from server.html.files.page_files import AS_WRITTEN
from server.html.render import Renderer
from server.html.script_words import FRAME_FIRST_WORDS
from server.http.frame_visitors import FrameVisitors, form_of
from server.http.pages import AGAIN_SECONDS, wants_debugging
from server.http.shield import EMBED
from server.languages import LANGUAGES, Language, known_language
from server.protocol.transcript import Transcript
from server.store import Store
from server.words import choose_language

HEIGHTS = ("auto",)
"""What `height` may begin with; a limit in pixels may follow, which the script of the frame reads."""

UNSAID = ("", "normal")
"""The `color-scheme` of a page that says nothing of it."""

INLINE = "inline"

NEW = "new"
"""The visitor of a frame that asks, before it first sends anything, whether the cookie names another one."""

KEPT = "1"
"""The value of `kept` in the form of a frame that asks for the conversation that its tab was left with."""


@dataclass(frozen=True)
class FrameOptions:
    """The options in the address of a frame; an unknown value counts as none."""

    service: str
    language: str
    theme: str
    height: str
    inline: bool
    """Whether the frame stands in the page: it may be out of sight, so no font is preloaded."""
    debug: bool

    @classmethod
    def of(cls, request: Request) -> "FrameOptions":
        """Read the address of a request."""
        asked = request.query_params
        language = asked.get("language") or asked.get("locale", "")
        height = asked.get("height", "").partition(" ")[0]
        return cls(
            service=asked.get("service", ""),
            language=known_language(language) or "",
            theme=asked.get("theme", ""),
            height=height if height in HEIGHTS else "",
            inline=asked.get("mode") == INLINE,
            debug=wants_debugging(request),
        )

    def scheme_for(self, app: App | None) -> str:
        """Return `light`, `dark`, or nothing for that of the system: the host page's own, else the app's."""
        usual = app.theme.scheme if app else ""
        return _scheme(usual if usual and self.theme in UNSAID else self.theme)


@dataclass(frozen=True)
class FramePages:
    """Draws the pages of frames, from what the application lends it."""

    store: Store
    renderer: Renderer
    caller_resolver: CallerResolver
    origins: Origins
    apps: Mapping[str, App]
    offers: Callable[[str], Awaitable[bool]]
    language: Language
    demo: bool

    @property
    def _visitors(self) -> FrameVisitors:
        return FrameVisitors(self.store, self.caller_resolver, self.origins)

    def routes(self) -> list[BaseRoute]:
        """GET and POST /embed/{app}."""
        return [Route(EMBED + "{app}", self._answer, methods=["GET", "POST"])]

    async def _answer(self, request: Request) -> Response:
        options = FrameOptions.of(request)
        try:
            return await self._frame(request, options)
        except LoopwireError as error:
            return self._failure(request, options, error)

    async def _frame(self, request: Request, options: FrameOptions) -> Response:
        """Draw the conversation of an app: of the visitor that is shown by a token or a cookie, or of a new one."""
        name = request.path_params["app"]
        app = self.apps.get(name)
        if app is None:
            raise NotFound
        service = options.service or app.service
        allowed = not app.services or service in app.services
        if not allowed or not await self.offers(service):
            raise NotFound
        if request.method == "POST":
            given = await form_of(request)
            if given.get("kept") == KEPT:
                return await self._resume(request, options, app, service, given)
            visitor, session_id = await self._visitors.read_form(given, name)
            if given.get("visitor") == NEW:
                return await self._visitors.meet(request, visitor)
            response = self._page(request, options, app, service, visitor, session_id)
            return self._visitors.set_cookie(request, response, visitor)
        return await self._begin(request, options, app, service)

    async def _begin(
        self, request: Request, options: FrameOptions, app: App, service: str, *, lost: bool = False
    ) -> Response:
        """Draw the page of a frame that brings nothing but its cookie, if it has one."""
        name = request.path_params["app"]
        known, session_id = await self._visitors.find(request, name, service)
        visitor = self.caller_resolver.frames.new(name) if known is None else known
        response = self._page(
            request, options, app, service, visitor, session_id, is_new=known is None, lost=lost
        )
        return self._visitors.set_cookie(request, response, visitor)

    async def _resume(
        self, request: Request, options: FrameOptions, app: App, service: str, given: Mapping[str, str]
    ) -> Response:
        """Go on with the conversation that the tab was left with; where it cannot be opened, begin as without it."""
        name = request.path_params["app"]
        try:
            visitor, session_id = await self._visitors.read_form(given, name)
        except (NotFound, Unauthorized):
            return await self._begin(request, options, app, service, lost=True)
        is_new = visitor.identity is None and self._visitors.shown_visitor(request, name) is None
        response = self._page(request, options, app, service, visitor, session_id, is_new=is_new)
        return self._visitors.set_cookie(request, response, visitor)

    def _page(
        self,
        request: Request,
        options: FrameOptions,
        app: App,
        service: str,
        visitor: FrameVisitor,
        session_id: str,
        *,
        is_new: bool = False,
        lost: bool = False,
    ) -> Response:
        """Draw the page without its rows: the connection brings them, as it does after each reload."""
        language = self._language(request, options, app)
        html = self.renderer.page(
            "embed.html",
            language,
            title=app.title or self._title(service, language),
            view={"service": service, "asks": False, "begins": ""},
            asks=self.renderer.takes_requests(service),
            session_id=session_id,
            stepper=self.renderer.stepper(Transcript(), language, service),
            demo=self.demo,
            theme=options.scheme_for(app),
            height=options.height,
            inline=options.inline,
            words=self.renderer.words.all(language, *FRAME_FIRST_WORDS),
            frame={
                "app": visitor.app,
                "token": self.caller_resolver.frames.token(visitor),
                "hosts": [*app.origins, *self._demo_hosts(request, visitor.app)],
                "known": visitor.identity is not None,
                "isNew": is_new,
                "theme": app.theme.model_dump(exclude_defaults=True),
                "lost": lost,
            },
            **({"files": AS_WRITTEN} if options.debug else {}),
        )
        return HTMLResponse(html, headers=_headers())

    def _demo_hosts(self, request: Request, app: str) -> list[str]:
        """Return the origin of the page `/demo` of this machine."""
        other = self._visitors.other_site(request) if app == DEMO else ""
        return [other] if other else []

    def _title(self, service: str, language: Language) -> str:
        """Return what a chat is called whose app has no name for it."""
        words, key = self.renderer.words, f"service.{service}.title"
        return words.say(language, key if words.has(language, key) else "embed.title")

    def _failure(self, request: Request, options: FrameOptions, error: LoopwireError) -> Response:
        """Say in the frame what is wrong; where it passes, the frame asks again by itself."""
        app = self.apps.get(request.path_params["app"])
        seconds = round(error.retry_after or AGAIN_SECONDS) if error.retry else 0
        language = self._language(request, options, app)
        worded = self.renderer.words.has(language, f"error.{error.status}.title")
        known = error.status if worded else HTTPStatus.INTERNAL_SERVER_ERROR.value
        html = self.renderer.page(
            "embed_failure.html",
            language,
            status=known,
            theme=options.scheme_for(app),
            seconds=seconds,
        )
        more = {"retry-after": str(seconds)} if seconds else {}
        return HTMLResponse(html, error.status, headers=_headers() | more)

    def _language(self, request: Request, options: FrameOptions, app: App | None) -> Language:
        """Return the language of a frame: that of its address, else the browser's, as far as the app has it."""
        accepted = request.headers.get("accept-language", "")
        return choose_language(options.language, accepted, self.language, app.spoken if app else LANGUAGES)


def _scheme(text: str) -> str:
    """Return the theme of a `color-scheme`: a page that says nothing of it is light; none is that of the system."""
    names = set(text.split())
    if not names or {"light", "dark"} <= names or "auto" in names:
        return ""
    return "dark" if "dark" in names else "light"


def _headers() -> dict[str, Any]:
    """Return the headers of a page that is one person's own."""
    return {"cache-control": "no-store", "vary": "Cookie, Accept-Language"}
