"""The pages a browser opens: the empty one, a conversation as stored, an item, and the page of a failure."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from math import ceil
from typing import Any, Protocol
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from server.auth import cookie_value
from server.bidi import strip_overrides
from server.endpoints.identity import principal_of
from server.errors import BadFrame, LoopwireError, NotFound, UnsupportedMediaType
from server.html.days import MOST_MINUTES
from server.html.export import export_title, export_turns, place_of_turn
from server.html.page import SHOWN_SESSIONS, View, draw_page, draw_rows, groups, with_feedback
from server.html.render import Renderer
from server.languages import LANGUAGES
from server.loopos.cores import OWN, Cores
from server.loopos.pictures import picture_path
from server.protocol.codec import read_json
from server.protocol.transcript import Transcript
from server.store import Session, Store, Summary
from server.store.conversations.word_search import MOST_SEARCHED
from server.words import Words

THEMES = ("light", "dark")
PREFERENCES = {"language": LANGUAGES, "theme": THEMES}
KEPT_SECONDS = 365 * 24 * 3600
OLDER = 50
AGAIN_SECONDS = 5
"""Seconds after which a page that cannot be shown now reloads itself, where nothing better is known."""

Endpoint = Callable[[Request], Awaitable[Response]]

log = logging.getLogger(__name__)


class PageSnapshot(Protocol):
    """A conversation at one position of its log, as `runs.snapshot` returns it."""

    @property
    def epoch(self) -> str: ...
    @property
    def seq(self) -> int: ...
    @property
    def transcript(self) -> Transcript: ...
    @property
    def before(self) -> str | None: ...
    @property
    def events(self) -> Sequence[dict[str, Any]]: ...


@dataclass(frozen=True)
class Pages:
    """Draws pages with the parts of the application; the visitor is in `request.state.principal`."""

    store: Store
    cores: Cores
    renderer: Renderer
    snapshot: Callable[[str], Awaitable[PageSnapshot]]
    offers: Callable[[str], Awaitable[bool]]
    language_of: Callable[[Request], str]
    app: str
    service: str
    demo: bool
    installable: bool = True
    secure: bool = False

    def routes(self) -> list[BaseRoute]:
        """Return the routes; the last one answers every other address, so they come after all others."""
        return [
            Route("/", self._guard(self.empty)),
            Route("/s/{session_id}", self._guard(self.conversation)),
            Route("/s/{session_id}/older", self.older),
            Route("/s/{session_id}/export", self._guard(self.export)),
            Route("/sessions", self._guard(self.sessions)),
            Route("/preferences", self.preferences, methods=["POST"]),
            Route("/items/{item_id}", self._guard(self.item)),
            Route("/{path:path}", self._guard(self.nowhere)),
        ]

    async def empty(self, request: Request) -> Response:
        """Open the page before a conversation; the first message begins one, of `?service=` when that is named."""
        service = request.query_params.get("service") or self.service
        if service != self.service and not await self.offers(service):
            raise NotFound
        if self.renderer.takes_requests(service):
            return RedirectResponse(self._begins(service), HTTPStatus.SEE_OTHER)
        return await self._page(request, None, Transcript(), service=service)

    async def conversation(self, request: Request) -> Response:
        """Show a conversation with its stored rows, so that it reads without script and goes on with it."""
        session = await self._own(request)
        taken = await self.snapshot(session.id)
        shown = Transcript()
        for event in taken.events:
            shown.apply(event)
        shown.messages = with_feedback(shown.messages, await self.store.messages.feedback_of(session.id))
        return await self._page(request, session, shown, taken)

    async def older(self, request: Request) -> Response:
        """Return the rows before a message, and the cursor of those before them."""
        session = await self._own(request)
        before = request.query_params.get("before") or None
        page = await self.store.messages.page(session.id, session.principal, OLDER, before)
        rows = await draw_rows(self.renderer, Transcript.of(page.messages, {}), self.language_of(request))
        return JSONResponse({"rows": rows, "before": page.cursor}, headers={"cache-control": "no-store"})

    async def export(self, request: Request) -> Response:
        """Return the whole conversation as a Markdown file: each message with its author and time."""
        session = await self._own(request)
        parts = await _parts_of_file(self.store, session, self.renderer.words, self.language_of(request))
        # An override would show the name backwards, another ending included.
        title = strip_overrides(session.title or "") or session.id
        return _markdown_file(parts, f"{session.id}.md", f"{title}.md")

    async def sessions(self, request: Request) -> Response:
        """Return the list of conversations as a fragment; the page that asks is named by htmx."""
        current = request.headers.get("hx-current-url", "").partition("?")[0].rpartition("/s/")[2]
        html = self.renderer.page(
            "sessions.html",
            self.language_of(request),
            groups=groups(await self._lines(request), now_ms(), offset_minutes_of(request)),
            session_id=current,
            searched=bool(_words(request)),
        )
        return _html(html)

    async def preferences(self, request: Request) -> Response:
        """Remember the language, the theme or the clock of this browser in a cookie."""
        if "content-encoding" in request.headers:
            raise UnsupportedMediaType
        given = _preferences(await request.body())
        response = Response(status_code=HTTPStatus.NO_CONTENT)
        for name, value in given.items():
            secure = self.secure or request.url.scheme == "https"
            response.set_cookie(name, value, KEPT_SECONDS, secure=secure, httponly=True, samesite="lax")
        return response

    async def item(self, request: Request) -> Response:
        """Show an item of this visitor, never its token; `?app=` says of which app its conversation is."""
        language = self.language_of(request)
        app = request.query_params.get("app", getattr(request.state, "app", self.app))
        if app != self.app and app not in self.cores.apps:
            raise NotFound
        core = self.cores.of_request(app, request.query_params.get("core", OWN))
        found = await core.item(request.path_params["item_id"], principal_of(request), language)
        html = self.renderer.page(
            "item.html",
            language,
            item=found,
            picture_path=picture_path,
            theme=theme_of(request),
            title=found.product,
        )
        return _html(html)

    async def nowhere(self, request: Request) -> Response:
        """Say that there is no such page; the API says it in its own shape."""
        if request.url.path.startswith(("/v1/", "/static/")):
            raise HTTPException(HTTPStatus.NOT_FOUND)
        raise NotFound

    def failure(self, request: Request, status: int, retry_after: float | None = None) -> Response:
        """Draw the page that says what went wrong, in the visitor's language.

        `retry_after`, in seconds, goes into the header; where waiting helps the page asks again by itself then.
        """
        language = self.language_of(request)
        known = (
            status
            if self.renderer.words.has(language, f"error.{status}.title")
            else HTTPStatus.INTERNAL_SERVER_ERROR
        )
        away = known in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS)
        seconds = max(1, ceil(retry_after or AGAIN_SECONDS)) if retry_after or away else 0
        html = self.renderer.page(
            "error.html",
            language,
            status=int(known),
            theme=theme_of(request),
            seconds=seconds if away else 0,
        )
        return _html(html, status, {"retry-after": str(seconds)} if seconds else {})

    def last_handler(self, otherwise: Callable[[Request, Exception], Awaitable[Response]]) -> Any:
        """Return the application's last exception handler: a page for a browser that reads pages, else `otherwise`."""

        async def handle(request: Request, error: Exception) -> Response:
            answer = await otherwise(request, error)
            return self.failure(request, answer.status_code) if reads_pages(request) else answer

        return handle

    def _guard(self, endpoint: Endpoint) -> Endpoint:
        """Answer an error of ours with a page."""

        @wraps(endpoint)
        async def answer(request: Request) -> Response:
            try:
                return await endpoint(request)
            except LoopwireError as error:
                return self.failure(request, error.status, error.retry_after)

        return answer

    async def _page(
        self,
        request: Request,
        session: Session | None,
        transcript: Transcript,
        taken: PageSnapshot | None = None,
        *,
        service: str = "",
    ) -> Response:
        asked = session.service if session else service
        view = View(
            language=self.language_of(request),
            transcript=transcript,
            lines=await self._lines(request),
            now_ms=now_ms(),
            demo=self.demo,
            installable=self.installable,
            service=asked,
            asks=self.renderer.takes_requests(asked),
            begins=self._begins(asked),
            session_id=session.id if session else "",
            title=(session.title or "") if session else "",
            theme=theme_of(request),
            position=(taken.epoch, taken.seq) if taken else None,
            before=taken.before if taken else None,
            offset_minutes=offset_minutes_of(request),
            debug=wants_debugging(request),
        )
        await self.renderer.prepare(transcript, view.language)
        return _html(draw_page(self.renderer, view))

    def _begins(self, service: str) -> str:
        """Return where a new conversation of a service begins."""
        if self.renderer.takes_requests(service):
            return f"/services/{service}"
        return "/" if service == self.service else f"/?service={service}"

    async def _own(self, request: Request) -> Session:
        return await self.store.sessions.get(request.path_params["session_id"], principal_of(request))

    async def _lines(self, request: Request) -> list[Summary]:
        found = self.store.sessions.list_summaries(
            self.app, principal_of(request), SHOWN_SESSIONS, words=_words(request)
        )
        return await found


