"""The codes of the errors that end a run: each error of model, tool and SDK has one, and its own text is not shown."""

import json
import logging

import httpx2
import msgspec
import openai
from agents.exceptions import (
    AgentsException,
    MaxTurnsExceeded,
    ModelBehaviorError,
    ModelTimeoutError,
)

from server.errors import (
    ContentFiltered,
    Cut,
    Internal,
    Limit,
    LoopwireError,
    ModelBusy,
    ModelError,
    ModelRejected,
    ModelTimeout,
    Truncated,
)
from server.patterns import SearchTooLong

log = logging.getLogger(__name__)

QUOTA = "insufficient_quota"
FILTERED = "content_filter"
NO_MODEL = "model_not_found"
HINT = "set LOOPWIRE_MODEL_API=chat"
MISSING_STATUS = frozenset({404, 405, 501})
BUSY_STATUS = frozenset({429, 503, 529})


def code_of(error: BaseException, *, answering: bool) -> str:
    """Return the code of an error; `answering` when the model had begun to answer.

    Only the names of classes are logged: messages of providers carry keys, prompts and internals.
    """
    if isinstance(error, SearchTooLong):
        log.warning("a search was broken off: %s", error.pattern)
    if isinstance(error, LoopwireError):
        return error.code
    kind = _kind(error, answering)
    if kind is Internal:
        log.error("run failed", exc_info=error)
    else:
        log.warning("model failed: %s (%s)", kind.code, type(error).__name__)
    if isinstance(error, openai.APIStatusError) and lacks_responses(error):
        log.warning("the model's server seems to have no /responses (%s): %s", error.status_code, HINT)
    return kind.code


def lacks_responses(error: openai.APIStatusError) -> bool:
    """Return whether a server says that it has no Responses, and not that it has no such model."""
    missing = error.status_code in MISSING_STATUS and error.code != NO_MODEL
    return missing and error.request.url.path.endswith("/responses")


def _kind(error: BaseException, answering: bool) -> type[LoopwireError]:  # noqa: PLR0911  # one table
    match error:
        case openai.APITimeoutError() | ModelTimeoutError() | httpx2.TimeoutException():
            return ModelTimeout
        case openai.APIConnectionError() | httpx2.TransportError():
            return Cut if answering else ModelError
        case openai.APIStatusError():
            return _of_status(error.status_code, error.code)
        case openai.APIError():
            return _of_code(error.code)
        case openai.OpenAIError():
            return ModelRejected
        case MaxTurnsExceeded():
            return Limit
        case ModelBehaviorError():
            return ModelError
        case json.JSONDecodeError() | msgspec.DecodeError():
            return ModelError
        case AgentsException():
            return ModelError
        case _:
            return Internal


def _of_status(status: int, code: str | None) -> type[LoopwireError]:
    if code == FILTERED:
        return ContentFiltered
    if status in BUSY_STATUS:
        return ModelRejected if code == QUOTA else ModelBusy
    return ModelError if status >= 500 or status == 408 else ModelRejected  # noqa: PLR2004  # HTTP


def _of_code(code: str | None) -> type[LoopwireError]:
    """Return an error inside a stream, whose status was fine."""
    if code == QUOTA:
        return ModelRejected
    if code == FILTERED:
        return ContentFiltered
    return ModelBusy if code in ("rate_limit_exceeded", "server_overloaded") else ModelError


def raise_unfinished(reason: str | None) -> None:
    """Raise when a Chat Completions answer with this `finish_reason` is not whole; return when it is."""
    if reason is None:
        raise Cut
    if reason == "length":
        raise Truncated
    if reason == FILTERED:
        raise ContentFiltered


def raise_incomplete(reason: str | None) -> None:
    """Raise what a Responses answer with these `incomplete_details` means."""
    raise ContentFiltered if reason == FILTERED else Truncated


def raise_terminal(code: str | None) -> None:
    """Raise what a `response.failed` or `error` event means."""
    raise _of_code(code)()
