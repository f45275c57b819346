"""The block of a question: its choices or its field, and beside the last one what is kept of the item."""

from collections.abc import Mapping
from dataclasses import replace

from server.loopos.answers import NO_PRICE, PRICE, Element
from server.loopos.tools.drafts.confirmation import pending
from server.loopos.tools.drafts.confirmation_block import FIRST, INPUTS, question_confirmation
from server.loopos.tools.drafts.proposal_choices import answer_choices
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.texts.told_clauses import ADD, unused_clauses
from server.loopos.tools.questions.unrecorded_faults import home_of
from server.loopos.tools.tool_words import say
from server.protocol.blocks import Choice, Choices, Form, Pair


def question_block(
    questions: Questions, element: Element, value: str = "", error: str = ""
) -> Choices | Form:
    """Return the question as choices or as a form with one field; or what was understood of its answer.

    The last text has the words of the seller that nothing holds, and the last question what is kept so far.
    """
    block = _block(questions, element, value, error)
    if isinstance(block, Form) and element is home_of(questions):
        words = unused_clauses(questions, block.value)
        block = replace(block, unused=tuple(Choice(each, each, name=ADD) for each in words))
    if not _is_last(questions, element):
        return block
    state = questions.draft.run.state
    product = Pair(
        say("block.product", questions.draft.language), f"{state.get('product')} · {state.get('brand')}"
    )
    rows = kept_rows(questions, state.get("options") or {}, without=element)
    return replace(block, kept=(product, *rows, *_price_row(questions)))


def _is_last(questions: Questions, element: Element) -> bool:
    """Return whether the item is shown behind the answer to this question, for the first time."""
    others = (each for each in questions.open() if each is not element and each.kind != "price")
    return "card" not in questions.draft.run.private and not any(others)


def _block(questions: Questions, element: Element, value: str, error: str) -> Choices | Form:
    draft, language = questions.draft, questions.draft.language
    position, total = _place_of(questions, element)
    guess, label = pending(draft, element.id), element.label.text_in(language)
    key = "choice.unsure" if not element.required else "choice.later" if error or guess else ""
    unsure = Choice(say(key, language), say(key, language)) if key else None
    if element.kind == "price":
        unsure = Choice(NO_PRICE.text_in(language), NO_PRICE.text_in(language))
    if guess is not None:
        return question_confirmation(
            draft, element, guess, error=error, unsure=unsure, position=position, total=total
        )
    hint = element.hint.text_in(language) if element.hint else ""
    if element.kind in ("select", "boolean"):
        choices = answer_choices(element, language)
        return Choices(
            element.id,
            label,
            choices,
            hint=hint,
            error=error,
            first=FIRST if len(choices) > FIRST + 1 else None,
            unsure=unsure,
            change=change_row(language, element.id, label),
            in_place=True,
            position=position,
            total=total,
        )
    return Form(
        element.id,
        label,
        INPUTS.get(element.kind, "text"),
        hint=hint,
        unit=element.unit.text_in(language) if element.unit else "",
        value=value,
        error=error,
        required=element.required,
        unsure=unsure,
        change=change_row(language, element.id, label),
        in_place=True,
        position=position,
        total=total,
    )


def _place_of(questions: Questions, element: Element) -> tuple[int | None, int | None]:
    """Return the number of the question and how many there are; the price, which may come later, has none."""
    counted = [each for each in questions.asked if each.kind != "price"]
    return (counted.index(element) + 1, len(counted)) if element in counted else (None, None)


def fold_answer(questions: Questions, element: Element, shown: str) -> None:
    """Fold the question to its answer."""
    answer = {"value": str(questions.answers[element.id][0]), "label": shown}
    questions.draft.fold_question(_block(questions, element, "", ""), element.id, answer)


def kept_rows(
    questions: Questions, options: Mapping[str, str], *, without: Element | None = None
) -> tuple[Pair, ...]:
    """Return the options (name to value) and answers of the item but its price, each with the click that changes it."""
    language, clicks = questions.draft.language, questions.options
    chosen = (
        Pair(name, value, change_row(language, clicks[name], name) if name in clicks else None)
        for name, value in options.items()
    )
    answered = (
        Pair(name, str(questions.answers[each.id][1]), change_row(language, each.id, name))
        for each in questions.asked
        if each.kind != "price"
        and each is not without
        and questions.answers.get(each.id, [None])[0] is not None
        for name in [each.heading.text_in(language)]
    )
    return (*chosen, *answered)


def _price_row(questions: Questions) -> tuple[Pair, ...]:
    """Return the row of the price that the seller has confirmed before the last question."""
    language, (value, shown) = questions.draft.language, questions.answers.get(PRICE.id, (None, ""))
    name = say("card.price", language)
    return () if value is None else (Pair(name, str(shown), change_row(language, PRICE.id, name)),)


def change_row(language: str, name: str, called: str) -> Choice:
    """Return the click on a row that asks once more for what stands there."""
    return Choice(name, say("choice.change.label", language, name=called), name="change")
