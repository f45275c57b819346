"""The errors of OpenAI's wire: `{"error": {message, type, param, code}}`, with OpenAI's words where it has some."""

from http import HTTPStatus
from math import ceil
from typing import Any

from starlette.responses import JSONResponse, Response

from server.errors import BadFrame, LoopwireError, NotFound

PATHS = ("/v1/responses", "/v1/models")
"""The prefix of the paths of OpenAI's wire."""

_CODES = {
    "unauthorized": "invalid_api_key",
    "rate_limited": "rate_limit_exceeded",
    "budget": "insufficient_quota",
    "internal": "server_error",
}
"""OpenAI's codes of what it knows too; other errors keep the codes that they have everywhere here."""

_TYPES = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}


class UnsupportedParameter(BadFrame):
    """A field that OpenAI has, and that would change the answer in a way that is not offered here."""

    code = "unsupported_parameter"


class UnknownParameter(BadFrame):
    """A field that OpenAI does not have either."""

    code = "unknown_parameter"


class InvalidValue(BadFrame):
    """A field has a value that is not understood here."""

    code = "invalid_value"


class ModelNotFound(NotFound):
    """No conversation of this app is offered under this name."""

    code = "model_not_found"


class ResponseNotFound(NotFound):
    """A response does not exist, or belongs to another principal."""

    code, text = "response_not_found", "There is no response of this id for this key and user."


def openai_error(error: LoopwireError) -> dict[str, Any]:
    """Return an error as OpenAI's clients read it: `{message, type, param, code}`, with `retry_after` in seconds."""
    status = HTTPStatus(error.status)
    usual = "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
    told: dict[str, Any] = {
        "message": error.message,
        "type": _TYPES.get(status, usual),
        "param": error.field,
        "code": _CODES.get(error.code, error.code),
    }
    if error.retry_after is not None:
        told["retry_after"] = error.retry_after
    return told


def openai_error_response(error: LoopwireError) -> Response:
    """Answer a request of OpenAI's wire with an error."""
    headers = {"retry-after": str(max(1, ceil(error.retry_after)))} if error.retry_after else None
    return JSONResponse({"error": openai_error(error)}, error.status, headers)
