"""Errors as JSON: one shape for ours, the framework's and the unexpected."""

import logging
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from server.errors import Internal, LoopwireError

log = logging.getLogger(__name__)

_CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_long"}


def error_response(error: LoopwireError) -> Response:
    """Answer with an error of ours."""
    headers = {"retry-after": str(max(1, round(error.retry_after)))} if error.retry_after else None
    body: dict[str, object] = {"code": error.code, "message": error.message}
    if error.retry_after is not None:
        body["retry_after"] = error.retry_after
    return JSONResponse({"error": body}, status_code=error.status, headers=headers)


async def ours(_: Request, error: Exception) -> Response:
    """Answer with an error of ours, which the framework caught."""
    return error_response(error if isinstance(error, LoopwireError) else Internal())


async def theirs(_: Request, error: Exception) -> Response:
    """Answer with one of the framework's own errors."""
    if not isinstance(error, HTTPException):
        return error_response(Internal())
    phrase = HTTPStatus(error.status_code).phrase
    code = _CODES.get(error.status_code, phrase.lower().replace(" ", "_"))
    body = {"error": {"code": code, "message": f"{phrase}."}}
    return JSONResponse(body, status_code=error.status_code, headers=error.headers)


async def hung_up_response(_: Request, __: Exception) -> Response:
    """Answer a client that hung up in the middle of its body: nobody reads it, and nothing is wrong with us."""
    return Response(status_code=HTTPStatus.BAD_REQUEST)


async def neutral_response(request: Request, error: Exception) -> Response:
    """Answer neutrally; the details are for the log."""
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return error_response(Internal())


HANDLERS = {
    LoopwireError: ours,
    HTTPException: theirs,
    ClientDisconnect: hung_up_response,
    Exception: neutral_response,
}
