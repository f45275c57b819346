"""Numbers and dates as answers: bounds, hedges and other events make them unsure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from server import patterns
from server.loopos.answers.amounts.dates import find_months, month_of_years_ago, recent_month, year_of_season
from server.loopos.answers.amounts.named_numbers import without_named_numbers
from server.loopos.answers.amounts.numbers import unit_words
from server.loopos.answers.amounts.relative_dates import find_relative
from server.loopos.answers.amounts.shares import ends_of_share
from server.loopos.answers.amounts.spelled_figures import spell_figure
from server.loopos.answers.amounts.spoken_dates import named_months, spell_date
from server.loopos.answers.amounts.stated_number import (
    find_stated,
    find_stated_part,
    numbers_before,
    spell_floor,
)
from server.loopos.answers.amounts.times.earlier_figures import without_earlier_figures
from server.loopos.answers.amounts.times.other_events import YEAR, other_event, without_other_events
from server.loopos.answers.certainty import (
    COMPARISONS,
    MARKERS,
    NEGATIONS,
    asks,
    content,
    doubts,
    has_bounds,
    plain_words,
)
from server.loopos.answers.clauses.asides import is_ignorant
from server.loopos.answers.clauses.included_things import tells_lost
from server.loopos.answers.clauses.other_kinds import without_other_kinds
from server.loopos.answers.clauses.unmeant_figures import (
    no_date,
    tells_unknown,
    without_replaced_figures,
    without_unmeant,
)
from server.loopos.answers.element import Element
from server.loopos.answers.judges.validation import SKIPPED, validate
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Refused, Valid
from server.loopos.answers.words import clauses, fold, is_number, tokens


def judge_figure(element: Element, answer: str, reading: Judgement, language: str, today: date) -> Judgement:
    """Return a number or a date; the only year of words that are no date is asked back: `sometime in 2022`.

    A year beside the name of a feast is the month of that feast, and of two years it is asked which.
    """
    if (share := _judge_share(element, answer, language, today)) is not None:
        return share
    if (is_unknown := no_date(element, answer)) is not None:
        return validate(element, SKIPPED.pt, language, today) if is_unknown else Refused("not_a_date")
    without = (
        spell_figure(element, answer),
        _FEAST_YEAR.sub(r"\1 20\2", answer) if element.kind == "date" else answer,
        _NONE_APART.sub("none", answer) if element.kind == "number" else answer,
        spell_date(answer) if element.kind == "date" else _RANGE_OF.sub(r"\g<first>", answer),
        spell_floor(element, answer),
        without_replaced_figures(answer),
        without_earlier_figures(element, answer, language),
        without_other_events(element, answer),
        without_other_kinds(element, answer),
        without_named_numbers(element, answer),
        without_unmeant(element, answer),
    )
    if (own := next((each for each in without if each != answer), None)) is not None:
        judged = judge_figure(element, own, validate(element, own, language, today), language, today)
        return ProbableAnswer(judged) if isinstance(judged, Valid) and not judged.skipped else judged
    judged = _judge_figure(element, answer, reading, language, today)
    if (
        element.kind != "date"
        or (asks(answer) and "?" in answer)
        or (isinstance(judged, Valid) and not judged.skipped)
    ):
        return judged
    if isinstance(judged, ProbableAnswer):
        read = _month_beside(element, answer, judged, language, today)
        return judged if read is None else ProbableAnswer(read)
    said = month_of_years_ago(answer, today) or ("?" not in answer and find_relative(answer, today)) or None
    if said is not None and (read := _read(element, [said.iso], language, today)):
        return ProbableAnswer(read)
    is_open = judged == Refused("not_a_date") and VAGUE.isdisjoint(tokens(answer))
    if is_open and tells_unknown(element, answer):
        judged = validate(element, SKIPPED.pt, language, today)
    either = _EITHER_YEAR.search(fold(answer))
    return judged if either is None else Refused("ambiguous", {"options": f"{either[1]}; {either[2]}"})


_FEAST_YEAR = patterns.compile(
    r"\b(natal|christmas|xmas)(?:\s(?:de|of|in|em))?\s['’]?(\d\d)(?![\w./-])", patterns.IGNORECASE
)
_RANGE_OF = patterns.compile(
    r"(?:\b(?:entre|between)\s)?(?<![\w.,/])(?P<first>\d[\d.,]*+(?P<many>\s?(?:k|mil)\b)?)"
    r"(?:\s?(?:ou|or|to|at[eé]|a|e|and)\s|\s?[-–]\s?)(?=\d)\d[\d.,]*+(?(many)(?:\s?(?:k|mil)\b)?)(?![\w/])",
    patterns.IGNORECASE,
)
"""A number from one figure to another, of which the first is asked back: `entre 20 e 25`, `uns 500 ou 600`."""


def _judge_share(element: Element, answer: str, language: str, today: date) -> Judgement | None:
    """Return which end of a range of percentages is asked; of one that fell the end is asked back."""
    ends = ends_of_share(element, answer)
    if ends is None:
        return None
    low, high = (_read(element, [str(each)], language, today) for each in ends)
    if low is None or high is None or ends[0] > ends[1]:
        return None if high is None else ProbableAnswer(high)
    return Refused("ambiguous", {"options": f"{low.shown}; {high.shown}"})


_NONE_APART = patterns.compile(r"^\s*none (?:separate(?:ly)?|apart|as such)\b", patterns.IGNORECASE)


def _month_beside(
    element: Element, answer: str, judged: ProbableAnswer, language: str, today: date
) -> Valid | None:
    """Return the month that an answer says beside the year that was read: its only one with a year, or of a feast."""
    if not str(judged.guess.value).isdecimal():
        return None
    months = {each.iso for each in find_months(answer)}
    if len(months) == 1:
        return _read(element, [*months], language, today)
    named = named_months(answer)
    if not months and len(named) == 1 and len(set(YEAR.findall(answer))) == 1:
        return _read(element, [*named, str(judged.guess.value)], language, today)
    feasts = set(_FEASTS).intersection(tokens(answer))
    return _read(element, ["dezembro", str(judged.guess.value)], language, today) if feasts else None


def _judge_figure(element: Element, answer: str, reading: Judgement, language: str, today: date) -> Judgement:
    if (converted := _in_kilometres(element, answer, language, today)) is not None:
        return converted
    if (
        isinstance(reading, Refused)
        and (stated := _read_stated(element, answer, language, today)) is not None
    ):
        return ProbableAnswer(stated)
    judged = _judge_reading(element, answer, reading, language, today)
    if element.kind == "date" and isinstance(judged, Refused) and not asks(answer):
        # `2 yrs` and `ano e meio` lack the `ago`.
        since = _read(element, ["ha", fold(answer)], language, today)
        judged = judged if since is None else ProbableAnswer(since)
    is_open = isinstance(judged, Refused) and element.kind == "date"
    recent = (recent_month(answer, today) or year_of_season(answer, today)) if is_open else None
    if recent is not None and (read := _read(element, [recent.iso], language, today)):
        return ProbableAnswer(read)
    is_open = isinstance(judged, Refused) and judged.code == "not_a_date" and not asks(answer)
    days = {*_DAY.findall(answer)} if is_open else set()
    day = _read(element, [*days], language, today) if len(days) == 1 else None
    if day is not None:  # `the receipt says 14.11.2021`
        return ProbableAnswer(day)
    years = set(YEAR.findall(answer)) if isinstance(judged, Refused) and judged.code == "not_a_date" else ()
    year = _read(element, [*years], language, today) if len(years) == 1 else None
    return judged if year is None else ProbableAnswer(year)


_DAY = patterns.compile(r"(?<![\w.,/-])\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d\d(?![\w/-]|[.,]\d)")
"""A day in figures: `14.11.2021`."""


def tells_feast(text: str) -> bool:
    """Return whether a text without a year names a feast that says a month."""
    return not set(_FEASTS).isdisjoint(tokens(text)) and not YEAR.search(text)


def lacks_it(element: Element, answer: str) -> bool:
    """Return whether the answer to a question for a number says that there is nothing to count, or that nothing shows
    it; of one that has to be answered only the latter counts.
    """
    if element.kind != "number" or any(map(str.isdigit, answer)) or tells_lost(answer):
        return False
    said = [" ".join(clause) for clause in clauses(answer) if _HAS_NONE.fullmatch(" ".join(clause))]
    if said or _is_needed(element):
        return any(_SHOWS.search(each) or not _is_needed(element) for each in said)
    label = {*content(tokens(f"{element.label.pt} {element.label.en}"))} - _COUNTING
    if _PLUGGED.search(fold(answer)):
        return not label.isdisjoint(("bateria", "battery"))
    words = tokens(answer)
    own = [word for word in content(words) if word not in NEGATIONS | _HAVING]
    return bool(own) and not NEGATIONS.isdisjoint(words) and label.issuperset(own)


def _is_needed(element: Element) -> bool:
    """Return whether a question counts things of which none is a number too: `no controllers`."""
    return element.required or (element.max is not None and element.max <= _MOST_THINGS)


_MOST_THINGS = 20


def without_range(element: Element, answer: str) -> str:
    """Return an answer to a question for kilometres without its clauses that tell how far a charge lasts, and to one
    for any count without a number of each day.

    The answer itself where the question is about that, and nothing where no other clause has a number.
    """
    label = tokens(f"{element.label.pt} {element.label.en}")
    if element.kind == "number" and not (element.unit and element.unit.en in ("h", "min")):
        answer = _RATE.sub(" ", answer)
    if element.kind != "number" or element.unit is None or element.unit.en != "km":
        return answer
    parts = _PARTS.split(answer) if OF_A_CHARGE.isdisjoint(label) else [answer]
    before = ["", *parts] if len(parts) <= _MOST_CLAUSES else parts
    kept = [part for led, part in zip(before, parts, strict=False) if not _is_range(part, led)]
    left = ", ".join(part.strip() for part in kept)
    return answer if len(kept) == len(parts) else left if any(map(str.isdigit, left)) else ""


_RATE = patterns.compile(
    r"(?<![\w.,])(?:\d+|one|two|three|four|um|uma|dois|duas|tr[eê]s|quatro)(?:\s(?:or|ou|to|a)\s\w+)?(?:\s[^\W\d]+){0,2}?\s"
    r"(?:(?:an?|per|each|every|por|ao|à|cada)\s)(?:day|week|month|year|morning|dia|semana|m[eê]s|ano|manh[aã])\b"
    r"(?!\s(?:ago|atr[aá]s))",
    patterns.IGNORECASE,
)
"""A number of each day or week, which is none of all: `2 a day`."""


def _is_range(clause: str, before: str) -> bool:
    """Return whether a clause tells how far a charge lasts; a verb, or `lasts less` before it, says so only of few
    kilometres.
    """
    figures = [int(each) for each in _FIGURES.findall(clause)]
    led = _LASTS.search(fold(before)) and not any(map(str.isdigit, before))
    if not figures or not (led or _RANGE.search(fold(clause))):
        return False
    return not OF_A_CHARGE.isdisjoint(tokens(clause)) or max(figures) < _FAR


OF_A_CHARGE = frozenset(
    "bateria battery autonomia range carga charge carregamento dura duram lasts last".split()
)
"""Words of how far or how long a charge lasts, which is no figure of another question."""
_LASTS = patterns.compile(r"\b(?:dura|duram|lasts?|autonomia|range|aguenta)\b")
_FAR = 200
"""So many kilometres no charge of a scooter or a bicycle lasts."""
_PARTS = patterns.compile(r"[,;!\n]\s+|\.\s+|\b(?:e|and|mas|but)\b", patterns.IGNORECASE)
_FIGURES = patterns.compile(r"(?<![\d.,])\d{1,4}(?![\d]|[.,]\d)(?!\s?(?:k|mil|thousand|%)\b)")
_RANGE = patterns.compile(
    r"\b(?:bateria|battery|autonomia|range|carga|charge|carregamento|does|gets|goes|manages|lasts?|covers|"
    r"(?:will|can|would|ll|only) (?:do|go|get|last|manage)|da|dao|dava|faz|aguenta|dura|duram|chega|consegue)\b"
)


_COUNTING = frozenset(
    "quantos quantas quanto qual how many much what which about mais menos last dura".split()
)
_HAVING = frozenset(
    "tem ha has have there it does got with com come comes leva vem traz inclui includes included any".split()
)
_HAS_NONE = patterns.compile(
    r"(?:(?!(?:nao|n|not|it)\b)\w+ ){0,3}?(?:it |ela? )?(?:doesnt|does not|dont|do not|hasnt|has not|nao|n) "
    r"(?:have|has|got|tem|tenho|mostra|show|diz|say|da|conta|count|keep)"
    r"(?: (?:one|any|it|that|them|isso|disso|nenhum|nenhuma|(?:um |a )?contador|an? counter|a count))?"
)
"""A clause that says that there is no such number: `a GoPro doesn't have one`."""
_SHOWS = patterns.compile(r"\b(?:mostra|show|diz|say|conta|count|contador|counter)\b")
_PLUGGED = patterns.compile(
    r"\b(?:plugs? (?:in|into)|plugged (?:in|into)|mains|needs? the (?:plug|socket)|"
    r"corded|(?:has|got|with|on) an? (?:cable|cord|lead|flex|wire)|(?:e (?:de|com)|tem|com) (?:um )?(?:fio|cabo)|"
    r"(?:ligad[oa]|liga|funciona|trabalha)(?: ligad[oa])? (?:a|na) (?:corrente|tomada))\b"
)


def _in_kilometres(element: Element, answer: str, language: str, today: date) -> ProbableAnswer | None:
    """Return miles as the kilometres that are asked for, to be asked back."""
    if element.unit is None or element.unit.en != "km" or "km" in tokens(answer) or asks(answer):
        return None
    miles = numbers_before(tokens(answer), _MILES)
    if len(miles) != 1:
        return None
    read = _read(element, [str(round(miles[0] * _KILOMETRES_OF_A_MILE))], language, today)
    return None if read is None else ProbableAnswer(read)


_KILOMETRES_OF_A_MILE = 1.609344
_MOST_CLAUSES = 40
"""So many different clauses are read for a number or a date: an answer has a few."""
_MILES = frozenset("mile miles mi milha milhas".split())
_EITHER_YEAR = patterns.compile(
    r"\b((?:19|20)\d\d)\s*(?:ou|or|e|and|/|-|a|to)\s*(?:em |de |in )?((?:19|20)\d\d)\b(?!\s*(?:€|e\b|eur))"
)


def _judge_reading(
    element: Element, answer: str, reading: Judgement, language: str, today: date
) -> Judgement:
    """Judge what was read. The reader takes no foreign words, so only bounds, hedges and denials are judged."""
    if asks(answer):
        return Refused("not_an_answer")
    words = plain_words(answer, language)
    if isinstance(reading, Valid):
        vague = (
            has_bounds(answer, words)
            or _is_vague_date(element, words)
            or _may_be_a_year(element, reading, words)
        )
        if element.kind != "date":
            vague = vague or doubts(words)
        return ProbableAnswer(reading) if vague and not reading.skipped else reading
    if isinstance(reading, Refused) and reading.code not in ("number_only", "not_a_date"):
        return reading
    if not NEGATIONS.isdisjoint(words):
        none = _none_of_them(element, answer, language, today)
        return none or _skip_unknown(element, answer, language, today) or reading
    bare = [_FEASTS.get(word, word) for word in words if word not in MARKERS | VAGUE]
    guess = (
        _read(element, bare, language, today)
        if doubts(words) or (VAGUE | set(_FEASTS)) & set(words)
        else None
    )
    if guess is None and not COMPARISONS.isdisjoint(words):  # `há uns 2 anos`
        guess = _read(element, [word for word in words if word not in COMPARISONS], language, today)
    parts = list(dict.fromkeys(map(tuple, clauses(answer))))[:_MOST_CLAUSES]
    found = {each.value: each for part in parts if (each := _read(element, part, language, today))}
    found |= {guess.value: guess} if guess else {}
    if element.kind == "date":
        read = (_read(element, [each.iso], language, today) for each in find_months(answer))
        found |= {each.value: each for each in read if each}
    if not found and element.kind == "number":
        found = {each.value: each for each in _with_unit(element, words, language, today)}
    if not found and is_ignorant(answer) and not any(map(str.isdigit, answer)):
        return validate(element, SKIPPED.pt, language, today)
    return ProbableAnswer(next(iter(found.values()))) if len(found) == 1 else reading


def _skip_unknown(element: Element, answer: str, language: str, today: date) -> Judgement | None:
    """Return that the seller does not know a number, where an answer without one says so."""
    is_plain = element.kind == "number" and not any(map(str.isdigit, answer))
    is_unknown = is_plain and (is_ignorant(answer) or tells_unknown(element, answer))
    return validate(element, SKIPPED.pt, language, today) if is_unknown else None


def _none_of_them(element: Element, answer: str, language: str, today: date) -> ProbableAnswer | None:
    """Return zero, asked back, where a clause denies the things that a required question counts: `no controllers`."""
    if element.kind != "number" or not _is_needed(element) or any(map(str.isdigit, answer)):
        return None
    counted = unit_words(element.unit)
    for clause in clauses(answer):
        own = [word for word in content(clause) if word not in NEGATIONS | _HAVING]
        has_none = counted.issuperset(own) or not (counted.isdisjoint(own) or _HAVING.isdisjoint(clause))
        if own and has_none and not NEGATIONS.isdisjoint(clause) and not is_ignorant(answer):
            read = _read(element, ["0"], language, today)
            return None if read is None else ProbableAnswer(read)
    return None


def _read_stated(element: Element, answer: str, language: str, today: date) -> Valid | None:
    """Return the only number of the answer to a question for one, where its limits allow it."""
    is_asked = element.kind == "number" and not asks(answer)
    stated = find_stated(element, answer, language) if is_asked else None
    stated = find_stated_part(element, answer, language) if stated is None and is_asked else stated
    return None if stated is None else _read(element, [f"{stated:.12g}"], language, today)


def _with_unit(element: Element, words: list[str], language: str, today: date) -> list[Valid]:
    """Return the only number of the words, where its unit stands behind it: `lasts some 40 minutes`."""
    places = [place for place, word in enumerate(words) if is_number(word)]
    beside = [
        words[place : place + 2]
        for place in places
        if {*words[place + 1 : place + 2]} & unit_words(element.unit)
    ]
    read = [_read(element, each, language, today) for each in beside] if len(places) == 1 else []
    return [each for each in read if each is not None]


def _is_vague_date(element: Element, words: list[str]) -> bool:
    """Return whether a date is softened, relative, or of another event than the question asks about."""
    if element.kind != "date":
        return False
    other = other_event(element)
    softened = doubts(word for word in words if word not in ("foi", "was"))
    return (
        softened or bool((VAGUE | set(_FEASTS)) & set(words)) or any(word.startswith(other) for word in words)
    )


def _may_be_a_year(element: Element, reading: Valid, words: list[str]) -> bool:
    """Return whether a count may be a year, as in `em 2020`."""
    year = isinstance(reading.value, int) and _FIRST_YEAR <= reading.value <= _LAST_YEAR
    return element.kind == "number" and year and bool({"em", "in", "desde", "since"} & set(words))


def _read(element: Element, words: Sequence[str], language: str, today: date) -> Valid | None:
    """Return what one clause says on its own."""
    read = validate(element, " ".join(words), language, today)
    return read if isinstance(read, Valid) and not read.skipped else None


VAGUE = frozenset(
    "ha faz ago atras verao summer inverno winter primavera spring outono autumn fall pascoa easter".split()
)
"""A stretch of time back from today, or a season: no certain month or year."""
_FIRST_YEAR, _LAST_YEAR = 1980, 2100
_FEASTS = dict.fromkeys(("natal", "christmas", "xmas"), "dezembro")