async def _parts_of_file(store: Store, session: Session, words: Words, language: str) -> list[str]:
    """Draw a conversation. Each page is drawn after its reading, so that others have turns of the loop."""
    parts: list[str] = []
    cut: list[dict[str, Any]] = []
    before: str | None = None
    while True:
        page = await store.messages.page(session.id, session.principal, OLDER, before)
        messages = [*page.messages, *cut]
        before = page.cursor
        begin = 0 if before is None else place_of_turn(messages)
        cut = messages[:begin]
        parts.append(export_turns(messages[begin:], words, language))
        if before is None:
            return [export_title(session.title or "", words, language), *reversed(parts)]


def now_ms() -> int:
    """Return the time as the store writes it."""
    return time.time_ns() // 1_000_000


def _markdown_file(parts: Sequence[str], name: str, title: str) -> Response:
    """Answer with a file, part by part, that is saved under the title, or under `name` by what reads ASCII only."""
    saved = f"attachment; filename=\"{name}\"; filename*=UTF-8''{quote(title, safe='')}"
    headers = {"cache-control": "no-store", "content-disposition": saved}
    sent = _each_after_a_turn(parts)
    return StreamingResponse(sent, headers=headers, media_type="text/markdown; charset=utf-8")


async def _each_after_a_turn(parts: Sequence[str]) -> AsyncIterator[str]:
    """Yield the parts of a file: sending one to a quick reader does not suspend."""
    for part in parts:
        await asyncio.sleep(0)
        yield part


