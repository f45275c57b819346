"""The protocol of the item: its questions one by one, each answer judged, the card at the end."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from server import patterns
from server.agents import RunContext, ToolContext, tool
from server.languages import fold
from server.loopos.answers import (
    PRICE,
    Element,
    Judgement,
    ProbableAnswer,
    Refused,
    Valid,
    judge_click,
    judge_report,
)
from server.loopos.tools.drafts.confirmation import (
    Correction,
    ask_back,
    forget,
    is_asked_in_this_run,
    keep_waiting,
    pending,
    words_about,
)
from server.loopos.tools.drafts.confirmation_block import sentence
from server.loopos.tools.drafts.confirmed_product import confirmed_product
from server.loopos.tools.drafts.denied_answers import settle_answer, without_denied
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.earlier_items import of_earlier
from server.loopos.tools.drafts.pictures import keep_pictures
from server.loopos.tools.drafts.proposal_choices import ALONE, keep_remark, words_beside, written_words
from server.loopos.tools.drafts.refused_words import error_at
from server.loopos.tools.drafts.switched_items import answers_switch, switch_result
from server.loopos.tools.options import choices_to_change, give_chosen_options
from server.loopos.tools.questions.bare_figures import (
    add_named_month,
    ask_figures_beside,
    doubt_bare_figure,
    doubt_far_below,
    keep_year,
    note_passing_price,
    words_to_judge,
)
from server.loopos.tools.questions.contradictions import ask_contradiction, note_run
from server.loopos.tools.questions.corrections import unread_changes
from server.loopos.tools.questions.early_price import early_price
from server.loopos.tools.questions.item_questions import Questions, count_left, current_item
from server.loopos.tools.questions.named_answers import ask_behind_price, note_listed, pick_listed
from server.loopos.tools.questions.noted_prices import keeps_price, noted_price
from server.loopos.tools.questions.price import (
    ask_told_price,
    judge_beside,
    keep_answer,
    keep_text_without_price,
    known_price,
    prepare_price,
    tell_range,
)
from server.loopos.tools.questions.put_prices import ask_put_price
from server.loopos.tools.questions.question_blocks import fold_answer, question_block
from server.loopos.tools.questions.shown_questions import (
    ask_which,
    put_off,
    questions_of,
    refuse_beside,
    show_next,
    show_question,
)
from server.loopos.tools.questions.side_changes import ask_changes_beside, note_price_beside
from server.loopos.tools.questions.texts.denied_texts import denied_text, note_denied_text
from server.loopos.tools.questions.texts.remarks import take_left
from server.loopos.tools.questions.texts.text_edits import (
    ask_about_another,
    ask_beside_card,
    refusal_beside,
    text_to_keep,
)
from server.loopos.tools.questions.texts.typed_texts import (
    ask_clicked_clause,
    judge_typed,
    standing_text,
    take_sent_text,
)
from server.loopos.tools.questions.texts.unused_words import (
    keep_message,
    kept_of_refused,
    left_beside_price,
    unused_words,
    waiting_guess,
)
from server.loopos.tools.questions.texts.whole_texts import offer_unclear, offer_whole_text
from server.loopos.tools.questions.unrecorded_faults import ask_unsaid, settle_faults, unrecorded_faults
from server.loopos.tools.tool_words import say

ANY = "any"
"""The argument for a seller who wants to change an answer and does not say which."""
MOST_REPORTED = 8_000
"""So many characters of the answer that a model reports are judged: as many as a message may have."""


async def _show_element(questions: Questions, item: Any, wanted: Element | None) -> Element | None:
    """Show the wanted or the next question; where it was asked what is to change, that is the answer."""
    draft = questions.draft
    if wanted is not None and draft.waiting() == "correct":
        draft.fold({"value": wanted.id, "label": wanted.heading.text_in(draft.language)})
    return await show_next(questions, item, wanted)


def _public_questions(result: dict[str, Any]) -> dict[str, Any]:
    """Show the browser how many there are."""
    return {"total": result["total"]} if "total" in result else {}


@tool(effect="read", result=_public_questions, icon="list", scopes=("catalog:read", "items:read"))
async def get_product_protocol(ctx: ToolContext[RunContext], change: str | None = None) -> dict[str, Any]:
    """The questions about the item, what is answered, and which is next.

    The next one is shown to the seller; when nothing is left to ask, the item is. What the seller told and no answer
    says is asked first to be added to the last text. `reason`: what the message wishes of another item.
    `price_range`, where the message asks what the item is worth: what similar ones sell for, to be told.

    Args:
        change: The element_id of the answer that the seller calls wrong without saying what is right: that question
            is shown again. "any" when they do not say which it is: all answers are shown to choose from.
    """
    run, draft = ctx.context, Draft(ctx.context)
    draft.hear()
    earlier = of_earlier(run)
    change = None if earlier and earlier["is_all"] else change
    questions = await questions_of(draft)
    item = await current_item(questions)
    item = await keep_pictures(draft, await give_chosen_options(draft, item))
    change = change if (clicked := ask_clicked_clause(questions)) is None else clicked.id
    is_wanted = PRICE.id in (change, draft.clicked_value("change"))
    asks_price = await prepare_price(questions, item, is_wanted=is_wanted)
    is_free = change == ANY and item.status != "refused"
    is_spelled = change == PRICE.id and not any(map(str.isdigit, next(iter(draft.messages()), "")))
    is_done = item.status == "complete" and questions.next() is None
    other = ask_about_another(questions, None) if is_free or is_done else None
    if (change == ANY or is_spelled) and item.status == "complete":
        takes_bare, beside_figure = change == ANY and other is None, other is not None and other.is_figure
        await ask_told_price(questions, item, takes_bare=takes_bare, beside_figure=beside_figure)
    unclear = offer_unclear(questions) if is_free and is_done and other is None else None
    if is_free and is_done and (other or unclear) is None and questions.to_settle() is None:
        keep_message(questions)
    adds = other is not None or (is_free and bool(unrecorded_faults(questions)))
    is_other = change == ANY and not adds and questions.to_settle() is None
    following: Element | None = unclear
    if unclear is not None:
        questions.tell_position()
    elif is_other or draft.clicked_value("correct") is not None:
        following = None if item.status == "refused" else questions.next()
        ask_which(questions, choices_to_change(draft, await confirmed_product(draft)))
    else:
        ask_contradiction(questions, change)
        following = await _show_element(questions, item, questions.wanted_element(None if adds else change))
    return {
        "elements": [questions.describe(element) for element in questions.elements],
        "answered": questions.shown,
        "next": questions.describe(following) if following else None,
        "position": questions.position(following),
        "total": len(questions.asked),
        "takes_price": asks_price or (item.asking_price is not None and item.status != "refused"),
        "deal_breaker": item.status == "refused",
        "complete": item.status == "complete",
        **(await tell_range(questions)),
        **({"reason": Refused("other_item", earlier).text_in(draft.language)} if earlier else {}),
        **(await switch_result(draft, is_text=following.kind == "text") if following else {}),
    }


def _public_answer(result: dict[str, Any]) -> dict[str, Any]:
    """Show the browser the accepted answer as it is shown on the folded row, or the code of the refusal."""
    return {"shown": result["shown"]} if result.get("valid") else {"code": result.get("code", "")}


@tool(effect="idempotent", result=_public_answer, icon="check", scopes=("catalog:read", "items:write"))
async def validate_protocol_answer(
    ctx: ToolContext[RunContext], element_id: str, answer: str
) -> dict[str, Any]:
    """Judge and keep the seller's answer to one question; answering again replaces the earlier answer.

    Args:
        element_id: From get_product_protocol.
        answer: What the seller said, or the value of a click; "não sei" or "I don't know" skips an optional one.
    """
    run, draft, answer = ctx.context, Draft(ctx.context), answer[:MOST_REPORTED]
    draft.hear()
    questions = await questions_of(draft)
    if element_id == PRICE.id and not questions.asks_price:
        item = await current_item(questions)
        await prepare_price(questions, item, is_wanted=True)
    element = next((each for each in questions.asked if each.id == element_id), None)
    if element is None:
        reason = "No such question: call get_product_protocol."
        return {"valid": False, "reason": reason, "code": "unknown_element"}
    await note_price_beside(questions, element)
    if (told := await _answer_another(run, questions, element)) is not None:
        return told
    waited, proposed = waiting_guess(draft, element), pending(draft, element.id)
    stood = standing_text(questions, element)
    judged = without_denied(draft, element, await _judge(questions, element, answer))
    if (sent := take_sent_text(questions, element, judged, stood)) is not None:
        return await _accept(run, questions, element, sent, {})
    judged = judged if judged == waited else await keep_text_without_price(questions, element, judged)
    judged = judge_typed(questions, element, judged, waited)
    note_passing_price(questions, judged, waited)
    figure, judged = ask_figures_beside(questions, element, judged, waited)
    figure = ask_changes_beside(questions, element) or figure
    beside = {} if figure else await unused_words(questions, element, judged, waited)
    beside |= (told_range := await tell_range(questions))
    if isinstance(judged, ProbableAnswer):
        if element.kind != "price" and element.id in questions.answers:
            await _ask_price_beside(run, questions, beside_figure=element.is_figure)
        error = error_at(draft, element.id) if judged.guess == waited else ""
        return _ask_back(questions, element, judged, error) | beside
    if isinstance(judged, Refused):
        is_denied = note_denied_text(questions, element, judged, proposed)
        asked = figure or (None if is_denied else await _ask_beside(run, questions, element))
        if asked is not None:
            return _ask_addition(questions, asked) | told_range
        return await _refuse(run, questions, element, answer, judged) | told_range
    return await _accept(run, questions, element, judged, beside)


async def _answer_another(run: RunContext, questions: Questions, element: Element) -> dict[str, Any] | None:
    """Answer a message about an earlier item, another answer or what a text is to have; None for any other."""
    if (earlier := of_earlier(run)) is not None and earlier["is_all"]:
        return await refuse_beside(questions, element, Refused("other_item", earlier))
    if (text := ask_clicked_clause(questions)) is not None:
        return _ask_addition(questions, text)
    if answers_switch(questions.draft):
        return await refuse_beside(questions, element, Refused("nothing_to_confirm"))
    if (price := await ask_put_price(questions, element)) is not None:
        return _ask_addition(questions, price)
    if (written := text_to_keep(questions, element)) is not None:
        return await _accept(run, questions, element, written, {})
    if (other := ask_about_another(questions, element)) is not None:
        await _ask_price_beside(run, questions)
        noted = await noted_price(questions, other)
        return _ask_addition(questions, other) | unread_changes(questions) | noted
    if (refused := refusal_beside(questions, element)) is not None:
        return await _refuse(run, questions, element, "", refused)
    return None


async def _judge(questions: Questions, element: Element, answer: str) -> Judgement:
    """Judge a click by its value, and all else by the seller's own words."""
    draft = questions.draft
    language, today = draft.language, datetime.now(UTC).date()
    clicked, messages = draft.clicked_value(element.id), words_about(draft, element.id)
    answer, *messages = (
        words_to_judge(questions, element, pick_listed(questions, element, each))
        for each in (answer, *messages)
    )

    async def judge_heard(report: str, heard: Sequence[str]) -> Judgement:
        return await asyncio.to_thread(judge_report, element, report, heard, language, today)  # may be long

    # The words are judged before anything is settled, so that other calls change nothing in between.
    said = await judge_heard(answer, messages) if clicked is None else None
    known = known_price(questions, await early_price(draft)) if element.kind == "price" else None
    kept, settled = pending(draft, element.id), settle_answer(draft, element, today)
    if kept is not None and clicked == ALONE and isinstance(settled, Valid):
        settle_faults(questions, [words_beside(kept)])
    if draft.is_left(element.id):
        return Refused("nothing_to_confirm")
    if isinstance(settled, Correction):
        heard = [settled.words, *messages[1:]]
        said = keep_year(element, kept, await judge_heard(heard[0], heard), heard[0], language, today)
        return doubt_far_below(known, heard[0], said, language)
    if settled is not None:
        return settled
    if said is None:
        chosen = judge_click(element, clicked or "", language, today)
        chosen = keep_remark(element, questions.answers.get(element.id), chosen)
        return doubt_far_below(known, clicked or "", chosen, language)
    if element.kind == "price":
        said = judge_beside(questions, messages[0], said)
    said = doubt_far_below(known, messages[0], said, language)
    said = doubt_bare_figure(questions, element, messages[0], said)
    said = add_named_month(questions, element, messages, said, today, kept)
    return keep_waiting(draft, element.id, kept, said)


