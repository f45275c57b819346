"""Answers to a question for two things that say of each whether it is there: `o cesto sim, a grelha também`."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.certainty import HEDGES, NEGATIONS, content, is_like, opening
from server.loopos.answers.element import Element, ElementOption
from server.loopos.answers.options.option_sides import valid_option
from server.loopos.answers.refusals import ProbableAnswer
from server.loopos.answers.words import tokens

_VALUES, _HALVES = frozenset(("both", "neither")), 2
_BORDERS = patterns.compile(
    r"(?<!\d)[,.;:!\n()]+|[,.;:](?!\d)|\s[–—-]+\s|\b(?:mas|but|e|and)\b", patterns.IGNORECASE
)
_ALONE = frozenset("so apenas somente only just".split())
_GONE = frozenset("falta faltam perdi perdeu perdemos perdido perdida lost missing gone".split())
_STANDS = frozenset(
    "sim yes yep yeah tambem too also tem tenho ha esta estao have has got vem traz inclui comes includes there is la "
    "ca aqui here as well ainda still the o a both is are original originais".split()
)
"""Words that may stand beside a thing that is there."""


def judge_halves(element: Element, answer: str, language: str) -> ProbableAnswer | None:
    """Return what an answer says of both things by name, each in a clause of its own: that both are there, or one.

    It is asked back. None for any other question, where a thing is not named plainly, or where neither is there.
    """
    values = {each.value for each in element.options}
    halves = [each for each in element.options if each.value not in _VALUES]
    if element.kind != "select" or not values > _VALUES or len(halves) != _HALVES or "?" in answer:
        return None
    parts = [tokens(each) for each in _BORDERS.split(answer) if tokens(each)]
    told = [_is_there(each, parts) for each in halves]
    if sorted(map(str, told)) == ["False", "None"]:
        told = _tell_other(halves, told, parts)
    if None in told or not any(told) or opening(answer)[0] is False:
        return None
    value = "both" if all(told) else halves[told.index(True)].value
    option = next(each for each in element.options if each.value == value)
    return ProbableAnswer(valid_option(option, language))


def _tell_other(
    halves: list[ElementOption], told: list[bool | None], parts: list[list[str]]
) -> list[bool | None]:
    """Return that the other thing is there where the answer speaks only of one, which was lost: `perdi a grelha`."""
    lost, other = (halves[told.index(each)] for each in (False, None))
    is_lost = any(not _LOST.isdisjoint(each) for each in parts)
    is_one = not any(_is_named(word, other) for each in parts for word in each)
    return [each is not lost for each in halves] if is_lost and is_one else told


def _is_named(word: str, half: ElementOption) -> bool:
    names = {*content(tokens(half.label.pt)), *content(tokens(half.label.en))} - _ALONE
    return any(is_like(word, each) for each in names)


_LOST = frozenset("perdi perdeu perdemos perdido perdida lost".split())


def _is_there(half: ElementOption, parts: list[list[str]]) -> bool | None:
    """Return whether clauses say that a thing is there; None where none names it plainly, or two say different."""
    names = {
        word
        for text in (half.label.pt, half.label.en)
        for word in content(tokens(text))
        if word not in _ALONE
    }
    said = set[bool | None]()
    for words in parts:
        named = [word for word in words if any(is_like(word, each) for each in names)]
        if not named:
            continue
        is_denied = not (NEGATIONS | _GONE).isdisjoint(words)
        is_plain = set(words) <= _STANDS.union(named)
        is_doubtful = not HEDGES.union(_ALONE).isdisjoint(words)
        said.add(None if is_doubtful or not (is_denied or is_plain) else not is_denied)
    return said.pop() if len(said) == 1 else None
