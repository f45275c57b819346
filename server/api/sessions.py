"""Conversations of the visitor: begin one, list them, read their messages, name them."""

from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from server import patterns
from server.auth import Origins
from server.endpoints.address_rates import spend_of_address
from server.endpoints.authorize import reader_of
from server.endpoints.bodies import JsonBody, NoControl, PlainText, body_of
from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import app_of, has_key, principal_of
from server.endpoints.session_json import cost_json, session_json
from server.errors import BadFrame
from server.languages import Language
from server.rooms.admission import Admission

MOST = 100
SOME = 50

_digits = patterns.compile(r"[0-9]{1,6}\Z")


class NewSession(JsonBody):
    """The service of a new conversation; `alias` is the caller's own name for it.

    The end of each of its runs is posted to `callback_url`.
    """

    service: Annotated[str, Field(max_length=64), NoControl] | None = None
    language: Language | None = None
    alias: Annotated[str, Field(min_length=1, max_length=128), NoControl] | None = None
    callback_url: Annotated[str, Field(max_length=4096), NoControl] | None = None


class SessionChange(JsonBody):
    """The fields to change; a field that is left out stays."""

    title: Annotated[str, Field(min_length=1, max_length=120), PlainText] | None = None
    language: Language | None = None


def routes(parts: Dependencies, admission: Admission, origins: Origins) -> list[BaseRoute]:
    """POST and GET /v1/sessions, GET, PATCH and DELETE /v1/sessions/{id}, GET /v1/sessions/{id}/messages."""
    sessions = parts.store.sessions

    async def create(request: Request) -> Response:
        await spend_of_address(request, parts.conversation_rate)
        body = await body_of(request, NewSession)
        session = await parts.new_session(
            request,
            service=body.service,
            language=body.language,
            alias=body.alias,
            callback_url=body.callback_url,
        )
        return JSONResponse(session_json(session), status_code=201)

    async def list_sessions(request: Request) -> Response:
        limit, before = limit_of(request), request.query_params.get("before")
        found = await sessions.list_summaries(
            app_of(request), principal_of(request), limit, before, words=request.query_params.get("q", "")
        )
        rows = await _with_costs(parts, request, [asdict(each) for each in found])
        return JSONResponse({"sessions": rows, "before": _cursor(found, limit)})

    async def one(request: Request) -> Response:
        session = await sessions.get(request.path_params["id"], principal_of(request))
        (shown,) = await _with_costs(parts, request, [session_json(session)])
        return JSONResponse(shown)

    async def change(request: Request) -> Response:
        await spend_of_address(request, parts.change_rate)
        body = await body_of(request, SessionChange)
        session = await sessions.get(request.path_params["id"], principal_of(request))
        if body.title is not None:
            await sessions.title(session.id, body.title)
        if body.language is not None:
            await parts.bus.idle_proof.withdraw(session.id)
            await sessions.set_language(session.id, body.language)
        return JSONResponse(session_json(await sessions.load(session.id)))

    async def delete(request: Request) -> Response:
        session_id = request.path_params["id"]
        await sessions.get(session_id, principal_of(request))  # Only the owner may void the proof.
        await parts.bus.idle_proof.withdraw(session_id)
        await sessions.delete(session_id, principal_of(request))
        await parts.bus.signals.revoke(session_id)
        await parts.bus.forget(session_id)
        return Response(status_code=204)

    return [
        Route("/v1/sessions", create, methods=["POST"]),
        Route("/v1/sessions", list_sessions, methods=["GET"]),
        Route("/v1/sessions/{id}", one, methods=["GET"]),
        Route("/v1/sessions/{id}", change, methods=["PATCH"]),
        Route("/v1/sessions/{id}", delete, methods=["DELETE"]),
        _messages(parts, admission, origins),
    ]


def _messages(parts: Dependencies, admission: Admission, origins: Origins) -> Route:
    """Return messages to a bearer of their session too: a program or a page of another origin has no cookie."""

    async def messages(request: Request) -> Response:
        page = await parts.store.messages.page(
            request.path_params["id"],
            await reader_of(request, admission, origins),
            limit_of(request),
            request.query_params.get("before"),
        )
        return JSONResponse({"messages": page.messages, "before": page.cursor})

    return Route("/v1/sessions/{id}/messages", messages, methods=["GET"])


async def _with_costs(
    parts: Dependencies, request: Request, rows: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Add to each session what it cost, for the holder of the app's key; a visitor does not get it."""
    if not has_key(request):
        return rows
    costs = await parts.store.costs.of_sessions([row["id"] for row in rows])
    return [{**row, "cost": cost_json(costs[row["id"]])} for row in rows]


def limit_of(request: Request) -> int:
    """Return how many rows a request asks for. Raises BadFrame."""
    text = request.query_params.get("limit", str(SOME))
    if not _digits.match(text) or not 1 <= int(text) <= MOST:
        raise BadFrame(f"limit is a number from 1 to {MOST}.")
    return int(text)


def _cursor(found: list[Any], limit: int) -> str | None:
    return str(found[-1].id) if len(found) == limit else None
