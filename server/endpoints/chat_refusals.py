"""The refusals of POST /chat: `error` is one sentence, which the element of Deep Chat shows; `code` is for programs.

The web process answers with them before its backend is loaded: this module imports nothing of the agents.
"""

from http import HTTPStatus
from math import ceil
from typing import Any

from starlette.responses import JSONResponse, Response

from server.asgi import Scope
from server.errors import LOOPOS_INTERNAL, ImageUnreadable, LoopwireError, RateLimited, UrlNotAllowed
from server.languages import LANGUAGES
from server.words import chat_refusal

_SAID_BETTER = (RateLimited, ImageUnreadable, UrlNotAllowed)
"""Errors whose sentence is more helpful than any message of theirs."""

CHAT = "/chat"
"""The prefix of the paths whose errors have this shape."""


def chat_error(error: LoopwireError, language: str) -> dict[str, Any]:
    """Return an error as the element reads it: `{error, code, retry_after?, detail?}`, the seconds as a number."""
    if error.status == HTTPStatus.INTERNAL_SERVER_ERROR:
        return LOOPOS_INTERNAL
    # Other messages that name a field or a limit are more helpful than the sentence of their code.
    general = error.message == error.text or isinstance(error, _SAID_BETTER)
    sentence = chat_refusal(error.sentence or error.code, language) if general else None
    told: dict[str, Any] = {"error": sentence or error.message, "code": error.code}
    if error.retry_after is not None:
        told["retry_after"] = error.retry_after
    if error.status == HTTPStatus.UNPROCESSABLE_ENTITY and error.field is not None:
        told["detail"] = [{"loc": ["body", error.field], "msg": error.message, "type": error.code}]
    return told


def chat_refusal_response(error: LoopwireError, told: dict[str, Any]) -> Response:
    """Return the response to a refused message: `told` is its body, as `chat_error` makes it."""
    headers = {"retry-after": str(max(1, ceil(error.retry_after)))} if error.retry_after else None
    return JSONResponse(told, error.status, headers)


def language_of_refusals(scope: Scope) -> str:
    """Return the language of a refusal before the message was read, which `note_language` has noted."""
    return str(scope.get("state", {}).get("language", LANGUAGES[0]))


def note_language(scope: Scope, language: str) -> None:
    """Note the caller's language, for a refusal of the request."""
    scope.setdefault("state", {})["language"] = language
