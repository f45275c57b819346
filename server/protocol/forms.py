"""Questions as a JSON Schema of one flat object: what is accepted, the fields that it draws, the fault of an answer.

The subset is closed, so it is judged here: a library for all of JSON Schema costs a start an eighth of a second, and
its messages quote what people wrote.
"""

import math
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from server import patterns

Json = dict[str, Any]

MOST_FIELDS = 20
MOST_CHOICES = 50
MOST_TEXT = 2_000
"""Characters of a text whose schema says nothing smaller."""

_TOP = {"type", "properties", "required", "title", "description", "additionalProperties", "$schema"}
_SAID = {"type", "title", "description"}
_OF_TYPE: dict[str, set[str]] = {
    "string": {"enum", "format", "minLength", "maxLength", "formatMinimum", "formatMaximum"},
    "number": {"minimum", "maximum"},
    "integer": {"minimum", "maximum"},
    "boolean": set(),
}
_FORMATS = ("date", "email")
_BOUNDS = {"minLength": "min", "maxLength": "max", "minimum": "min", "maximum": "max"}
_DAYS = {"formatMinimum": "min", "formatMaximum": "max"}
_NAME = patterns.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_EMAIL = patterns.compile(r"[^@\s]{1,64}@[^@\s]{1,190}\.[^@\s.]{1,60}")
_DATE = patterns.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Fault:
    """The fault of an answer: its field (empty: the whole answer), and the end of its key among the words."""

    name: str
    key: str
    values: dict[str, int | float | str] = field(default_factory=dict)
    """The numbers and days (ISO 8601) that its sentence names. It never holds what was answered."""


class BadForm(ValueError):
    """A schema is outside the subset; the text is one sentence for the model that wrote it."""


def fields_of(schema: Any) -> list[Json]:
    """Return the fields of a form, `{name, label, hint?, input, choices?, required, min?, max?}`. Raises BadForm."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise BadForm("The schema must be one object of questions.")
    _require_keys(schema, _TOP, "the schema")
    properties, required = schema.get("properties"), schema.get("required", [])
    if not isinstance(properties, dict) or not 0 < len(properties) <= MOST_FIELDS:
        raise BadForm(f"The schema must have 1 to {MOST_FIELDS} properties.")
    if not isinstance(required, list) or not all(each in properties for each in required):
        raise BadForm("Everything that is required must be one of the properties.")
    return [_field(name, each, required=name in required) for name, each in properties.items()]


def _field(name: str, schema: Any, *, required: bool) -> Json:
    if not _NAME.fullmatch(name):
        raise BadForm("The name of a property is made of letters, digits and _.")
    kind = schema.get("type") if isinstance(schema, dict) else None
    if not isinstance(kind, str) or kind not in _OF_TYPE:
        raise BadForm(f"{name} must be of type string, number, integer or boolean.")
    _require_keys(schema, _SAID | _OF_TYPE[kind], name)
    field: Json = {"name": name, "label": str(schema.get("title") or name), "input": _input(name, schema)}
    if schema.get("description"):
        field["hint"] = str(schema["description"])
    if "enum" in schema:
        field["choices"] = [{"value": each, "label": each} for each in schema["enum"]]
    field["required"] = required
    return field | _bounds(name, schema)


def _input(name: str, schema: Json) -> str:
    choices = schema.get("enum")
    if choices is not None:
        fits = isinstance(choices, list) and 0 < len(choices) <= MOST_CHOICES
        if not fits or not all(isinstance(each, str) and each for each in choices):
            raise BadForm(f"The enum of {name} must be 1 to {MOST_CHOICES} texts.")
        if len(set(choices)) < len(choices):
            raise BadForm(f"The enum of {name} has a text twice.")
        return "choice"
    form = schema.get("format")
    if form is not None and form not in _FORMATS:
        raise BadForm(f"The format of {name} can only be date or email.")
    return str(form or {"string": "text", "boolean": "yesno"}.get(schema["type"], schema["type"]))


def _bounds(name: str, schema: Json) -> Json:
    found: Json = {}
    for word, bound in _BOUNDS.items():
        if word in schema:
            if not _is_number(schema[word]):
                raise BadForm(f"{word} of {name} must be a number.")
            found[bound] = schema[word]
    for word, bound in _DAYS.items():
        if word in schema:
            if schema.get("format") != "date" or not _is_date(schema[word]):
                raise BadForm(
                    f"{word} of {name} must be a day such as 2026-01-31, and {name} of format date."
                )
            found[bound] = schema[word]
    return found


def _require_keys(schema: Json, known: set[str], where: str) -> None:
    odd = sorted(set(schema) - known)
    if odd:
        raise BadForm(f"Not supported in {where}: {', '.join(odd)[:100]}.")


def fault_in(schema: Json, value: Any) -> Fault | None:
    """Return the first thing that does not fit; None when all does."""
    if schema.get("type") != "object":
        return _fault("", schema, value)
    if not isinstance(value, dict):
        return Fault("", "object")
    properties: Json = schema.get("properties", {})
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        return Fault(missing[0], "empty")
    if any(name not in properties for name in value):
        return Fault("", "unknown")
    found = (_fault(name, {"maxLength": MOST_TEXT, **properties[name]}, each) for name, each in value.items())
    return next((each for each in found if each is not None), None)


def _fault(name: str, schema: Json, value: Any) -> Fault | None:
    """Return why one value does not fit its schema."""
    kind = schema["type"]
    if kind == "boolean":
        return None if isinstance(value, bool) else Fault(name, "boolean")
    if kind == "string":
        return _text_fault(name, schema, value) if isinstance(value, str) else Fault(name, "text")
    if not _is_number(value) or (kind == "integer" and not isinstance(value, int)):
        return Fault(name, kind)
    if value < schema.get("minimum", value):
        return Fault(name, "min", {"min": schema["minimum"]})
    return Fault(name, "max", {"max": schema["maximum"]}) if value > schema.get("maximum", value) else None


def _text_fault(name: str, schema: Json, value: str) -> Fault | None:
    least, most = schema.get("minLength", 0), schema.get("maxLength", len(value))
    if "enum" in schema:
        return None if value in schema["enum"] else Fault(name, "choose")
    if len(value) < least:
        return Fault(name, "short", {"min": least})
    if len(value) > most:
        return Fault(name, "long", {"count": len(value), "max": most})
    match schema.get("format"):
        case "date":
            return _day_fault(name, schema, value)
        case "email" if not _EMAIL.fullmatch(value):
            return Fault(name, "email")
    return None


def _day_fault(name: str, schema: Json, value: str) -> Fault | None:
    """Return why a day does not fit; days of ISO 8601 are in order as texts."""
    if not _is_date(value):
        return Fault(name, "date")
    if value < schema.get("formatMinimum", value):
        return Fault(name, "early", {"min": schema["formatMinimum"]})
    late = value > schema.get("formatMaximum", value)
    return Fault(name, "late", {"max": schema["formatMaximum"]}) if late else None


def _is_date(value: Any) -> bool:
    try:
        return (
            isinstance(value, str) and bool(_DATE.fullmatch(value)) and date.fromisoformat(value) is not None
        )
    except ValueError:
        return False


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
