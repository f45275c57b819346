"""Answers of several sentences: the first is a plain yes or no, and the others say nothing that could change it."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.certainty import (
    BARE_NO,
    BARE_YES,
    MARKERS,
    NEGATIONS,
    POLITE,
    PRAISE,
    adds_nothing,
    content,
    is_like,
    opening,
    plain_words,
)
from server.loopos.answers.clauses.faults import takes_back, tells_fault
from server.loopos.answers.element import Element
from server.loopos.answers.options.option_sides import leads
from server.loopos.answers.options.question_words import VERBS, own_words_of
from server.loopos.answers.refusals import Judgement, ProbableAnswer
from server.loopos.answers.words import is_number, tokens

_SENTENCES = patterns.compile(r"(?<!\d)[.;!\n]+|[.;!\n]+(?!\d)")
_CLAUSES = patterns.compile(r"[,:–—]\s|\s(?:e|and)\s")
_INCLUDED = frozenset("incluido incluida incluidos incluidas included".split())
_PLAIN = {*PRAISE, *BARE_YES, *BARE_NO, *POLITE} | frozenset("tudo everything all".split())
_COMES_WITH = patterns.compile(
    r"(?:(?:it|and|e|also|tambem) )*(?:comes? with|includes?|(?:vai|vem|vao|vem tudo) com|inclui|traz|(?:vai|segue) "
    r"tambem) (?:\w+ ){0,6}\w+"
)
"""A clause that names what comes with the item."""
_BOUGHT = patterns.compile(
    r"(?:(?:i|we|it|was|eu|foi|e|and|ele|ela) )*(?:bought|got|comprei|compramos|comprad[oa])"
    r"(?: (?:it|new|n?[oa]|em|in|de|of|novo|nova|(?:jan|fev|feb|mar|abr|apr|mai|may|jun|jul|ago|aug|set|sep|out|oct|"
    r"nov|dez|dec)[a-z]*|(?:19|20)\d\d))*"
)
"""A clause that tells when or where the item was bought."""


def prefer_plain_sentence(element: Element, answer: str, judged: Judgement, language: str) -> Judgement:
    """Return as sure what an answer asks back of which the first sentence says yes or no with words of the question
    alone: `Sim, tudo ok. O travão trava bem.`

    The others may repeat the question with praise, thank, or name what comes with the item or when it was bought. They
    deny, doubt, contrast, compare and ask nothing, and tell no fault. They are read again for the notes.
    """
    if not isinstance(judged, ProbableAnswer) or judged.reason != "unsure" or judged.guess.deal_breaker:
        return judged
    first, *others = [each.strip() for each in _SENTENCES.split(answer) if each.strip()] or [""]
    says, after = opening(first)
    if not others or says is None or "?" in answer or judged.guess.shown.endswith(")"):
        return judged
    options = [each for each in element.options if each.value == judged.guess.value]
    sides = [leads(each) for each in element.options]
    is_side = (
        judged.guess.value is says
        if element.kind == "boolean"
        else sides.count(says) == 1 and any(leads(each) is says for each in options)
    )
    own = own_words_of(element) | VERBS | _INCLUDED
    is_plain = is_side and _repeats(own, after, language, denies=not says)
    return judged.guess if is_plain and all(_adds(own, each, language) for each in others) else judged


def _repeats(own: set[str], words: str, language: str, *, denies: bool) -> bool:
    """Return whether words are those of the question, and of praise; behind a no they may deny once."""
    said = plain_words(words, language)
    denials = [each for each in said if each in NEGATIONS and each not in own]
    if len(denials) > denies or (not denies and tells_fault(words)):
        return False
    if (MARKERS - NEGATIONS).intersection(said) or any(map(is_number, said)):
        return False
    left = [each for each in content(said) if each not in _PLAIN and each not in denials]
    return all(any(is_like(word, each) for each in own) for word in left)


def _adds(own: set[str], sentence: str, language: str) -> bool:
    """Return whether a sentence behind a plain answer only adds to it."""
    if _is_addition(own, sentence, language):
        return True
    return all(_is_addition(own, each, language) for each in _CLAUSES.split(sentence) if tokens(each))


def _is_addition(own: set[str], clause: str, language: str) -> bool:
    words, flat = plain_words(clause, language), " ".join(tokens(clause))
    if _BOUGHT.fullmatch(flat):
        return True
    if (
        not MARKERS.isdisjoint(words)
        or tells_fault(clause)
        or takes_back(words)
        or opening(clause)[0] is False
    ):
        return False
    if adds_nothing(clause, language):
        return True
    is_own = any(is_like(word, each) for word in content(words) for each in own - VERBS)
    if not is_own and _COMES_WITH.fullmatch(flat):
        return True
    is_own |= not VERBS.isdisjoint(words)
    return is_own and not PRAISE.isdisjoint(words) and _repeats(own, clause, language, denies=False)
