"""Errors as JSON: one shape for ours, the framework's and the unexpected."""

import logging
from http import HTTPStatus
from math import ceil

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from server.asgi import Scope
from server.endpoints.chat_refusals import CHAT, chat_error, chat_refusal_response, language_of_refusals
from server.errors import LOOPOS_INTERNAL, Internal, LoopwireError
from server.openai_clients.refusals import PATHS as OPENAI
from server.openai_clients.refusals import openai_error_response

log = logging.getLogger(__name__)

LOOPOS = ("/loopos_ai_", CHAT)
"""The prefixes of the paths whose errors have the shapes that LoopOS documents."""

_CODES = {HTTPStatus.REQUEST_ENTITY_TOO_LARGE.value: "too_long"}
"""The code of an error of the framework where that is not its phrase."""


def error_response(error: LoopwireError, scope: Scope | None = None) -> Response:
    """Answer with an error of ours; of a field of a service's request it also has FastAPI's `detail`.

    Under the paths of OpenAI's wire it has the shape that OpenAI's clients read, at `/chat` that of Deep Chat.
    """
    path = "" if scope is None else scope["path"]
    if scope is not None and path.startswith(CHAT):
        return chat_refusal_response(error, chat_error(error, language_of_refusals(scope)))
    if path.startswith(OPENAI):
        return openai_error_response(error)
    headers = {"retry-after": str(max(1, ceil(error.retry_after)))} if error.retry_after else None
    body: dict[str, object] = {"code": error.code, "message": error.message}
    if error.retry_after is not None:
        body["retry_after"] = error.retry_after
    told: dict[str, object] = {"error": body}
    if error.status == HTTPStatus.UNPROCESSABLE_ENTITY and error.field is not None:
        told["detail"] = [{"loc": ["body", error.field], "msg": error.message, "type": error.code}]
    return JSONResponse(told, status_code=error.status, headers=headers)


def _internal_response(request: Request) -> Response:
    """Answer neutrally, in LoopOS's shape where it is its path."""
    if request.url.path.startswith(LOOPOS):
        return JSONResponse(LOOPOS_INTERNAL, HTTPStatus.INTERNAL_SERVER_ERROR)
    return error_response(Internal(), request.scope)


async def ours(request: Request, error: Exception) -> Response:
    """Answer with an error of ours, which the framework caught."""
    if not isinstance(error, LoopwireError) or error.status == HTTPStatus.INTERNAL_SERVER_ERROR:
        return _internal_response(request)
    return error_response(error, request.scope)


async def theirs(request: Request, error: Exception) -> Response:
    """Answer with one of the framework's own errors."""
    if not isinstance(error, HTTPException):
        return _internal_response(request)
    phrase = HTTPStatus(error.status_code).phrase
    code = _CODES.get(error.status_code, phrase.lower().replace(" ", "_"))
    told = {"code": code, "message": f"{phrase}."}
    if request.url.path.startswith(OPENAI):
        told |= {"type": "invalid_request_error"}
    body: dict[str, object] = {"error": told}
    if request.url.path.startswith(CHAT):
        body = {"error": told["message"], "code": code}
    return JSONResponse(body, status_code=error.status_code, headers=error.headers)


async def hung_up_response(_: Request, __: Exception) -> Response:
    """Answer a client that hung up in the middle of its body: no client reads it, and the server has no fault."""
    return Response(status_code=HTTPStatus.BAD_REQUEST)


async def neutral_response(request: Request, error: Exception) -> Response:
    """Answer neutrally; the details are for the log."""
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return _internal_response(request)


HANDLERS = {
    LoopwireError: ours,
    HTTPException: theirs,
    ClientDisconnect: hung_up_response,
    Exception: neutral_response,
}
