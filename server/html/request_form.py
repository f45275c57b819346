"""The form of a service's request: its fields from the request's model, and the request from the filled form."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from server.field_words import OfferedOfKeys, OfferedValues, Unit, field_label
from server.languages import nearest_language, read_number
from server.words import say

Json = dict[str, Any]

LEFT_OUT = frozenset({
    "callback_url", "conversation", "error", "images", "language", "loopos_core_context", "messages",
    "session_extra_data", "session_id", "target_locale", "user",
})  # fmt: skip
"""Fields that a form does not ask for: the page knows them, people do not need them, or another field has the value."""

NEEDED = frozenset({"target_locales"})
"""Fields that a form requires, as it does not ask for the one that a program may give instead."""

LONG = 400
"""Characters from which on a text gets several lines."""

Kind = Literal["line", "text", "number", "yesno", "choice", "lines", "pairs", "picture"]


@dataclass(frozen=True, slots=True)
class FormField:
    """One field: its name is the path to its place in the request, parted by dots."""

    name: str
    label: str
    kind: Kind
    required: bool
    hint: str = ""
    choices: tuple[str, ...] = ()
    value: str = ""
    unit: str = ""


def form_fields(
    model: type[BaseModel], example: Json, language: str, pictures: Sequence[str] = ()
) -> list[FormField]:
    """Return the fields of the model with the example's values, in its order, and the pictures by their names.

    Where the model requires a picture, the first one is required and they stand first; else they stand last.
    """
    of_images = model.model_fields["images"].metadata if pictures else ()
    needs_one = any(getattr(each, "min_length", 0) for each in of_images)
    asked = [
        FormField(
            _field_name(("images", name)),
            field_label(name, language),
            "picture",
            needs_one and name == pictures[0],
            _hint_words(name, language),
        )
        for name in pictures
    ]
    written = _fields(model, example, language, ())
    return [*asked, *written] if needs_one else [*written, *asked]


def _fields(
    model: type[BaseModel], example: Any, language: str, path: tuple[str, ...]
) -> Iterator[FormField]:
    for name, field in model.model_fields.items():
        if not path and name in LEFT_OUT:
            continue
        given = example.get(name) if isinstance(example, Mapping) else None
        yield from _field((*path, name), field, given, language)


def _field(path: tuple[str, ...], field: FieldInfo, given: Any, language: str) -> Iterator[FormField]:
    kind = _bare(field.annotation)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield from _fields(kind, given, language, path)
        return
    if _is_open(kind):
        offered = next((each.values for each in _metadata(field) if isinstance(each, OfferedOfKeys)), {})
        for name, value in (given or {}).items():
            yield FormField(
                _field_name((*path, name)),
                field_label(name, language),
                "choice" if name in offered else _of_value(value),
                False,
                _hint_words(name, language),
                offered.get(name, ()),
                value=_text(value),
            )
        return
    yield FormField(
        _field_name(path),
        field_label(path[-1], language),
        _kind(kind, field),
        field.is_required() or path[-1] in NEEDED,
        _hint(path[-1], field, language),
        _choices(kind, field),
        _text(given),
        "€" if Unit.EURO in _metadata(field) else "",
    )


def _choices(kind: Any, field: FieldInfo) -> tuple[str, ...]:
    if get_origin(kind) is Literal:
        return tuple(map(str, get_args(kind)))
    return next((each.values for each in _metadata(field) if isinstance(each, OfferedValues)), ())


def _bare(annotation: Any) -> Any:
    """Return a type without `Annotated` and without `None`."""
    if get_origin(annotation) is Annotated:
        return _bare(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return _bare(next(each for each in get_args(annotation) if each is not type(None)))
    return annotation


def _is_open(kind: Any) -> bool:
    """Return whether it is an object with keys of the caller's own, of any value."""
    return get_origin(kind) is dict and get_args(kind)[1] is Any


def _kind(kind: Any, field: FieldInfo) -> Kind:
    if _choices(kind, field):
        return "choice"
    if get_origin(kind) is list:
        return "lines"
    if get_origin(kind) is dict:
        return "pairs"
    if kind is bool:
        return "yesno"
    if kind in (int, float):
        return "number"
    longest = next((each.max_length for each in _metadata(field) if hasattr(each, "max_length")), 0)
    return "text" if (longest or 0) > LONG else "line"


def _metadata(field: FieldInfo) -> Iterator[Any]:
    """Yield the limits of a field, also those inside its optional type."""
    yield from field.metadata
    for each in get_args(field.annotation):
        if get_origin(each) is Annotated:
            for limit in get_args(each)[1:]:
                yield from getattr(limit, "metadata", (limit,))


