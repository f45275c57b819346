"""The fields of requests and responses as people read them: labels by the words, values as text."""

from collections.abc import Container, Iterator, Mapping
from typing import Any

from server.html.words import readable, say
from server.languages import format_number, nearest_language

MOST_TEXT = 2_000
"""Characters of one value."""


def field_label(name: str, language: str) -> str:
    """Return what people call a field; one that nobody found words for goes by its own name."""
    for key in (f"field.{name}.label", f"field.{name}"):  # A tool's own field may have another word.
        words = say(key, language)
        if words != key:
            return words
    return readable(name)


def field_text(value: Any, language: str) -> str:
    """Return what people read of a value: a list and an object as lines, a number as the language writes it."""
    if isinstance(value, bool):
        return say("form.yes" if value else "form.no", language)
    if isinstance(value, int | float):
        return format_number(value, nearest_language(language))
    if isinstance(value, Mapping):
        pairs = ((field_label(str(key), language), field_text(each, language)) for key, each in value.items())
        return "\n".join(f"{label}: {text}" for label, text in pairs if text)[:MOST_TEXT]
    if isinstance(value, list):
        return "\n".join(filter(None, (field_text(each, language) for each in value)))[:MOST_TEXT]
    return "" if value is None else str(value)[:MOST_TEXT]


def leaves(
    data: Mapping[str, Any], language: str, *, without: Container[str] = ()
) -> Iterator[tuple[str, str]]:
    """Yield label and text of each field of a request that says something, `without` those of these names."""
    for name, value in data.items():
        if name in without:
            continue
        if isinstance(value, Mapping):
            yield from leaves(value, language, without=without)
        elif text := field_text(value, language):
            yield field_label(name, language), text
