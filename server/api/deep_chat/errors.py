"""The errors of Deep Chat's endpoints: `error` is one sentence, which the element shows; `code` is for programs."""

from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from server.api.deep_chat.body import WrongFields
from server.api.requests.endpoint import failure_of
from server.endpoints.chat_refusals import chat_error, chat_refusal_response
from server.errors import LOOPOS_INTERNAL, LoopwireError
from server.store import Run
from server.words import chat_refusal, failure_sentence

Json = dict[str, Any]


def refusal_of_chat(error: LoopwireError, language: str) -> Json:
    """Return the answer to the element for a message that was refused: `{error, code, retry_after?, detail?}`."""
    told = chat_error(error, language)
    if not isinstance(error, WrongFields):
        return told
    sentence = chat_refusal(error.reason, language) if error.reason else None
    return {**told, "error": sentence or told["error"], "detail": error.detail}


def refusal_response(error: LoopwireError, language: str) -> Response:
    """Answer a message that was refused."""
    return chat_refusal_response(error, refusal_of_chat(error, language))


def failure_of_chat(run: Run, language: str) -> tuple[HTTPStatus, Json]:
    """Return the status and body of a message whose run gave no answer."""
    status, body = failure_of(run)
    if body is LOOPOS_INTERNAL:
        return status, body
    told = {name: each for name, each in body["error"].items() if name != "message"}
    stopped = chat_refusal("cancelled", language) if told["code"] == "cancelled" else None
    return status, {"error": stopped or failure_sentence(run.code, language), **told}
