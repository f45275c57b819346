"""Additions to the last text that a message to a finished item asks for, beside its other wishes."""

from __future__ import annotations

from server.languages import fold, split_question
from server.loopos.answers import Element, ProbableAnswer, Valid
from server.loopos.answers.certainty import content, is_like, without_lead
from server.loopos.answers.clauses.change_requests import only_drops
from server.loopos.answers.clauses.cut_texts import asks_to_cut
from server.loopos.answers.clauses.joined_parts import join_parts
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.confirmation import ask_back, is_asked_in_this_run, pending
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.price import says_price
from server.loopos.tools.questions.texts.remarks import is_remark, note_left, without_courtesy
from server.loopos.tools.questions.unrecorded_faults import (
    ask_to_add,
    faults_in,
    home_of,
    note_asked,
    settle_faults,
)
from server.text_reading.wishes.wished_additions import Wishes, read_wishes


def wishes_at_card(questions: Questions, message: str) -> Wishes:
    """Return what the typed message asks to add to the last text, where that is written and nothing else is open."""
    home, draft = home_of(questions), questions.draft
    found = read_wishes(message)
    if home is None or not found.facts or home.id not in questions.answers:
        return Wishes(rest=message)
    waits = draft.waiting_block()
    is_done = all(each.kind == "price" for each in questions.open())
    is_done &= all(each.kind == "price" or each.id != waits for each in questions.asked)
    waited = pending(draft, home.id) is not None and not is_asked_in_this_run(draft, home.id)
    if not (found.is_sure or found.rest or (found.is_only and _is_new(questions, home, found.facts[0]))):
        return Wishes(rest=message)
    if not found.is_sure and asks_to_cut(found.rest):
        return Wishes(rest=message)  # The text is edited in its field then.
    may_stand = all(_may_stand(questions, each, is_sure=found.is_sure) for each in found.facts)
    return found if is_done and may_stand and not waited else Wishes(rest=message)


def add_wished(
    questions: Questions, wishes: Wishes, asked: Element | None, other: Element | None
) -> Element | None:
    """Ask back the last text with what a message asks to add; of the rest, a fact is added and a wish not used is told.

    Returns its question, or the `other` one that the rest of the message asks back. Where the rest may answer the
    question `asked`, that is judged next.
    """
    home, draft = home_of(questions), questions.draft
    if home is None or not wishes.facts:
        return other
    rest = without_courtesy(split_question(wishes.rest)[0], draft.language)
    rest = without_lead(rest) or rest
    is_judged = asked is not None and asked is not home and bool(wishes.rest)
    is_left = other is None and not is_judged and not says_price(questions, rest) and not only_drops(rest)
    facts = [*wishes.facts, *([rest] if is_left and is_remark(rest) else [])]
    if is_left and rest not in facts and content(tokens(rest)) and "?" not in rest:
        note_left(draft, [rest])
    settle_faults(questions, faults_in(next(iter(draft.messages()), "")))
    if (kept := pending(draft, home.id)) is None:
        is_asked = ask_to_add(questions, home, *facts)
    else:
        new = [each for each in facts if fold(each) not in fold(kept.shown)]
        text, left = join_parts(new, home.max_length, first=kept.shown)
        note_left(draft, left)
        ask_back(draft, home.id, ProbableAnswer(Valid(text, text)))
        note_asked(questions, home, text)
        is_asked = True
    if other is not None or (is_judged and asked is not None and asked.kind != "price"):
        return other
    return home if is_asked else None


def _is_new(questions: Questions, home: Element, fact: str) -> bool:
    """Return whether a fact that is to be put alone says nothing of a text of several things, which it would erase."""
    text = str(questions.answers[home.id][1])
    labels = {fold(name) for each in questions.asked for name in _labels_of(each)}
    said = content(tokens(text))
    is_other = not any(is_like(word, each) for word in content(tokens(fact)) for each in said)
    return is_other and fold(fact) not in labels and len(said) >= _FEWEST_LOST


_FEWEST_LOST = 3
"""A text of so many words of its own is not replaced by a short fact that has none of them."""


def _labels_of(element: Element) -> list[str]:
    return [name for each in element.options for name in (each.label.pt, each.label.en)]


def _may_stand(questions: Questions, fact: str, *, is_sure: bool) -> bool:
    """Return whether a fact may stand in the text: no price, and no value that may be told for a row that it names."""
    said = content(tokens(fact))
    rows = [each for each in questions.asked if each.kind not in ("text", "price")]
    named = [content(tokens(name)) for each in rows for name in (each.heading.pt, each.heading.en)]
    is_of_row = not is_sure and any(name and set(name) <= set(said) for name in named)
    is_price = not _PRICE.isdisjoint(tokens(fact)) if is_sure else says_price(questions, fact)
    return bool(tokens(fact)) and not is_of_row and not is_price


_PRICE = frozenset("price preco valor".split())
