"""An answer that waits for the seller's yes: it was not sure, or it would end the sale."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from server.agents import RunContext
from server.languages import fold
from server.loopos.answers import Element, Judgement, Refused, Unsure, Valid, confirms, is_hedged_yes, judge
from server.loopos.tools.draft import Draft
from server.loopos.tools.wording import say
from server.protocol.blocks import Choice, Choices

YES, NO = "answer:right", "answer:wrong"
"""The values of the two buttons. No option of a catalog has a colon in its value."""

_KEY, _DENIED = "confirm", "denied"
_LABELS = {"yes": YES, "no": NO}


@dataclass(frozen=True)
class Instead:
    """A no, and the words behind it that say what is right."""

    words: str


def ask_back(draft: Draft, element_id: str, judged: Unsure) -> None:
    """Keep what was understood until the seller confirms it."""
    guess = judged.guess
    draft.run.private[_KEY] = {
        "element_id": element_id,
        "value": guess.value,
        "shown": guess.shown,
        "deal_breaker": guess.deal_breaker,
        "run": draft.run.run_id,
    }


def pending(draft: Draft, element_id: str) -> Valid | None:
    """What waits for a yes at this question."""
    kept: dict[str, Any] | None = draft.run.private.get(_KEY)
    if kept is None or kept["element_id"] != element_id:
        return None
    return Valid(kept["value"], kept["shown"], kept["deal_breaker"])


def waits_for_yes(run: RunContext) -> str:
    """The id of the question whose answer waits for a yes, or nothing."""
    return str(run.private.get(_KEY, {}).get("element_id", ""))


def is_asked_in_this_run(draft: Draft) -> bool:
    """Was the waiting answer asked back in this very run, so that the seller has not answered yet?"""
    kept: dict[str, Any] = draft.run.private.get(_KEY, {})
    return kept.get("run") == draft.run.run_id


def forget(draft: Draft) -> None:
    """Nothing waits for a yes any more."""
    draft.run.private.pop(_KEY, None)


def settle(draft: Draft, element: Element, today: date) -> Judgement | Instead | None:
    """What the newest message says to the answer that waits for a yes.

    Valid: it is confirmed. Unsure: it was asked back in this run and still waits. Refused: it is wrong, or a button was
    pressed that no longer applies. None: nothing waits, or the message says something else.
    """
    kept, run_id = pending(draft, element.id), draft.run.run_id
    if draft.run.private.get(_DENIED) == [element.id, run_id]:
        return Refused("not_confirmed")
    if kept is not None and is_asked_in_this_run(draft):
        return Unsure(kept)
    pressed = _pressed_button(draft, element)
    if draft.clicked_value(element.id) in (YES, NO) and (
        kept is None or draft.value_clicked_now(element.id) is None
    ):
        return Refused("nothing_to_confirm")
    if kept is None:
        return None
    forget(draft)
    if pressed not in (None, YES, NO):
        return None
    messages = draft.messages()
    agrees, rest = confirms(messages[0], draft.language) if messages and not pressed else (pressed == YES, "")
    if agrees and _says_same(element, rest, kept, draft.language, today):
        hedged = kept.deal_breaker and not pressed and is_hedged_yes(messages[0])
        return Unsure(kept, "refuses") if hedged else kept
    if agrees is False and not rest:
        # The same no must not be read again as the answer to the question itself.
        draft.run.private[_DENIED] = [element.id, run_id]
        return Refused("not_confirmed")
    return Instead(rest) if agrees is False else None


def keep_waiting(kept: Valid | None, judged: Judgement) -> Judgement:
    """What was asked back (`kept`) still waits where the newest message says nothing that can be understood."""
    waits = kept is not None and isinstance(judged, Refused) and judged.code not in _ABOUT_KEPT
    return Unsure(kept) if waits and kept is not None else judged


_ABOUT_KEPT = frozenset({"not_confirmed", "nothing_to_confirm", "required"})
"""What is refused because of the answer that was asked back, or because the seller does not know."""


def _pressed_button(draft: Draft, element: Element) -> str | None:
    """The button that was pressed, or whose label was typed; another choice of the question is none."""
    clicked = draft.clicked_value(element.id)
    labels = {fold(say(f"choice.confirm.{key}", draft.language)): value for key, value in _LABELS.items()}
    return clicked if clicked is not None else labels.get(fold(draft.typed_text()))


def _says_same(element: Element, rest: str, kept: Valid, language: str, today: date) -> bool:
    """Is nothing else said after a yes than what waits for it?"""
    judged = judge(element, rest, language, today) if rest else kept
    guess = judged.guess if isinstance(judged, Unsure) else judged
    return isinstance(guess, Valid) and guess.value == kept.value


def sentence(draft: Draft, guess: Valid) -> str:
    """What was understood, as a question; where it ends the sale, what follows from a yes."""
    key = "block.confirm.refuses" if guess.deal_breaker else "block.confirm"
    return say(key, draft.language, answer=guess.shown)


def confirmation_block(
    draft: Draft,
    name: str,
    label: str,
    guess: Valid,
    *,
    position: int | None = None,
    total: int | None = None,
) -> Choices:
    """The two buttons below what was understood, in the place of the question of this name and label."""
    language = draft.language
    return Choices(
        name,
        sentence(draft, guess),
        (
            Choice(YES, say("choice.confirm.yes", language)),
            Choice(NO, say("choice.confirm.no", language)),
        ),
        hint=label,
        position=position,
        total=total,
    )
