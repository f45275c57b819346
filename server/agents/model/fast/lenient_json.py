"""Lenient JSON: numbers and half characters that Python's json reads and the fast decoder refuses.

Some servers send NaN for a probability, and those that count in UTF-16 cut an emoji into two events. No ordinary
token is read by this module.
"""

from typing import Any, TypeVar

import msgspec

from server.protocol.codec import mend_text, read_json

_Kind = TypeVar("_Kind")


def load_object(data: bytes) -> dict[str, Any]:
    """Return the object of an event; raises msgspec.DecodeError when Python's json cannot read it either."""
    try:
        value = read_json(data)
    except ValueError as error:
        raise msgspec.DecodeError("An event is no JSON.") from error
    if not isinstance(value, dict):
        raise msgspec.DecodeError("An event is no object.")
    return value


def pick_fields(fields: dict[str, Any], kind: type[_Kind]) -> _Kind:
    """Return the fields that this kind of event reads, and no other.

    Raises msgspec.DecodeError when they do not fit.
    """
    names = [field.name for field in msgspec.structs.fields(kind)]  # type: ignore[arg-type]
    return msgspec.convert({name: fields[name] for name in names if name in fields}, kind)


def split_half_character(whole: str, *, last: bool) -> tuple[str, list[str]]:
    """Return a text without halves of characters, and the first half of one at its end, if more may come."""
    if not last and "\ud800" <= whole[-1:] <= "\udbff":
        return mend_text(whole[:-1]), [whole[-1]]
    return mend_text(whole), []