async def _ask_beside(run: RunContext, questions: Questions, element: Element) -> Element | None:
    """Return the question that asks back a fault, a remark or the price of a message that corrects no answer."""
    # Beside an open text it is the price of a message that is nothing else.
    if element.kind == "text" and is_asked_in_this_run(questions.draft, PRICE.id):
        return PRICE
    if element.id not in questions.answers:
        return ask_beside_card(questions, element) if element.kind == "price" else None
    await _ask_price_beside(run, questions)
    return ask_unsaid(questions) or questions.to_settle() or ask_beside_card(questions, element)


async def _ask_price_beside(run: RunContext, questions: Questions, *, beside_figure: bool = False) -> None:
    """Ask back the price that the same typed message sets, where nothing else is open."""
    typed = all(part.get("type") != "answer" for part in run.input)
    if typed and all(each.kind == "price" for each in questions.open()):
        await ask_told_price(questions, await current_item(questions), beside_figure=beside_figure)


def _ask_back(questions: Questions, element: Element, judged: ProbableAnswer, error: str) -> dict[str, Any]:
    """Return what was understood, with its choices, kept once confirmed; with an `error` it stays in its place."""
    draft = questions.draft
    ask_back(draft, element.id, judged)
    first = questions.to_settle() or element
    if questions.answers.get(first.id, [None])[0] is not None and element.id not in questions.answers:
        first = element  # What it changes of another answer comes after it.
    error = error if first is element else ""
    if first is element or draft.waiting() != first.id:
        draft.ask(question_block(questions, first, error=error), first.id, again=True, in_place=bool(error))
    questions.tell_position()
    told = {"valid": False, "reason": sentence(draft, judged.guess), "code": "confirm"}
    told |= {"unread": error} if error and judged.reason == "unread" else {}
    told["understood"] = judged.guess.shown
    return told if first is element else told | {"asked": first.id}


