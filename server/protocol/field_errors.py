"""The sentence for a wrong field of a frame or a body; it never shows the value."""

from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from server import patterns

_name_shape = patterns.compile(r"[A-Za-z0-9_-]{1,64}\Z")


def first_error(error: ValidationError) -> ErrorDetails:
    """Return the first fault. pydantic makes an object for each fault of the input again, so this is called once."""
    return error.errors(include_url=False, include_input=False)[0]


def first_fault(error: ValidationError, data: Any = None) -> str:
    """Return `field: why` of the first fault; with the data that was judged, without the names of union members."""
    return describe_fault(first_error(error), data)


def describe_fault(fault: ErrorDetails, data: Any = None) -> str:
    """Return `field: why` of a fault; with the data that was judged, without the names of union members."""
    why = _why(fault).removesuffix(".")
    place = fault["loc"] if data is None else _inside(data, fault["loc"])
    return f"{'.'.join(shown_name(each) for each in place)}: {why}" if place else why


def _why(fault: ErrorDetails) -> str:
    """Return Pydantic's own sentence, but where it would show a value."""
    if fault["type"] == "union_tag_invalid":
        return f"Its type should be one of {fault['ctx']['expected_tags']}"
    return fault["msg"].removeprefix("Value error, ")


def _inside(data: Any, loc: tuple[int | str, ...]) -> list[int | str]:
    """Keep the steps that lead somewhere in the data, and the last one, which may be missing there."""
    steps: list[int | str] = []
    here = data
    for at, step in enumerate(loc):
        if isinstance(here, dict) and (step in here or at == len(loc) - 1):
            steps.append(step)
            here = here.get(step)
        elif isinstance(here, list) and isinstance(step, int) and step < len(here):
            steps.append(step)
            here = here[step]
    return steps


def shown_name(step: int | str) -> str:
    """Return the name of a field. A name that a sender made up is shown only when it looks like one."""
    return str(step) if isinstance(step, int) or _name_shape.match(step) else "(an odd name)"
