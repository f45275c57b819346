"""The endpoints of operators: they list the conversations of their app, write in them, join and leave."""

from dataclasses import asdict
from typing import Annotated

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from server.api.sessions import limit_of
from server.endpoints.bodies import JsonBody, NoControl, PlainText, body_of
from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import app_of, is_operator, operated_session, operator_key
from server.endpoints.session_json import session_json
from server.errors import BadFrame, Empty, NoKey, TooLong
from server.protocol.commands import MAX_TEXT, Id
from server.protocol.operators import MOST_NAME
from server.protocol.plain_text import has_control
from server.store import Session

MOST_Q = 200
"""Characters of a search."""


PersonName = Annotated[str, Field(min_length=1, max_length=MOST_NAME, pattern=r"\S"), NoControl]
"""The operator's name that the visitor reads."""


class OperatorMessage(JsonBody):
    """A message of an operator in a conversation; `content` is Markdown. The same `id` again is the same message."""

    id: Id
    content: Annotated[str, Field(min_length=1), PlainText]
    name: PersonName | None = None
    whisper: bool = False
    """Only the agents read it, in the next run: the visitor gets nothing of it."""


class OperatorEntry(JsonBody):
    """The operator who joins a conversation."""

    name: PersonName | None = None


def routes(parts: Dependencies) -> list[BaseRoute]:
    """GET /v1/operator/sessions, POST /v1/sessions/{id}/messages, PUT and DELETE /v1/sessions/{id}/operator."""

    async def list_sessions(request: Request) -> Response:
        _require_operator(request)
        limit = limit_of(request)
        found = await parts.store.app_sessions.list_newest(
            app_of(request),
            limit,
            without=[name for name, each in parts.services.items() if each.contract is not None],
            before=request.query_params.get("before"),
            words=_words(request),
        )
        cursor = found[-1].cursor if len(found) == limit else None
        return JSONResponse({"sessions": [asdict(each) for each in found], "before": cursor})

    async def say(request: Request) -> Response:
        session = _session(request)
        body = await body_of(request, OperatorMessage)
        if len(body.content) > MAX_TEXT:
            raise TooLong
        if not body.content.strip():
            raise Empty
        ack = await parts.runs.operators.say(
            session, body.id, body.content, name=body.name, key_id=operator_key(request), whisper=body.whisper
        )
        return Response(ack.encode(), media_type="application/json")

    async def join(request: Request) -> Response:
        session = _session(request)
        body = await body_of(request, OperatorEntry)
        await parts.runs.operators.join(session, name=body.name, key_id=operator_key(request))
        return JSONResponse(session_json(await parts.store.sessions.load(session.id)))

    async def leave(request: Request) -> Response:
        await parts.runs.operators.hand_back(_session(request), key_id=operator_key(request))
        return Response(status_code=204)

    return [
        Route("/v1/operator/sessions", list_sessions, methods=["GET"]),
        Route("/v1/sessions/{id}/messages", say, methods=["POST"]),
        Route("/v1/sessions/{id}/operator", join, methods=["PUT"]),
        Route("/v1/sessions/{id}/operator", leave, methods=["DELETE"]),
    ]


def _session(request: Request) -> Session:
    """Return the session that an operator asks for. Raises NoKey."""
    _require_operator(request)
    session = operated_session(request)
    if session is None:
        raise AssertionError("An operator's request names a session, and none was found for it.")
    return session


def _require_operator(request: Request) -> None:
    """Raise NoKey for a request without a key: a key of another scope was refused before."""
    if not is_operator(request):
        raise NoKey


def _words(request: Request) -> str | None:
    words = request.query_params.get("q")
    if words is not None and (len(words) > MOST_Q or has_control(words)):
        raise BadFrame(f"q has at most {MOST_Q} characters, and none that controls.")
    return words
