"""A number as people write it: `12 000`, `12.000`, `12 mil`, `87 %`, `cerca de 1200`, `two`."""

from __future__ import annotations

import unicodedata

from server import patterns
from server.languages import LOCALES, format_number
from server.loopos.answers.amounts.number_words import split_number
from server.loopos.answers.element import Text, language_of
from server.loopos.answers.words import FILLERS, tokens

_SPACE = r"[ \u00a0\u202f']"
_NUMBER = patterns.compile(
    rf"[-+\u2212]?(?:\d{{1,3}}(?:{_SPACE}\d{{3}})+|\d{{1,3}}(?:\.\d{{3}})+|\d{{1,3}}(?:,\d{{3}})+|\d+)(?:[.,]\d+)?"
)
ALLOWED_BESIDE = FILLERS | frozenset(
    "cerca aproximadamente quase mais menos volta roda ou so tem tenho fiz fez ja about around approximately "
    "roughly almost nearly over has have had done only count bateria battery diz mostra marca indica "
    "says shows reads esta ta comes vem vai traz inclui includes com with".split()
)
_UNITS = tuple(
    frozenset(words.split())
    for words in (
        "km kms quilometro quilometros kilometre kilometres kilometer kilometers",
        "h hs hora horas horita horitas horinha horinhas hour hours hr hrs",
        "min mins minuto minutos minute minutes",
        "ciclo ciclos cycle cycles",
        "disparo disparos shot shots click clicks clique cliques shutter fotografia fotografias foto fotos "
        "photo photos picture pictures actuation actuations acionamento acionamentos",
        "cafe cafes coffee coffees bica bicas",
        "comando comandos controller controllers joycon joycons dualsense gamepad gamepads",
        "andar andares floor floors",
        "cento percent cent percentagem per por saude health",
    )
)
"""The words of each unit: beside a number, those of another unit than the question's mean another quantity."""
_BATTERY = frozenset("bateria battery".split())
_OF_A_BATTERY = frozenset("percent min mins h hour ciclo cycle".split())
"""Words of the units in which batteries are measured; beside another unit a battery is a thing that is counted."""
_THOUSAND = patterns.compile(r"\s?(?:mil|k|thousand)\b", patterns.IGNORECASE)
MOST_DIGITS = 12


def read_number(text: str, unit: Text | None = None) -> float | None:
    """Return the one number that a text says; None for none, several, or words that change it (`12 dozens`)."""
    flat = unicodedata.normalize("NFKC", text).strip().rstrip(".!").replace("~", " ")
    flat = patterns.sub(r"(?<=\d)(?:st|nd|rd|th|\.?º|o)(?=\s)", "", flat)
    found = list(_NUMBER.finditer(flat))
    if not found:
        return _in_words(flat, unit)
    if len(found) != 1:
        return None
    match = found[0]
    written, thousand = match[0], 1
    if times := _THOUSAND.match(flat, match.end()):
        flat, thousand = flat[: times.start()] + flat[times.end() :], 1000
    rest = flat[: match.start()] + " " + flat[match.end() :]
    if "%" in rest and (unit is None or unit.en != "%"):
        return None
    if patterns.search(r"\w$", flat[: match.start()]) or sum(map(str.isdecimal, written)) > MOST_DIGITS:
        return None
    return (
        thousand * read_digits(written) if _says_nothing_else(tokens(rest.replace("%", " ")), unit) else None
    )


def _in_words(text: str, unit: Text | None) -> float | None:
    bare = patterns.sub(r"\bp(?:or|er) ?cento?\b|[%-]", " ", text, flags=patterns.IGNORECASE)
    value, rest = split_number(tokens(bare))
    return value if _says_nothing_else(rest, unit) else None


def _says_nothing_else(words: list[str], unit: Text | None) -> bool:
    """Return whether the words beside the number are only its own unit and fillers."""
    known = words_beside(unit)
    return all(word in known for word in words)


def words_beside(unit: Text | None) -> frozenset[str]:
    """Return the words that may stand beside a number of this unit."""
    units = unit_words(unit)
    counts_batteries = unit is not None and units.isdisjoint(_OF_A_BATTERY)
    return (ALLOWED_BESIDE - _BATTERY if counts_batteries else ALLOWED_BESIDE) | units


def unit_words(unit: Text | None) -> set[str]:
    """Return the words that people say for a unit."""
    units = set(tokens(unit.pt) + tokens(unit.en)) if unit else set()
    percent = unit is not None and unit.en == "%"
    for group in _UNITS:
        units |= group if group & units or (percent and "percent" in group) else set()
    return units


def units_of_others(unit: Text | None) -> set[str]:
    """Return the words of all units but this one."""
    return {word for group in _UNITS for word in group} - unit_words(unit)


def read_digits(written: str) -> float:
    """Return the value.

    Separators of thousands are spaces, a repeated one, the first of two, or one before three digits.
    """
    bare = patterns.sub(_SPACE, "", written).replace("\u2212", "-")
    marks = patterns.findall(r"[.,]", bare)
    if len(set(marks)) > 1:
        thousands, decimal = marks[0], marks[-1]
        return float(bare.replace(thousands, "").replace(decimal, "."))
    grouped = patterns.fullmatch(r"[-+]?[1-9]\d{0,2}(?:[.,]\d{3})+", bare)
    if marks and (grouped or len(marks) > 1):
        return float(patterns.sub(r"[.,]", "", bare))
    return float(bare.replace(",", "."))


def show_number(value: float, language: str, unit: Text | None = None) -> str:
    """Return the number as the language writes it, with its unit: `12 000 km`, `12,000 km`, `87 %`, `87%`."""
    short = language_of(language)
    shown = format_number(value, short)
    if unit is None:
        return shown
    name = unit.text_in(language)
    return LOCALES[short].percent.format(shown) if name == "%" else f"{shown}\u00a0{name}"