def _of_value(value: Any) -> Kind:
    return "text" if isinstance(value, str) and len(value) > LONG // 10 else "line"


def _field_name(path: Sequence[str]) -> str:
    return ".".join(path)


def _hint(name: str, field: FieldInfo, language: str) -> str:
    words = _hint_words(name, language)
    if words:
        return words
    return (field.description or "").replace("`", "") if language == "en" else ""


def _hint_words(name: str, language: str) -> str:
    words = say(f"field.{name}.hint", language)
    return "" if words == f"field.{name}.hint" else words


def _text(value: Any) -> str:
    """Return a value as a field shows it: a list and an object by lines."""
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {_text(each)}" for key, each in value.items())
    if isinstance(value, list):
        return "\n".join(map(_text, value))
    return "" if value is None else str(value)


def request_of_form(fields: Sequence[FormField], given: Mapping[str, str], language: str) -> Json:
    """Return the request of what was filled in; empty fields are left out, unless they are required.

    The pictures are not among them: they are files.
    """
    request: Json = {"language": {"pt": "PT-PT", "en": "en-US"}.get(language, language)}
    for field in fields:
        if field.kind == "picture":
            continue
        text = given.get(field.name, "").replace("\r\n", "\n").strip()
        place = request
        *above, last = field.name.split(".")
        for name in above:
            place = place.setdefault(name, {})
        if text or field.required:
            place[last] = _value(field, text, language)
    return request


def _value(field: FormField, text: str, language: str) -> Any:
    """Return a field's text as its type; what is no number stays a text, which the request's model refuses."""
    match field.kind:
        case "lines":
            mark = "\n" if "\n" in text else ","
            return [each.strip() for each in text.split(mark) if each.strip()]
        case "pairs":
            lines = [each.strip() for each in text.split("\n") if each.strip()]
            return dict(_pair(each, place) for place, each in enumerate(lines, 1))
        case "number":
            try:
                return read_number(text, nearest_language(language))
            except ValueError:
                return text
        case "yesno":
            return text == "yes"
        case _:
            return text


def _pair(line: str, place: int) -> tuple[str, str]:
    """Return the key and the text of a line; one without a colon is a text, whose key is its place."""
    key, colon, text = line.partition(":")
    return (key.strip(), text.strip()) if colon and key.strip() else (f"text_{place}", line)


def with_values(fields: Sequence[FormField], given: Mapping[str, str]) -> list[FormField]:
    """Return the fields with what was filled in."""
    return [replace(each, value=given.get(each.name, "")) for each in fields]


def values_of_request(fields: Sequence[FormField], request: Json) -> dict[str, str]:
    """Return what was filled in for a request, by the names of the fields; what it leaves out is empty."""
    return {each.name: _text(_at(request, each.name.split("."))) for each in fields}


def _at(value: Any, path: Sequence[str]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def faults_by_field(
    faults: Sequence[Mapping[str, Any]], fields: Sequence[FormField], language: str
) -> dict[str, str]:
    """Return the sentence of each field that is wrong; of a fault of no field the first one has it."""
    found: dict[str, str] = {}
    for each in faults:
        path = _field_name([str(step) for step in each["loc"] if step != "body"])
        names = [field.name for field in fields if path == field.name or path.startswith(f"{field.name}.")]
        within = [field.name for field in fields if field.name.startswith(path)]
        name = (names or within or [fields[0].name])[0]
        if path == "images" and each["type"] == "too_short":
            found.setdefault(name, say("form.empty.picture", language))
        of_several = not names and len(within) > 1 and each["type"] == "value_error"
        found.setdefault(name, say("form.empty.all", language) if of_several else _sentence(each, language))
    return found


def _sentence(fault: Mapping[str, Any], language: str) -> str:
    """Return what to write instead; of a fault without words its own message in English, else that it is wrong."""
    key = _SENTENCES.get(fault["type"])
    if key is None and language == "en":
        sentence = str(fault["msg"]).removeprefix("Value error, ").rstrip(".")
        return f"{sentence[:1].upper()}{sentence[1:]}."
    return say(key or "form.wrong.value", language)


_SENTENCES = {
    **dict.fromkeys(("missing", "string_too_short", "too_short"), "form.empty.required"),
    **dict.fromkeys(("string_too_long", "too_long"), "form.wrong.long"),
    **dict.fromkeys(("float_parsing", "float_type", "int_parsing", "int_type"), "ask.error.number"),
    **dict.fromkeys(("string_pattern_mismatch", "literal_error", "enum"), "form.wrong.value"),
}
