"""The fields of requests and responses as people read them: labels by the words, values as text."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from server.languages import format_euro, format_number, format_share, nearest_language
from server.words import readable, say

MOST_TEXT = 2_000
"""Characters of one value."""

MOST_WORD = 40
"""Characters of a text that is shown beside others in one line."""

NO_BREAK = "\N{NO-BREAK SPACE}"

BAND = ("_average", "_min", "_max")
"""The endings of three fields' names that are one statement: a value, and its bounds."""


class Unit(Enum):
    """The unit of a number in a model, as a part of its `Annotated` type."""

    EURO = auto()
    SHARE = auto()
    """A part of one, which people read as a percentage."""


@dataclass(frozen=True)
class OfferedValues:
    """The values of a text that a form offers, as a part of its `Annotated` type. The API takes others too."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class OfferedOfKeys:
    """The values that a form offers for keys of an open object, as a part of its `Annotated` type."""

    values: Mapping[str, tuple[str, ...]]


Units = Mapping[str, Unit]
"""The units of numbers, by the names of their fields."""


@cache
def units_of(model: type[BaseModel]) -> Units:
    """Return the units of a model's numbers, and of the models within it; each request and answer asks for them."""
    found: dict[str, Unit] = {}
    for name, field in model.model_fields.items():
        found |= _units_in(name, (*field.metadata, field.annotation))
    return found


def _units_in(name: str, parts: Iterable[Any]) -> dict[str, Unit]:
    """Return the units in the parts of a field's type, and in those of its own parts."""
    found: dict[str, Unit] = {}
    for each in parts:
        if isinstance(each, Unit):
            found[name] = each
        elif isinstance(each, type) and issubclass(each, BaseModel):
            found |= units_of(each)
        else:
            found |= _units_in(name, get_args(each))
    return found


def field_label(name: str, language: str) -> str:
    """Return what people call a field; one without words goes by its own name."""
    for key in (f"field.{name}.label", f"field.{name}"):  # A tool's own field may have another word.
        words = say(key, language)
        if words != key:
            return words
    return readable(name)


def line_with_label(label: str, text: str, language: str) -> str:
    """Return a label and its text as one line; French has a space before the colon, where no line breaks."""
    return f"{label}{NO_BREAK if nearest_language(language) == 'fr' else ''}: {text}"


def field_text(value: Any, language: str, unit: Unit | None = None) -> str:
    """Return what people read of a value: a list and an object as lines, a number as the language writes it."""
    if isinstance(value, bool):
        return say("form.yes" if value else "form.no", language)
    if isinstance(value, int | float):
        return _number_text(value, language, unit)
    if isinstance(value, list):
        said = (each for each in value if each or each == 0)  # Thousands of empty ones are passed over here.
        parts = _take_shown(filter(None, (field_text(each, language) for each in said)))
        return (", " if all(map(_is_word, value)) else "\n").join(parts)[:MOST_TEXT]
    if value is None or isinstance(value, str):
        return (value or "")[:MOST_TEXT]
    if isinstance(value, Mapping):
        pairs = ((field_label(str(key), language), field_text(each, language)) for key, each in value.items())
        lines = (line_with_label(label, text, language) for label, text in pairs if text)
        return "\n".join(_take_shown(lines))[:MOST_TEXT]
    return str(value)[:MOST_TEXT]


def _take_shown(parts: Iterable[str]) -> Iterator[str]:
    """Yield the parts that `MOST_TEXT` characters show when they are joined; those behind them are not read."""
    length = 0
    for each in parts:
        yield each
        length += len(each) + 1
        if length > MOST_TEXT:
            return


def _is_word(value: Any) -> bool:
    """Return whether a text is short enough to be shown beside others in one line."""
    return isinstance(value, str) and len(value) <= MOST_WORD and not set(value) & set(",;.:/\n")


def _number_text(value: float, language: str, unit: Unit | None) -> str:
    write = {Unit.EURO: format_euro, Unit.SHARE: format_share}
    return (write[unit] if unit else format_number)(value, nearest_language(language))


def leaves(
    data: Mapping[str, Any], language: str, *, without: Container[str] = (), units: Units | None = None
) -> Iterator[tuple[str, str]]:
    """Yield label and text of each field that says something, `without` those of these names."""
    for name, value in data.items():
        if name in without:
            continue
        if isinstance(value, Mapping):
            yield from leaves(value, language, without=without, units=units)
        elif text := field_text(value, language, (units or {}).get(name)):
            yield field_label(name, language), text


def response_pairs(response: Mapping[str, Any], language: str, units: Units) -> list[tuple[str, str]]:
    """Return label and text of each field of a response that says something; three fields of a band are one pair."""
    pairs: list[tuple[str, str]] = []
    told: set[str] = set()
    for name, value in response.items():
        stem = next((name.removesuffix(end) for end in BAND if name.endswith(end)), "")
        band = [f"{stem}{end}" for end in BAND]
        if stem and all(isinstance(response.get(each), int | float) for each in band):
            if stem not in told:
                told.add(stem)
                texts = [field_text(response[each], language, units.get(each)) for each in band]
                pairs.append((field_label(stem, language), _band_text(texts, language)))
        elif text := field_text(value, language, units.get(name)):
            pairs.append((field_label(name, language), text))
    return pairs


def _band_text(texts: list[str], language: str) -> str:
    """Return a value and between which it lies, or the value alone where all are the same."""
    value, least, most = texts
    return value if least == most else say("response.band", language, value=value, least=least, most=most)