def _ask_addition(questions: Questions, element: Element) -> dict[str, Any]:
    """Return what is asked back of another answer: the words tell of a fault and change no answer, or they name it."""
    draft, kept = questions.draft, pending(questions.draft, element.id) or Valid(None, "")
    draft.ask(question_block(questions, element), element.id, again=True)
    questions.tell_position()
    told = {"valid": False, "reason": sentence(draft, kept), "code": "confirm", "understood": kept.shown}
    return told | {"asked": element.id} | (left_beside_price(questions, element) or {})


_UNREAD = frozenset(("not_an_option", "yes_or_no", "number_only", "not_a_date", "denied_before"))
_SAID_AGAIN = frozenset("of_a_charge question_again other_currency not_in_text write_whole_text".split())
"""Refusals that say themselves what to do, however often."""
_ASKS_HOW = patterns.compile(
    r"\b(?:n[aã]o sei|n[aã]o fa[cç]o ideia|don'?t know|not sure|no idea)\b[\s,]*(?:como|onde|how|where)\b",
    patterns.IGNORECASE,
)


async def _refuse(
    run: RunContext, questions: Questions, element: Element, answer: str, judged: Refused
) -> dict[str, Any]:
    """Show the question again with what to write instead; what the seller does not know is put off the second time."""
    draft, language = questions.draft, questions.draft.language
    if judged.code == "nothing_to_confirm":
        return await refuse_beside(questions, element, judged)
    refused = denied_text(questions, element) if judged.code == "not_confirmed" else ""
    if judged.code == "not_in_text":
        refused, judged = offer_whole_text(questions, element)
    was_told = questions.was_told_to_skip(element) or fold(answer) == fold(say("choice.later", language))
    count = questions.count_refusal(element, judged.code)
    if judged.code == "required" and (count > 1 or was_told):
        return await put_off(questions, element)
    hint = element.hint.text_in(language) if element.hint else ""
    if hint and judged.code in _UNREAD and _ASKS_HOW.search(next(iter(draft.messages()), "")):
        hint = hint if element.required else ""
        judged = Refused("not_this_question" if hint else "not_to_be_seen", {"hint": hint})
    kept = await kept_of_refused(questions, element, is_unread=judged.code in _UNREAD)
    kept = kept or ([PRICE.id] if keeps_price(questions) else [])
    if judged.code == "required":
        judged = Refused("why_required", {"hint": hint})
    elif count % 2 == 0 and judged.code not in _SAID_AGAIN:
        judged = Refused("not_this_question" if kept else "still_unclear", {"hint": hint})
    note_listed(questions, element, judged)
    reason = " ".join(judged.text_in(language).split())
    error = "" if judged.code == "question_again" else reason
    show_question(questions, element, value=refused or written_words(answer), error=error)
    questions.tell_position()
    return {"valid": False, "reason": reason, "code": judged.code, **({"kept_for": kept} if kept else {})}


async def _accept(
    run: RunContext, questions: Questions, element: Any, judged: Valid, beside: dict[str, Any]
) -> dict[str, Any]:
    """Keep the answer, fold its question, show what comes next; tell the words `beside` it that nothing asks back."""
    item = await keep_answer(run, element, judged, questions.draft.language)
    item = await keep_pictures(questions.draft, item)
    forget(questions.draft, element.id)
    if element.kind != "price" and element.id in questions.answers:
        await _ask_price_beside(run, questions)
    questions.keep(element, judged.value, judged.shown)
    note_run(questions, element)
    fold_answer(questions, element, judged.shown)
    await prepare_price(questions, item)
    adds = element.kind == "price" and item.status == "complete" and ask_behind_price(questions)
    following = await show_next(questions, item)
    return {
        "valid": True,
        "shown": judged.shown,
        **({"skipped": True} if judged.skipped else {}),
        **(take_left(questions.draft) or ({} if adds else beside)),
        "next": questions.describe(following) if following else None,
        "remaining": count_left(questions),
        "deal_breaker": item.status == "refused",
        "complete": item.status == "complete" and following is None,
    }
