"""A conversation in the inbox: its page, and the actions of an operator in it. Each reading is recorded first."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from server import patterns
from server.api.operators import OperatorMessage
from server.endpoints.bodies import body_of
from server.endpoints.dependencies import Dependencies
from server.errors import Empty, LoopwireError, NotFound, TooLong
from server.html.days import Clock
from server.html.page import draw_rows
from server.html.script_words import SCRIPT_WORDS
from server.http.failures import error_response
from server.http.inbox.access import InboxAccess, NotSignedIn
from server.http.inbox.lists import InboxLists
from server.http.inbox.renderer import HEADERS, INBOX, InboxRenderer
from server.http.inbox.whispers import whisper_message, with_whispers
from server.http.pages import OLDER, now_ms, offset_minutes_of
from server.limit_counters import Windows
from server.protocol.commands import MAX_TEXT
from server.protocol.transcript import Transcript
from server.store import OperatorAccount, Session, SignedIn, Whisper
from server.store.conversations.word_search import MOST_SEARCHED

Act = Callable[[Request, Session, OperatorAccount], Awaitable[Response]]

_NOTHING: dict[str, Any] = {"epoch": "", "seq": "", "running": ""}
"""The values of a page without a conversation."""

_SESSION = patterns.compile(r"ses_[A-Za-z0-9_]{1,60}\Z")


@dataclass(frozen=True)
class InboxConversations:
    """The pages with the list, and the conversation beside it."""

    parts: Dependencies
    access: InboxAccess
    inbox_renderer: InboxRenderer
    lists: InboxLists

    def routes(self) -> list[BaseRoute]:
        """GET /inbox and /inbox/s/{id}, and what is done there."""
        path = "/inbox/s/{id}"
        return [
            Route(INBOX, self._show_list),
            Route(path, self._show),
            Route(f"{path}/older", self._reading("messages", self._older)),
            Route(f"{path}/blobs/{{blob}}", self._reading("blob", self._blob)),
            Route(f"{path}/messages", self.change(self._say), methods=["POST"]),
            Route(f"{path}/join", self.change(self._join), methods=["POST"]),
            Route(f"{path}/leave", self.change(self._leave), methods=["POST"]),
        ]

    async def find(self, request: Request, id: str, limit: Windows | None = None) -> tuple[SignedIn, Session]:
        """Return the account, and a conversation of one of its apps, which is looked for within a limit of the account.

        Raises NotSignedIn, ForeignOrigin, RateLimited and NotFound.
        """
        signed_in = await self.access.signed_in(request)
        if limit is not None:
            limit.spend(signed_in.account.id)
        if _SESSION.match(id) is None:
            raise NotFound
        session = await self.parts.store.app_sessions.find(id, *signed_in.account.roles)
        if session.service in self.lists.requests:
            raise NotFound
        return signed_in, session

    async def record(self, account: OperatorAccount, app: str, session_id: str | None, action: str) -> None:
        """Record a reading before it is answered."""
        await self.parts.store.operator_actions.record(
            app=app, key_id=account.id, session_id=session_id, action=action
        )

    async def _show_list(self, request: Request) -> Response:
        account = (await self.access.signed_in(request)).account
        return await self._page(request, account, None)

    async def _show(self, request: Request) -> Response:
        signed_in, session = await self.find(request, request.path_params["id"])
        account = signed_in.account
        await self.record(account, session.app, session.id, "messages")
        await self.parts.store.inbox.mark_read(account.id, session.id)
        return await self._page(request, account, session)

    async def _page(self, request: Request, account: OperatorAccount, session: Session | None) -> Response:
        """Draw the page: with a conversation, or the list alone."""
        for app in account.roles:
            await self.record(account, app, None, "list")
        language, words = self.parts.language_of(request), words_of(request)
        current = session.id if session else ""
        lines = await self.lists.lines(account, words)
        values = await self._conversation(session, request, language) if session else _NOTHING
        return self.inbox_renderer.page(
            request,
            "inbox/page.html",
            account=account,
            lines=self.lists.draw(lines, account, language, current),
            session=session,
            searched=words,
            offset_minutes=offset_minutes_of(request),
            now_ms=now_ms(),
            words=self.inbox_renderer.renderer.words.all(language, *SCRIPT_WORDS, "inbox.script."),
            **values,
        )

    async def _conversation(self, session: Session, request: Request, language: str) -> dict[str, Any]:
        taken = await self.parts.runs.snapshot(session.id)
        shown = Transcript()
        for event in taken.events:
            shown.apply(event)
        whispers = await self.parts.store.whispers.newest(session.id)
        read = shown.only(with_whispers(shown.messages, whispers, is_first=not taken.before, is_last=True))
        renderer, run = self.inbox_renderer.renderer, shown.run
        clock = Clock(now_ms(), offset_minutes_of(request))
        await renderer.prepare(read, language)
        return {
            "rows": own_blobs(renderer.log(read, language, clock), session.id),
            # The fragments of the stream have these too, so the page needs their places.
            "stepper": renderer.stepper(shown, language, session.service),
            "leads": renderer.leads(shown, language, session.service),
            "notes": self.parts.apps[session.app].notes if session.app in self.parts.apps else (),
            "epoch": taken.epoch,
            "seq": taken.seq,
            "before": taken.before,
            "running": run.id if run is not None and run.status == "running" else "",
        }

    async def _older(self, request: Request, session: Session, account: OperatorAccount) -> Response:
        """Return the rows before a message, and the cursor of those before them."""
        before = request.query_params.get("before") or None
        page = await self.parts.store.messages.page(session.id, session.principal, OLDER, before)
        whispers = await self.parts.store.whispers.newest(session.id)
        messages = with_whispers(
            page.messages, whispers, is_first=page.cursor is None, is_last=before is None
        )
        transcript, language = Transcript.of(messages, {}), self.parts.language_of(request)
        drawn = await draw_rows(self.inbox_renderer.renderer, transcript, language)
        return JSONResponse({"rows": own_blobs(drawn, session.id), "before": page.cursor}, headers=HEADERS)

    async def _blob(self, request: Request, session: Session, account: OperatorAccount) -> Response:
        """Return a picture or a file of the conversation."""
        found = await self.parts.store.blobs.get(request.path_params["blob"], session.principal)
        if found.session_id != session.id:
            raise NotFound
        headers = {
            "content-disposition": f'attachment; filename="{found.id}"',
            "content-security-policy": "default-src 'none'; sandbox",
            "cache-control": "no-store",
        }
        return Response(found.data, media_type=found.media_type, headers=headers)

    async def _say(self, request: Request, session: Session, account: OperatorAccount) -> Response:
        """Write as the operator: the name is the account's, whatever the body names.

        A note for the agents is answered with its row, since no event of the conversation brings it.
        """
        body = await body_of(request, OperatorMessage)
        if len(body.content) > MAX_TEXT:
            raise TooLong
        if not body.content.strip():
            raise Empty
        ack = await self.parts.runs.operators.say(
            session, body.id, body.content, name=account.name, key_id=account.id, whisper=body.whisper
        )
        if not body.whisper:
            return Response(ack.encode(), media_type="application/json")
        whisper = Whisper(ack.message_id or body.id, body.content, account.name, now_ms())
        note = Transcript.of([whisper_message(whisper)], {})
        row = await draw_rows(self.inbox_renderer.renderer, note, self.parts.language_of(request))
        return JSONResponse({**json.loads(ack.encode()), "row": row}, headers=HEADERS)

    async def _join(self, request: Request, session: Session, account: OperatorAccount) -> Response:
        """Answer in place of the agents."""
        await self.parts.runs.operators.join(session, name=account.name, key_id=account.id)
        return _answer_of(request, session)

    async def _leave(self, request: Request, session: Session, account: OperatorAccount) -> Response:
        """Let the agents answer again."""
        await self.parts.runs.operators.hand_back(session, key_id=account.id)
        return _answer_of(request, session)

    def _reading(self, action: str, act: Act) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            signed_in, session = await self.find(request, request.path_params["id"])
            await self.record(signed_in.account, session.app, session.id, action)
            return await act(request, session, signed_in.account)

        return answer

    def change(self, act: Act, limit: Windows | None = None) -> Callable[[Request], Awaitable[Response]]:
        """Do what an operator asks for; an error is one for the page's script."""

        async def answer(request: Request) -> Response:
            try:
                signed_in, session = await self.find(request, request.path_params["id"], limit)
                return await act(request, session, signed_in.account)
            except NotSignedIn:
                raise
            except LoopwireError as error:
                return error_response(error)

        return answer


def words_of(request: Request) -> str:
    """Return what the list is searched for."""
    return request.query_params.get("q", "")[:MOST_SEARCHED]


def own_blobs(html: str, session_id: str) -> str:
    """Let pictures be asked for by an operator's address: the visitor's asks for the visitor's cookie."""
    return html.replace(f"/v1/sessions/{session_id}/blobs/", f"{INBOX}/s/{session_id}/blobs/")


def _answer_of(request: Request, session: Session) -> Response:
    """Answer a script shortly, and a form without script with the page."""
    if request.headers.get("sec-fetch-mode") == "navigate":
        return RedirectResponse(f"{INBOX}/s/{session.id}", HTTPStatus.SEE_OTHER)
    return Response(status_code=HTTPStatus.NO_CONTENT)
