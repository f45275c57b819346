"""The view of an item's questions that a seller has: the next one, what is asked back of it, at the end the card."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from server.agents import ToolFailure
from server.loopos.answers import PRICE, Element, ProbableAnswer, Refused, Valid, tells_other_currency
from server.loopos.answers.clauses.joined_parts import (
    without_answer_words,
    without_noted,
    without_shorter_parts,
)
from server.loopos.common_answers import common_answer
from server.loopos.core import Core
from server.loopos.cores import item_path
from server.loopos.pictures import picture_path
from server.loopos.tools.drafts.confirmation import ask_back, pending
from server.loopos.tools.drafts.confirmed_product import confirmed_product
from server.loopos.tools.drafts.corrected_products import carried_answer
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.other_items import keep_wished_later, left_for_later
from server.loopos.tools.drafts.refused_words import error_at
from server.loopos.tools.questions.contradictions import ask_contradicted
from server.loopos.tools.questions.early_facts import early_fact
from server.loopos.tools.questions.early_price import early_price
from server.loopos.tools.questions.item_questions import Questions, count_left, current_item
from server.loopos.tools.questions.option_values import block_name
from server.loopos.tools.questions.question_blocks import change_row, kept_rows, question_block
from server.loopos.tools.questions.sides_put_right import ask_sides_put_right
from server.loopos.tools.questions.texts.first_words import with_first_words
from server.loopos.tools.questions.texts.offered_texts import offered_text
from server.loopos.tools.questions.texts.told_clauses import with_whole_parts
from server.loopos.tools.questions.unrecorded_faults import add_unsaid, ask_unsaid, condition_of, notes_in
from server.loopos.tools.tool_words import say
from server.protocol.blocks import Card, Choice, Choices, Form, Pair

MOST_BACK = 3
"""To so many items before this one a suggestion leads back."""
KEYS = 9
"""So many choices answer to a key each."""


async def questions_of(draft: Draft) -> Questions:
    """Return the protocol of the item that was created."""
    run = draft.run
    if not draft.has_item() or draft.product_id is None:
        raise ToolFailure("There is no item yet: its questions come after it is created.", code="no_item")
    await keep_wished_later(draft)
    product = await confirmed_product(draft)
    options = {kind.name: block_name(kind) for kind in product.option_types}
    return Questions(draft, await run.resource(Core).protocol(draft.product_id), options)


def show_question(
    questions: Questions, element: Element, value: str = "", error: str = "", *, again: bool = False
) -> None:
    """Show a question, with what it was answered before, or `again`: with what was wrong, or what was understood."""
    value = "" if element.kind == "price" and tells_other_currency(value) else value
    value = value or offered_text(questions, element) or questions.typed_answer(element)
    block = question_block(questions, element, value, error)
    if error and isinstance(block, Form):
        block = replace(block, hint=" ".join(block.hint.replace(error, " ").split()))  # The field says it.
    questions.draft.ask(block, element.id, again=again or bool(error), in_place=bool(error))


async def show_next(questions: Questions, item: Any, wanted: Element | None = None) -> Element | None:
    """Show what comes next: the wanted or the next question, or the item itself when nothing is asked of it.

    Returns the question. The earlier messages are read first, with turns of the loop; what is shown is then decided
    at once.
    """
    following = wanted or (None if item.status == "refused" else questions.next())
    guess = await _read_early(questions, following) if following else None
    return _show_next(questions, item, wanted, {following.id: guess} if following and guess else {})


def _show_next(
    questions: Questions, item: Any, wanted: Element | None, told: Mapping[str, Valid]
) -> Element | None:
    following = wanted or (None if item.status == "refused" else questions.next())
    if wanted is None and item.status != "refused" and (following is None or following.kind == "price"):
        following = ask_unsaid(questions) or following
    if wanted is None and item.status != "refused":
        following = ask_sides_put_right(questions) or ask_contradicted(questions) or following
    questions.notices_before(following)
    if following is not None:
        asks = following.id in told and _ask_early_fact(questions, following, told[following.id])
        show_question(questions, following, again=asks)
    questions.draft.run.set_state(status=item.status)
    questions.tell_position()
    if following is None:
        _show_end(questions, item)
    return following


async def refuse_beside(questions: Questions, element: Element, judged: Refused) -> dict[str, Any]:
    """Keep nothing and show what is open: the button was pressed before, or the words are of an earlier item.

    Where the button's own question is open, its answer is asked for once more; at a card nothing is asked.
    """
    draft, is_button = questions.draft, judged.code == "nothing_to_confirm"
    item = await draft.run.resource(Core).item(
        draft.run.state["item_id"], draft.run.principal, language=draft.language
    )
    following = await show_next(questions, item)
    if is_button and following is not None and following.id == element.id:
        judged = Refused("not_confirmed")
    return {
        "valid": False,
        "reason": judged.text_in(draft.language),
        "code": judged.code,
        "next": questions.describe(following) if following else None,
        **({} if is_button else {"asked": following.id if following else None}),
    }


async def put_off(questions: Questions, element: Element) -> dict[str, Any]:
    """Leave a required question for later and go on with the others; one that has an answer keeps it."""
    is_answered, item = element.id in questions.answers, await current_item(questions)
    if not is_answered:
        questions.put_off(element)
    following = await show_next(questions, item)
    return {
        "valid": True,
        **({} if is_answered else {"later": True}),
        "shown": questions.shown.get(element.id, ""),
        "next": questions.describe(following) if following else None,
        "remaining": count_left(questions),
        "deal_breaker": False,
        "complete": is_answered and item.status == "complete" and following is None,
    }


async def _read_early(questions: Questions, element: Element) -> Valid | None:
    """Return the answer that the seller gave before; where messages tell none or several, none reads them again."""
    draft, private = questions.draft, questions.draft.run.private
    if _is_settled(questions, element):
        return None
    if element.kind == "price":
        return await early_price(draft)
    if (carried := carried_answer(draft, element)) is not None:
        return await with_first_words(questions, element, carried)
    untold: dict[str, list[str | None]] = private.setdefault("untold", {})
    run_id, language = untold.get(element.id, (None, None))
    newest = draft.newest_earlier_run()
    after = run_id if language == draft.language else None
    told = await early_fact(draft, element, after, condition_of(questions), questions.asked)
    if told.is_unclear:
        private.setdefault("told", []).append(element.id)
    elif told.value is None and newest is not None:
        untold[element.id] = [newest, draft.language]
    return await with_first_words(questions, element, told.value)


def _ask_early_fact(questions: Questions, element: Element, guess: Valid) -> bool:
    """Ask once to confirm an answer that the seller gave before; return whether this call asks."""
    if _is_settled(questions, element) or _is_counted(questions, element, guess):
        return False
    questions.draft.run.private.setdefault("told", []).append(element.id)
    told = add_unsaid(questions, element, guess)
    if told is not None and element.kind == "text":
        text = without_answer_words(with_whole_parts(questions, without_answer_words(str(told.value))))
        text = without_noted(without_shorter_parts(text), notes_in(questions), facts=True)
        told = Valid(text, text) if text else None
    if told is not None:
        ask_back(questions.draft, element.id, ProbableAnswer(told))
    return told is not None


def _is_counted(questions: Questions, element: Element, guess: Valid) -> bool:
    """Return whether the year of a date is the figure that answers another question: `cerca de 2000`."""
    values = [value for value, _ in questions.answers.values() if not isinstance(value, bool)]
    return element.kind == "date" and any(str(value) == guess.value for value in values)


def _is_settled(questions: Questions, element: Element) -> bool:
    """Return whether no earlier message is asked back: one was, or this question has an answer or waits for a yes."""
    told = questions.draft.run.private.get("told", ())
    return (
        element.id in told
        or element.id in questions.answers
        or pending(questions.draft, element.id) is not None
    )


def _show_end(questions: Questions, item: Any) -> None:
    """Show the item; where answers are missing that the seller put off, what they are."""
    missing = [] if item.status == "refused" else questions.open()
    if not missing:
        questions.draft.fold(None)
        _show_card(questions, _card(questions, item))
        return
    language = questions.draft.language
    choices = tuple(Choice(each.id, each.label.text_in(language), name="change") for each in missing)
    error = error_at(questions.draft, "later", "block.later.missed")
    block = Choices("later", say("block.later", language), choices, error=error)
    questions.draft.ask(block, "later", in_place=bool(error))


def ask_which(questions: Questions, options: Sequence[Choice]) -> None:
    """Show what was chosen and answered, to choose from what is to change; what stands open waits meanwhile."""
    choices = (*options, *questions.answers_to_change())
    first = KEYS - 1 if len(choices) > KEYS else None
    legend = say("block.change.what", questions.draft.language)
    error = error_at(questions.draft, "correct", "block.change.missed")
    block = Choices("correct", legend, choices, error=error, first=first)
    questions.draft.ask(block, "correct", in_place=bool(error))


def _show_card(questions: Questions, card: Card) -> None:
    """Show the item as it is now; a card that showed it earlier is closed, one of this message is replaced."""
    run = questions.draft.run
    earlier: dict[str, Any] | None = run.private.get("card")
    if earlier is not None and earlier["run"] == run.run_id:
        run.block(card, instead_of=earlier["id"])
        return
    if earlier is not None:
        run.close_block(earlier["id"])
    run.private["card"] = {"id": run.block(card), "run": run.run_id}


def _card(questions: Questions, item: Any) -> Card:
    """Return the card of an item with its options and answers, each with the click that changes it."""
    run, language, complete = questions.draft.run, questions.draft.language, item.status == "complete"
    pairs = (Pair(say("card.brand", language), item.brand), *kept_rows(questions, item.options))
    first = next(iter(item.pictures or ()), None)
    also = tuple(say("card.also", language, item=each) for each in left_for_later(questions.draft))
    also += tuple(say("card.back_to", language, **each) for each in reversed(run.state.get("earlier") or ()))[
        :MOST_BACK
    ]
    correct = Choice("card", say("card.correct.label", language), name="correct")
    lines = [f"{item.product} · {item.brand}", *(f"{name}: {value}" for name, value in item.options.items())]
    price = item.asking_price.text_in(language) if item.asking_price is not None else ""
    lines += [price] if price else []
    price_action = Choice(PRICE.id, say("card.say_price", language), name="change")
    added = tuple(
        Choice(each.id, say("card.add", language, name=each.heading.text_in(language)), name="change")
        for each in questions.asked
        if complete and each.kind != "price" and questions.answers.get(each.id, [""])[0] is None
    )
    is_missing = complete and item.asking_price is not None and not price
    return Card(
        title=item.product,
        tag=say("card.complete" if complete else "card.refused", language),
        tone="good" if complete else "bad",
        reference=item.reference,
        pairs=pairs,
        price=price,
        price_action=change_row(language, PRICE.id, say("card.price", language)) if price else None,
        image=picture_path(run.session_id, first.id) if first else "",
        link=item_path(item.id, run.app, run.session_context) if complete else "",
        next_steps=common_answer(run, "next", language) if complete else "",
        share="\n".join([*lines, item.reference]) if complete else "",
        actions=(correct, *added, *([price_action] if is_missing else [])),
        suggestions=(*also, say("card.another", language)),
    )
