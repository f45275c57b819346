"""Answers that name all that is asked for, beside a bare yes or denial: `genuine yeah`, `já não tenho a fatura`."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.certainty import (
    BARE_YES,
    NEGATIONS,
    POLITE,
    content,
    doubts,
    is_like,
    opening,
    plain_words,
)
from server.loopos.answers.clauses.absence_questions import told_cables
from server.loopos.answers.element import Element
from server.loopos.answers.judges.polarity_judge import text_of_side
from server.loopos.answers.options.option_sides import plain_side
from server.loopos.answers.options.question_words import VERBS, own_words_of
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Valid
from server.loopos.answers.words import fold, tokens

_DENIES = frozenset("nao n dont doesnt havent no not".split())
_NO_LONGER = frozenset("ja mais anymore any longer more got".split())
"""Words around a denial that only say that it was otherwise before."""
_ALONE = frozenset("so apenas only just even".split())
"""Behind a denial these say that there is more than one thing, or less."""
_BOTH = patterns.compile(r"\b(?:and|or)\b")


def prefer_named_thing(element: Element, answer: str, judged: Judgement, language: str) -> Judgement:
    """Return the same yes or no as a sure one, where the answer has no other word than those of the question."""
    if not isinstance(judged, ProbableAnswer) or "?" in answer or opening(answer)[0] is not None:
        return judged
    words = plain_words(answer, language)
    no = Valid(False, text_of_side(False, language))
    if judged.guess == no and element.kind == "boolean" and _denies_all(element, words):
        return no
    side = (
        Valid(True, text_of_side(True, language))
        if element.kind == "boolean"
        else plain_side(element, True, language)
    )
    is_same = isinstance(side, Valid) and judged.guess == side
    return side if is_same and _agrees_last(element, answer, words) else judged


def _denies_all(element: Element, words: list[str]) -> bool:
    """Return whether words deny by one verb that all is there of what the question names."""
    said = [word for word in words if word not in _NO_LONGER | POLITE]
    denials = [word for word in said if word in NEGATIONS]
    if (
        len(denials) != 1
        or not _ALONE.isdisjoint(said)
        or not _DENIES.issuperset(denials)
        or said[0] not in {*denials, "i", "eu"}
    ):
        return False
    rest = [word for word in content(said) if word not in VERBS and word not in denials]
    labels = (tokens(element.label.pt), tokens(element.label.en))
    named = ([word for word in content(each) if word not in VERBS] for each in labels)
    return bool(rest) and any(_are_same(rest, each) for each in named)


def _are_same(one: list[str], other: list[str]) -> bool:
    return all(any(is_like(word, each) for each in other) for word in one) and all(
        any(is_like(word, each) for each in one) for word in other
    )


def _agrees_last(element: Element, answer: str, words: list[str]) -> bool:
    """Return whether words of the question, or the cables that it asks for, end in a yes."""
    said = [word for word in words if word not in POLITE]
    yes = next((at for at, word in enumerate(said) if word in BARE_YES), len(said))
    named, behind = said[:yes], said[yes:]
    if not named or not behind or not BARE_YES.issuperset(behind) or doubts(said):
        return False
    if (cables := told_cables(element, " ".join(named))) is not None:
        return cables == (True, []) and len(named) <= _MOST_NAMED
    own = own_words_of(element)
    is_one = _BOTH.search(fold(element.label.en)) is None
    return (
        is_one
        and all(any(is_like(word, each) for each in own) for word in content(named))
        and bool(content(named))
    )


_MOST_NAMED = 6
"""So many words name cables and say nothing else."""
