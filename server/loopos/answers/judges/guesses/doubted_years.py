"""Two years of which a seller does not know which one is right: `2019 or 2020, I can't remember which`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from server import patterns
from server.loopos.answers.amounts.purchase_dates import told_purchases
from server.loopos.answers.clauses.asides import is_ignorant
from server.loopos.answers.element import Element, Text
from server.loopos.answers.judges.validation import validate
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Refused, Valid
from server.loopos.answers.words import MOST_LETTERS, fold

_YEAR = r"(?:19|20)\d\d"
_OR = (
    r"(?:(?:ou|or)(?:\s(?:maybe|perhaps|possibly|talvez|se calhar|ate|even|em|de|in))*|maybe|perhaps|possibly|talvez|"
    r"se calhar|(?:it )?(?:could|may|might)(?: also)? (?:be|have been)|(?:tambem )?pode(?:ria)? ser|/)"
)
_TWO = patterns.compile(
    rf"\b(?P<first>{_YEAR})[\s,]*+{_OR}\s*+(?:(?:em|de|in)\s)?(?P<second>{_YEAR})\b(?!\s*(?:€|e\b|eur))"
)
_UNKNOWN = (
    r"(?:(?:dont|do not|cant|cannot|can not|couldnt|wouldnt|no longer)(?: \w+)? (?:know|remember|recall|say|tell)|"
    r"(?:not|im not|never)(?: \w+)? (?:sure|certain)|unsure|no (?:idea|clue)|dunno|idk|forget|forgot|"
    r"(?:nao|n|ja nao)(?: \w+)? (?:sei|lembro|recordo|certeza)|sei la|nem ideia|nao faco ideia|esqueci)"
)
_WHICH = patterns.compile(
    rf"\b{_UNKNOWN}(?: \w+){{0,3}}? "
    r"(?:which|what (?:year|one)|(?:em )?(?:qual|que ano)|quais|of the two|d[oa]s dois|das duas)\b|"
    r"\b(?:one of the two|um dos dois|one or the other|either (?:one|way)|(?:can|could)(?:nt|t|not)? (?:you|u|we) "
    r"(?:just |please )*(?:write|put|leave)|(?:nao )?pode(?:m|s)? (?:so |antes )*(?:por|escrever|deixar|meter))\b"
)
"""Words that the seller does not know which one, or that both are to be written."""
_OTHER_YEAR = patterns.compile(
    r"(?:(?:but|mas|although|embora|or|ou)[\s,]++)?(?:(?:it|that|perhaps|maybe|talvez|se calhar|tambem|ate)\s)*+"
    r"(?:(?:could|may|might|can)(?: (?:also|as well|well|even))* (?:be|have been)|(?:pode|podia|poderia|pode ate|deve)"
    rf"(?: (?:tambem|ate|muito bem))* (?:ser|ter sido)|or maybe|ou talvez|maybe|perhaps|talvez|se calhar|or|ou)"
    rf"\s(?:(?:in|em|de|from|foi|was)\s)*+(?P<year>{_YEAR})(?:[\s,]+(?:too|also|tambem|as well|though))*[\s.!]*"
)
"""Words behind a yes by which another year is possible: `but could also be 2019`."""


def doubted_years(text: str) -> tuple[str, str] | None:
    """Return the two years of a text that leaves open which one is right, the earlier one first."""
    found = _TWO.search(_flat(text))
    if found is None or found["first"] == found["second"]:
        return None
    first, second = sorted((found["first"], found["second"]))
    return first, second


def doubted_purchase(element: Element, message: str, language: str, today: date) -> Valid | None:
    """Return the earlier of two years in which a message says that the item was bought, with the other beside it."""
    told = (each for each in map(doubted_years, _purchases(message)) if each)
    return next((read for years in told if (read := _earlier(element, years, language, today))), None)


def _purchases(message: str) -> list[str]:
    return [each.clause for each in told_purchases(message)] if doubted_years(message) else []


def judge_doubted(
    element: Element, judged: Judgement, messages: Iterable[str], language: str, today: date
) -> Judgement:
    """Return the earlier of two years, asked back, where the newest message says that its writer does not know which
    one it is, or only that they do not know; the years may stand in an earlier message.

    Two years that are told for the first time leave the judgement as it is: it asks which.
    """
    newest, *earlier = [*messages] or [""]
    is_open = isinstance(judged, Refused) or (isinstance(judged, Valid) and judged.skipped)
    if element.kind != "date" or not is_open:
        return judged
    told, said_before = doubted_years(newest), [each for each in map(doubted_years, earlier) if each]
    is_unknown = _WHICH.search(_flat(newest)) is not None or (not told and is_ignorant(newest))
    is_unread = isinstance(judged, Refused) and judged.code != "ambiguous"
    years = told if told and (is_unknown or is_unread or told in said_before) else None
    if told is None and is_unknown:
        years = next((each for each in said_before), None)
    read = _earlier(element, years, language, today) if years else None
    return judged if read is None else ProbableAnswer(read)


def settle_doubted(kept: Valid, message: str, rest: str, language: str, *, agrees: bool) -> Judgement | None:
    """Return what a message says to a year that waits for a yes: that another one is as possible, or that its writer
    does not know which of two it is; the other one of the two, where it names that alone, is asked back. None where
    it says neither.
    """
    value = str(kept.value)
    if len(value) != len("2019"):
        return None
    other = _OTHER_YEAR.fullmatch(_flat(rest)) if agrees else None
    if other is not None and other["year"] != value:
        return replace(kept, shown=f"{value}{_beside(other['year'], language)}")
    season = _SEASON.search(message) if agrees and not patterns.search(_YEAR, rest) else None
    if season is not None and kept.shown == value and "?" not in message:
        return replace(kept, shown=f"{value} ({season['part'].lower()})")
    is_doubted, named = kept.shown != value, set(patterns.findall(_YEAR, message))
    if (
        is_doubted
        and len(named) == 1
        and named < set(patterns.findall(_YEAR, kept.shown))
        and value not in named
    ):
        (year,) = named
        return ProbableAnswer(replace(kept, value=year, shown=year))
    years = doubted_years(message)
    if not is_doubted and years is not None and value in years and len(named) == len(years):
        return ProbableAnswer(replace(kept, value=years[0], shown=f"{years[0]}{_beside(years[1], language)}"))
    knows_not = _WHICH.search(_flat(message)) is not None or is_ignorant(message)
    is_same = is_doubted and (years is None or years[0] == value)
    others = named - set(patterns.findall(_YEAR, kept.shown))
    return kept if is_same and (knows_not or years is not None) and not others else None


_SEASON = patterns.compile(
    r"\b(?P<part>(?:n[oa]|in|in the|during the|durante [oa]|(?:no )?(?:in[ií]cio|fim|final) d[oa]) "
    r"(?:ver[aã]o|inverno|outono|primavera|summer|winter|autumn|spring))\b",
    patterns.IGNORECASE,
)


def _earlier(element: Element, years: tuple[str, str], language: str, today: date) -> Valid | None:
    first, second = (validate(element, each, language, today) for each in years)
    if not (isinstance(first, Valid) and isinstance(second, Valid)):
        return None
    return replace(first, shown=f"{first.shown}{_beside(second.shown, language)}")


def _beside(year: str, language: str) -> str:
    return Text(f" (ou {year})", f" (or {year})").text_in(language)


def _flat(text: str) -> str:
    """Return the words in small letters, without apostrophes, each behind one space."""
    return " ".join(fold(text[:MOST_LETTERS]).split())
