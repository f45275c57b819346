"""The body of a request of a service: JSON of its model, refused in the shape that LoopOS documents."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from server.agents.contract import ServiceRequest
from server.apps import App
from server.endpoints.bodies import bad_json, read_json
from server.languages import LOCALES, known_language
from server.value_count import ValueCount

MOST_FAULTS = 20
"""Faults of one body that its answer names."""

M = TypeVar("M", bound=BaseModel)
R = TypeVar("R", bound=ServiceRequest)


async def read_body(request: Request, model: type[M]) -> M | Response:
    """Read a body; the answer is 422 in LoopOS's shape where fields are wrong or missing.

    Raises UnsupportedMediaType, BadJson, and TooLong for too many values.
    """
    raw = await read_json(request, ValueCount.of_values())
    return read_model(lambda: model.model_validate_json(raw or b"{}"))


def in_language_of(app: App, given: R) -> R:
    """Return a request whose language the app has: another one, and one that is not known, is the app's first."""
    wished = known_language(given.language)
    spoken = wished if wished in app.spoken else app.spoken[0]
    return given if spoken == wished else given.model_copy(update={"language": LOCALES[spoken].tag})


def read_model(validate: Callable[[], M]) -> M | Response:
    """Return what a body is, or the answer that names its wrong fields. Raises BadJson."""
    try:
        return validate()
    except ValidationError as error:
        return JSONResponse({"detail": detail_of(error)}, HTTPStatus.UNPROCESSABLE_ENTITY)


def detail_of(error: ValidationError) -> list[dict[str, Any]]:
    """Return the first faults of a body in LoopOS's shape. Raises BadJson where it is no JSON at all."""
    faults = error.errors(include_url=False, include_input=False, include_context=False)[:MOST_FAULTS]
    if faults[0]["type"] == "json_invalid":
        raise bad_json(faults[0]) from None
    return [{"loc": ["body", *each["loc"]], "msg": each["msg"], "type": each["type"]} for each in faults]
