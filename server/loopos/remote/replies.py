"""The reading of answers of LoopOS Core: a body of the contract, or the error of the port that its code names."""

from http import HTTPStatus
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from server.errors import LoopwireError, NotFound
from server.loopos.remote.exchange import RETRIED, CoreReply
from server.loopos.remote.failures import CoreFailure
from server.loopos.remote.wire import CoreError
from server.loopos.rows import ItemChanged, ItemRefused

M = TypeVar("M", bound=BaseModel)

_EXPECTED = {
    HTTPStatus.NOT_FOUND: {"not_found"},
    HTTPStatus.CONFLICT: {"item_changed", "in_progress"},
    HTTPStatus.UNPROCESSABLE_ENTITY: {"item_refused"},
}
"""The codes that mean something under these statuses. A 404 of a proxy has none, and says nothing about an item."""


def read_reply(reply: CoreReply, model: type[M]) -> M:
    """Return the body of a 2xx answer.

    Raises NotFound, ItemRefused and ItemChanged where the Core says so, CoreFailure for everything else.
    """
    if reply.status in RETRIED:
        raise CoreFailure("status", retry=True, status=reply.status, retry_after=reply.retry_after)
    if not 200 <= reply.status < 300:  # noqa: PLR2004  # HTTP
        raise _refusal(reply)
    try:
        return model.model_validate_json(reply.body)
    except ValidationError as error:
        unreadable = error.errors(include_url=False, include_context=False, include_input=False)
        if unreadable[0]["type"] == "json_invalid":
            raise CoreFailure("unreadable", retry=True) from None
        raise CoreFailure("contract", retry=False, counts=False) from None
    except RecursionError:
        raise CoreFailure("unreadable", retry=False) from None


def _refusal(reply: CoreReply) -> LoopwireError | CoreFailure:
    other = CoreFailure("refused", retry=False, counts=False, status=reply.status)
    if reply.status not in _EXPECTED:
        return other
    try:
        error = CoreError.model_validate_json(reply.body)
    except (ValidationError, RecursionError):
        return other
    if error.code not in _EXPECTED[HTTPStatus(reply.status)]:
        return other
    match error.code:
        case "not_found":
            return NotFound()
        case "item_changed":
            return ItemChanged()
        case "item_refused":
            return ItemRefused(error.reason or "other")
        case _:
            return CoreFailure("in_progress", retry=True, counts=False)
