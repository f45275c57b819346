"""The block of an answer that was understood and waits for a yes: its choices, or its figure to edit."""

from server import patterns
from server.loopos.answers import Element, Valid
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.proposal_choices import (
    YES,
    proposal_choices,
    stands_in_field,
    typed_answer,
)
from server.loopos.tools.tool_words import say
from server.protocol.blocks import Choice, Choices, Form, Input

INPUTS: dict[str, Input] = {"number": "number", "price": "number", "date": "date", "text": "text"}

FIRST = 5
"""So many choices are visible where there are more than one beyond them."""
MOST_TRIES = 3
"""After so many messages in a row that did not settle it, the question can be left for later beside the choices."""


_ENDS = patterns.compile(r"(?<![.\s])[.\s]+$")
"""The full stop of an answer, behind which the sentence has its own."""


def sentence(draft: Draft, guess: Valid) -> str:
    """Return what was understood, as a question; where it ends the sale, with what follows from a yes."""
    key = "block.confirm.refuses" if guess.deal_breaker else "block.confirm"
    return say(key, draft.language, answer=_ENDS.sub("", guess.shown))


def confirmation_block(
    draft: Draft,
    name: str,
    label: str,
    guess: Valid,
    choices: tuple[Choice, ...],
    *,
    error: str = "",
    unsure: Choice | None = None,
    position: int | None = None,
    total: int | None = None,
) -> Choices:
    """Return the choices below what was understood, in the place of the question of this name and label.

    Where MOST_TRIES messages in a row did not settle it, `unsure` stands beside them. `error` says what to answer.
    """
    return Choices(
        name,
        sentence(draft, guess),
        choices,
        hint=label,
        error=error,
        first=FIRST if len(choices) > FIRST + 1 else None,
        unsure=unsure if draft.asked_again(name) >= MOST_TRIES else None,
        position=position,
        total=total,
    )


def question_confirmation(
    draft: Draft,
    element: Element,
    guess: Valid,
    *,
    error: str = "",
    unsure: Choice | None,
    position: int | None,
    total: int | None,
) -> Choices | Form:
    """Return the block of what was understood: in a field to edit, where the answer is none of several choices."""
    language, label = draft.language, element.label.text_in(draft.language)
    if element.kind == "price" and draft.run.private.get("earlier"):
        label = f"{label} · {draft.run.state.get('product')}"  # Of several items it is told which one.
    if not stands_in_field(element, guess):
        choices = proposal_choices(element, guess, language)
        return confirmation_block(
            draft,
            element.id,
            label,
            guess,
            choices,
            error=error,
            unsure=unsure,
            position=position,
            total=total,
        )
    return Form(
        element.id,
        sentence(draft, guess),
        INPUTS[element.kind],
        hint=label,
        unit=element.unit.text_in(language) if element.unit else "",
        value=typed_answer(element, guess.value, guess.shown, language),
        error=error,
        required=element.required,
        confirm=Choice(YES, say("choice.confirm.yes", language)),
        unsure=_leave_empty(element, language)
        or (unsure if draft.asked_again(element.id) >= MOST_TRIES else None),
        position=position,
        total=total,
    )


def _leave_empty(element: Element, language: str) -> Choice | None:
    """Return the choice that skips a text, beside the field in which one is proposed; None where it is required."""
    if element.kind != "text" or element.required:
        return None
    return Choice(say("choice.unsure", language), say("choice.leave_empty", language))