def _html(text: str, status: int = HTTPStatus.OK, more: Mapping[str, str] | None = None) -> Response:
    """Answer with a page, which is one person's own."""
    headers = {"cache-control": "no-store", "vary": "Cookie, Accept-Language", **(more or {})}
    return HTMLResponse(text, status, headers=headers)


def theme_of(request: Request) -> str:
    """Return the theme that this browser has chosen, or nothing."""
    theme = cookie_value(request.headers, "theme")
    return theme if theme in THEMES else ""


def wants_debugging(request: Request) -> bool:
    """Return whether the address asks for the developer view, `?debug`: its scripts are those that were written."""
    return request.query_params.get("debug", "0") != "0"


def _words(request: Request) -> str:
    """Return what the list of conversations is searched for."""
    return request.query_params.get("q", "")[:MOST_SEARCHED] if request.url.path == "/sessions" else ""


def offset_minutes_of(request: Request) -> int:
    """Return how many minutes this browser's clock is ahead of UTC, by its cookie."""
    try:
        return max(-MOST_MINUTES, min(MOST_MINUTES, int(cookie_value(request.headers, "clock"))))
    except ValueError:
        return 0


def _preferences(raw: bytes) -> dict[str, str]:
    """Read what a browser wants remembered; only known names with known values."""
    try:
        given = read_json(raw)
    except ValueError as error:
        raise BadFrame from error
    if not isinstance(given, dict):
        raise BadFrame
    kept = {name: given[name] for name, allowed in PREFERENCES.items() if given.get(name) in allowed}
    clock = given.get("clock")
    if type(clock) is int and abs(clock) <= MOST_MINUTES:
        kept["clock"] = str(clock)
    if not kept or len(kept) != len(given):
        raise BadFrame
    return kept


def reads_pages(request: Request) -> bool:
    """Return whether a person reads the answer, rather than a program."""
    return not request.url.path.startswith("/v1/") and "text/html" in request.headers.get("accept", "")
