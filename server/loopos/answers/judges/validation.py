"""The validation of a typed answer to a question of a protocol, and the value that it means."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import date

from server import patterns
from server.languages import LANGUAGES, LOCALES, READ
from server.loopos.answers.amounts.dates import lacks_year, read_date
from server.loopos.answers.amounts.numbers import read_number, show_number
from server.loopos.answers.element import Element, Text, language_of
from server.loopos.answers.options.option_choice import pick
from server.loopos.answers.refusals import Refused, Valid
from server.loopos.answers.words import (
    ANSWERS,
    clauses,
    fold,
    is_number,
    is_unknown,
    polarity,
    tokens,
    without_fillers,
)

SKIPPED = Text("Não sei", "I don't know")
YES_SHOWN, NO_SHOWN = Text("Sim", "Yes"), Text("Não", "No")
_POLES = ((True, YES_SHOWN), (False, NO_SHOWN))
_EXAMPLES = (12000, 1200, 12, 2, 1)
_PERCENTAGE = 87

Answer = Valid | Refused


def validate(element: Element, answer: str, language: str, today: date) -> Answer:
    """Judge one answer; `today` is the writer's date, `language` that of `shown` and of the parameters."""
    text = "".join(c for c in answer.strip() if c == "\n" or unicodedata.category(c) not in ("Cc", "Cs"))
    if not element.asks:
        return Refused("not_a_question")
    if not text:
        return Refused("empty")
    if (labelled := read_label(element, text, language)) is not None:
        return labelled
    if element.kind == "select":
        return _select(element, text, language)
    if is_unknown(text):
        return _skip(element, language)
    return _READERS[element.kind](element, text, language, today)


def validate_click(element: Element, value: str, language: str, today: date) -> Answer:
    """Judge the value of a choice, a form or a program: an option's value is that option, whatever its label says.

    A yes or no is read in any language: the block may have been shown before the page was switched to another one.
    """
    for option in element.options if element.kind == "select" else ():
        if option.value == value:
            return Valid(option.value, option.label.text_in(language), option.deal_breaker)
    for says, shown in _POLES if element.kind == "boolean" else ():
        if value in {shown.text_in(each) for each in LANGUAGES}:
            return Valid(says, shown.text_in(language))
    return validate(element, value, language, today)


def read_label(element: Element, text: str, language: str) -> Valid | None:
    """Return the answer whose label in the language is the whole text, where that is not one that is read anyway."""
    if language_of(language) in READ:
        return None
    said = tokens(text)
    for says, shown in _POLES if element.kind == "boolean" else ():
        if said == tokens(shown.text_in(language)):
            return Valid(says, shown.text_in(language))
    found = [each for each in element.options if said == tokens(each.label.text_in(language))]
    if len(found) != 1:
        return None
    return Valid(found[0].value, found[0].label.text_in(language), found[0].deal_breaker)


def _skip(element: Element, language: str) -> Answer:
    return Refused("required") if element.required else Valid(None, SKIPPED.text_in(language))


def too_long(element: Element) -> Refused:
    """Return what is said of a text that is longer than its question allows."""
    return Refused("too_long", {"max": str(element.max_length)})


def _text(element: Element, text: str, language: str, _today: date) -> Answer:
    if len(text) > element.max_length:
        return too_long(element)
    if element.pattern is not None and not patterns.fullmatch(element.pattern, text):
        return Refused("pattern", {"hint": (element.hint or element.label).text_in(language)})
    return Valid(text, text)


def _number(element: Element, text: str, language: str, _today: date) -> Answer:
    value = read_number(text, element.unit)
    if value is None:
        return Refused("number_only", {"example": str(_example(element))})
    if element.min is not None and value < element.min:
        return Refused("too_small", {"min": show_number(element.min, language, element.unit_of(element.min))})
    if element.max is not None and value > element.max:
        return Refused("too_large", {"max": show_number(element.max, language, element.unit_of(element.max))})
    whole = int(value) if value.is_integer() else value
    return Valid(whole, show_number(value, language, element.unit_of(value)))


def _example(element: Element) -> int:
    """Return the number that its hint names as one, else one within the limits of the question."""
    if element.hint and (named := patterns.search(r"\b\d{1,6}\b", element.hint.en)):
        return int(named[0])
    if element.unit is not None and element.unit.en == "%":
        return _PERCENTAGE
    low = element.min if element.min is not None else 0
    high = element.max if element.max is not None else _EXAMPLES[0]
    return next((number for number in _EXAMPLES if low <= number <= high), int(low))


def _date(element: Element, text: str, language: str, today: date) -> Answer:
    said = read_date(text, today)
    if said is None:
        return Refused("year_missing" if lacks_year(text) else "not_a_date")
    if element.not_in_future and said.lies_after(today):
        return Refused("date_in_future")
    return Valid(said.iso, said.text_in(language))


_BOTH = patterns.compile(r"\b(?:os|as|the|all)\s2\b(?!\s\w)", patterns.IGNORECASE)
"""Both of two things, which a yes speaks of: `sim, os 2`."""


def _boolean(_element: Element, text: str, language: str, _today: date) -> Answer:
    parts = clauses(text)
    says = polarity(parts[0]) if parts else None
    if says is None:
        return Refused("yes_or_no")
    beside = [word for word in without_fillers(tokens(_BOTH.sub(" ", text))) if word not in ANSWERS]
    if beside and all(map(is_number, beside)):
        return Refused("number_beside", {"number": " ".join(beside)})
    return Valid(says, (YES_SHOWN if says else NO_SHOWN).text_in(language))


def _select(element: Element, text: str, language: str) -> Answer:
    """Return a label in any language; failing that the option's value, as a click or a program sends it."""
    picked = pick(text, [(option.label.pt, option.label.en) for option in element.options])
    if picked is None:
        values = [fold(option.value) for option in element.options]
        picked = values.index(fold(text)) if fold(text) in values else None
    if isinstance(picked, int):
        option = element.options[picked]
        return Valid(option.value, option.label.text_in(language), option.deal_breaker)
    if picked is None and is_unknown(text):
        return _skip(element, language)
    among = range(len(element.options)) if picked is None else picked
    quoted = LOCALES[language_of(language)].quotes
    names = "; ".join(quoted.format(element.options[place].label.text_in(language)) for place in among)
    return Refused("not_an_option" if picked is None else "ambiguous", {"options": names})


_READERS: dict[str, Callable[[Element, str, str, date], Answer]] = {
    "text": _text,
    "number": _number,
    "date": _date,
    "boolean": _boolean,
}
