"""The errors of Deep Chat's endpoints: `error` is one sentence, which the element shows; `code` is for programs."""

from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse, Response

from server.api.deep_chat.body import WrongFields
from server.api.requests.endpoint import failure_of
from server.errors import LOOPOS_INTERNAL, LoopwireError, TooLong
from server.store import Run
from server.words import chat_refusal, failure_sentence

Json = dict[str, Any]


def refusal_of_chat(error: LoopwireError, language: str) -> Json:
    """Return the answer to the element for a message that was refused: `{error, code, retry_after?, detail?}`."""
    if error.status == HTTPStatus.INTERNAL_SERVER_ERROR:
        return LOOPOS_INTERNAL
    code = TooLong.code if isinstance(error, WrongFields) and error.too_long else error.code
    # A message that names a field or a number is more helpful than the sentence of its code.
    known = chat_refusal(code, language) if code != error.code or error.message == error.text else None
    sentence = known or error.message
    told: Json = {"error": sentence, "code": error.code}
    if error.retry_after is not None:
        told["retry_after"] = error.retry_after
    if isinstance(error, WrongFields):
        told["detail"] = error.detail
    elif error.status == HTTPStatus.UNPROCESSABLE_ENTITY and error.field is not None:
        told["detail"] = [{"loc": ["body", error.field], "msg": error.message, "type": error.code}]
    return told


def refusal_response(error: LoopwireError, language: str) -> Response:
    """Answer a message that was refused."""
    headers = {"retry-after": str(max(1, round(error.retry_after)))} if error.retry_after else None
    return JSONResponse(refusal_of_chat(error, language), error.status, headers)


def failure_of_chat(run: Run, language: str) -> tuple[HTTPStatus, Json]:
    """Return the status and body of a message whose run gave no answer."""
    status, body = failure_of(run)
    if body is LOOPOS_INTERNAL:
        return status, body
    code = body["error"]["code"]
    stopped = chat_refusal("cancelled", language) if code == "cancelled" else None
    return status, {"error": stopped or failure_sentence(run.code, language), "code": code}
