"""The words of a message that no answer has used, as every model is told of them beside the answer."""

from datetime import UTC, datetime

from server.languages import split_question
from server.loopos.answers import (
    Element,
    Judgement,
    ProbableAnswer,
    Refused,
    Valid,
    adds_nothing,
    confirms,
    judge,
)
from server.loopos.answers.amounts.side_amounts import speaks_of_deal
from server.loopos.answers.certainty import HEDGES, PRAISE, content, is_like
from server.loopos.answers.clauses.faults import fault_clauses
from server.loopos.answers.clauses.reminders import without_reminders
from server.loopos.answers.clauses.told_changes import told_addition
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.confirmation import is_asked_in_this_run, is_shown, pending
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.questions.early_facts import told_questions
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.price import words_behind_priced_yes, words_behind_yes, words_beside_price


def waiting_guess(draft: Draft, element: Element) -> Valid | None:
    """Return the answer that the seller was asked to confirm when they typed the newest message."""
    clicked = any(part.get("type") == "answer" for part in draft.run.input)
    shown = is_shown(draft, element.id) and not is_asked_in_this_run(draft, element.id)
    return pending(draft, element.id) if shown and not clicked else None


async def left_over(
    questions: Questions, element: Element, judged: Judgement, waited: Valid | None
) -> dict[str, str | list[str]]:
    """Return the words of the newest message that stand beside its answer and change nothing, as `not_taken`.

    These are the words beside a price that ends the questions, those behind a yes to `waited`, and the whole message
    where that still waits: then `kept_for` names the questions of which it tells instead. Courtesy, questions and
    faults are none: they have their place.
    """
    newest, language = next(iter(questions.draft.messages()), ""), questions.draft.language
    beside_price, waits = left_beside_price(questions, element), isinstance(judged, ProbableAnswer)
    if beside_price or (beside_price is not None and not (waits and waited)):
        return beside_price
    added = told_addition(newest) if element.kind in ("select", "boolean") else ""
    if added and not isinstance(judged, Refused):
        return {"not_taken": added}
    if isinstance(judged, Refused) or waited is None or _guess_of(judged) != waited:
        return {}
    agrees = confirms(split_question(newest)[0], language)[0]
    still_waits = isinstance(judged, ProbableAnswer) and agrees is None
    beside = words_behind_yes(newest, language) if agrees else newest if still_waits else ""
    beside = without_reminders(beside).strip(" .!")
    is_used = (
        not beside
        or "?" in beside
        or _is_repeated(beside, waited.shown)
        or _is_idle(beside, language)
        or fault_clauses(beside)
    )
    if is_used or (agrees and not _says_nothing_of(element, beside, language)):
        return {}
    others = [each for each in questions.open() if each is not element and each.kind != "price"]
    kept = await told_questions(others, beside, language)
    return {"kept_for": kept} if kept and still_waits else {} if kept else {"not_taken": beside}


def left_beside_price(questions: Questions, element: Element) -> dict[str, str | list[str]] | None:
    """Return the words of the newest message beside a price that ends the questions; None for any other answer."""
    if element.kind != "price" or any(each.kind != "price" for each in questions.open()):
        return None
    newest, language = next(iter(questions.draft.messages()), ""), questions.draft.language
    beside = words_beside_price(newest, language) or words_behind_priced_yes(newest, language)
    # `yes, drop it to 380`: these words are the price that is asked back.
    is_left = speaks_of_deal(beside) or _says_nothing_of(element, beside, language)
    return {"not_taken": beside} if beside and is_left else {}


def _guess_of(judged: Valid | ProbableAnswer) -> Valid:
    return judged.guess if isinstance(judged, ProbableAnswer) else judged


def _is_repeated(words: str, shown: str) -> bool:
    """Return whether words stand in the answer that was confirmed, as `only the left` in `the left one drifts`."""
    said, known = set(content(tokens(words))) - _ONLY, tokens(shown)
    return bool(said) and all(any(is_like(word, each) for each in known) for word in said)


_ONLY = frozenset("only just so apenas".split())


def _is_idle(words: str, language: str) -> bool:
    """Return whether words are courtesy or praise, as `it works fine` is."""
    praise = PRAISE | HEDGES | _WORKING
    return adds_nothing(words, language) or praise.issuperset(content(tokens(words)))


_WORKING = frozenset(
    "works work working funciona funcionam trabalha liga runs still ainda tudo everything".split()
)
"""Words of what is in order."""


def _says_nothing_of(element: Element, words: str, language: str) -> bool:
    """Return whether words are no answer to the question: those that are one repeat what was confirmed."""
    return isinstance(judge(element, words, language, datetime.now(UTC).date()), Refused)
