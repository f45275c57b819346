"""Options that the examples of others make likely for an answer that no rule reads."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.certainty import BARE_YES, asks, is_bare, opening, plain_words
from server.loopos.answers.clauses.absence_questions import denies_genuine
from server.loopos.answers.clauses.asides import is_ignorant
from server.loopos.answers.element import Element
from server.loopos.answers.judges.choice_judge import WONDERS
from server.loopos.answers.judges.damage_questions import leaves_out
from server.loopos.answers.judges.fault_notes import hides_fault, note_faults
from server.loopos.answers.judges.polarity_judge import text_of_side
from server.loopos.answers.options.examples import NEAR, VERY_NEAR, WORDS, nearest_option
from server.loopos.answers.options.option_sides import leads, valid_option
from server.loopos.answers.refusals import ProbableAnswer, Valid
from server.loopos.answers.words import fold, tokens


def judge_likely(
    element: Element, answer: str, language: str, guess: Valid | None = None
) -> ProbableAnswer | None:
    """Return the option that the examples of others make likely, to be asked back.

    Beside a guess by rules it is another one, that many words are near to.
    """
    if asks(answer) or is_ignorant(answer) or leaves_out(element, answer) or WONDERS.search(fold(answer)):
        return None
    read = fold(answer)
    if _OF_MEMORY.search(read) or _STRIPED.search(read) or denies_genuine(element, answer):
        return None
    if _RANGE.search(read) and not _COMPARES.search(read):
        return None
    value, near = nearest_option(element, answer) or ("", 0.0)
    says, after = opening(answer)
    if _is_no_grade(element, says, plain_words(after, language)):
        return None
    is_sure = near >= NEAR and (len(tokens(answer)) >= WORDS if says is None else says is (value == "yes"))
    is_sure |= near >= VERY_NEAR and not any(each.deal_breaker for each in element.options)
    is_mentioned = guess is not None and guess.value is True and says is None
    is_sure |= is_mentioned and near >= NEAR and value == "no" and tokens(answer)[-1] not in BARE_YES
    is_other = guess is None or (is_sure and not hides_fault(element, value, guess, answer))
    if not value or not is_other:
        return None
    likely = _ask_back(element, answer, value, says, language)
    return None if likely is None or (guess and likely.guess.value == guess.value) else likely


_OF_MEMORY = patterns.compile(r"\b\d{1,3}\s?(?:g|gb|gigas?|gigs?)?\s?(?:(?:de|of) )?(?:ram|memoria|memory)\b")
"""A size of the memory, in folded text, which is no grade: `8 de ram`."""
_RANGE = patterns.compile(
    r"\b\d{1,3} ?(?:kms?|k|miles?|mi|hours?|hrs?|horas?|minutos|minutes|min)\b.{0,20}\b(?:charge|carga)\b|"
    r"\b(?:charge|carga)\b.{0,20}\b\d{1,3} ?(?:kms?|miles?|hours?|hrs?|horas?)\b"
)
_COMPARES = patterns.compile(
    r"\b(?:new|nov[oa]|sempre|always|same|mesm[oa]s?|advertised|anunciad[oa]|before|antes|used to|"
    r"less|more|menos|mais|only|just|so)\b"
)
"""How far a charge lasts, in folded text, and words by which that says how worn a battery is."""
_STRIPED = patterns.compile(r"\b(?:as|a|de|com) riscas\b")
"""A pattern, in folded text, which is no scratch: `uma camisola às riscas`."""


def _is_no_grade(element: Element, says: bool | None, rest: list[str]) -> bool:
    """Return whether the answer is a plain yes or no to a question none of whose options begins with one."""
    chosen = element.kind == "select" and all(leads(each) is None for each in element.options)
    return chosen and is_bare(says, rest)


def _ask_back(
    element: Element, answer: str, value: str, says: bool | None, language: str
) -> ProbableAnswer | None:
    """Return the value with the faults that the answer tells; None where it opens with the opposite yes or no."""
    if element.kind == "boolean":
        side = value == "yes"
        if says is (not side):
            return None
        return ProbableAnswer(Valid(side, text_of_side(side, language)))
    option = next(each for each in element.options if each.value == value)
    if says is not None and leads(option) is (not says):
        return None
    judged = note_faults(element, answer, ProbableAnswer(valid_option(option, language)), language)
    return judged if isinstance(judged, ProbableAnswer) else None
