"""Figures that say more than one value: how long a charge lasts now and lasted when new, and a number or another."""

from __future__ import annotations

from dataclasses import replace

from server import patterns
from server.loopos.answers.amounts.numbers import read_number
from server.loopos.answers.element import Element, Text
from server.loopos.answers.judges.fault_notes import beside
from server.loopos.answers.options.option_sides import valid_option
from server.loopos.answers.options.synonyms import label_key
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Valid
from server.loopos.answers.words import MOST_LETTERS, fold

_LESS = "lasts less"
_CLAUSES = patterns.compile(
    r"(?<!\d)[,.](?!\d)|(?<=\D)[,.]|[,.](?=\s|$)|[;!\n()–—]|\b(?:mas|but|e|and)\b", patterns.IGNORECASE
)
_WHEN_NEW = patterns.compile(
    r"\b(?:(?:when|while) (?:it was |they were )?(?:brand )?new|from new|used to|originally|at first|before|back then|"
    r"(?:qu?ando|qd|em|enquanto) (?:(?:era|eram|estava) )?nov[oa]s?|de novo|de nova|no inicio|ao inicio|inicialmente|"
    r"(?:d?antes)|originalmente)\b"
)
_FIGURE = patterns.compile(
    r"(?<![\w.,])\d{1,6}(?:[.,]\d{1,3})?(?=\s?(?:kms?|quil\w+|miles?|mi|min\w*|h|hrs?|hours?|horas?|%)?(?![\w]))"
)
_NOW = patterns.compile(r"^(?:(?:e|and|but|mas|so|agora|now)\s+)*(?=\w)", patterns.IGNORECASE)


def judge_two_figures(element: Element, answer: str, judged: Judgement, language: str) -> Judgement:
    """Return what two figures say that a judgement has not: that a charge lasts less than when new, asked back with
    what it does now, or the other number that is as possible.
    """
    if isinstance(judged, Valid) or len(answer) > MOST_LETTERS or "?" in answer:
        return judged
    if element.kind == "number" and isinstance(judged, ProbableAnswer):
        return _with_other_number(element, answer, judged, language)
    return _judge_lasting(element, answer, judged, language) if element.kind == "select" else judged


def _judge_lasting(element: Element, answer: str, judged: Judgement, language: str) -> Judgement:
    """Return the option that says that a charge lasts less, where the figure of when it was new is the higher one."""
    option = next((each for each in element.options if label_key(each.label.en) == _LESS), None)
    clauses = [each.strip() for each in _CLAUSES.split(answer) if each and _FIGURE.search(each)]
    if option is None or len(clauses) != _TWO:
        return judged
    new = [each for each in clauses if _WHEN_NEW.search(fold(each))]
    if len(new) != 1 or (isinstance(judged, ProbableAnswer) and judged.guess.value != option.value):
        return judged
    (now,) = (each for each in clauses if each is not new[0])
    figures = [read_number(_FIGURE.findall(each)[0]) for each in (now, new[0])]
    if None in figures or not float(figures[0] or 0) < float(figures[1] or 0):
        return judged
    guess = valid_option(option, language)
    return ProbableAnswer(replace(guess, shown=guess.shown + beside(_NOW.sub("", now))))


_TWO = 2
_EITHER = patterns.compile(
    r"(?<![\w.,])(?P<first>\d{1,6})(?:\s?(?:kms?|h|min\w*|%|horas?|hours?))?\s(?:ou|or)\s"
    r"(?:(?:talvez|maybe|mesmo|even|uns|umas|about)\s)?(?P<second>\d{1,6})(?![\w]*\d)",
    patterns.IGNORECASE,
)


def _with_other_number(element: Element, answer: str, judged: ProbableAnswer, language: str) -> Judgement:
    """Return the number that is asked back with the other one that the answer takes for as possible."""
    found = _EITHER.findall(answer)
    if len(found) != 1 or judged.guess.skipped or judged.guess.shown.endswith(")"):
        return judged
    first, second = (read_number(each) for each in found[0])
    high = element.max if element.max is not None else float("inf")
    if (
        judged.guess.value not in (first, second)
        or first == second
        or not first
        or not second
        or second > high
    ):
        return judged
    other = f"{(second if judged.guess.value == first else first):g}"
    shown = judged.guess.shown + Text(f" (ou {other})", f" (or {other})").text_in(language)
    return ProbableAnswer(replace(judged.guess, shown=shown), judged.reason)
