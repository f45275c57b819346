"""An answer that waits for the seller's yes: it was not sure, or it would end the sale."""

from typing import Any

from server.agents.tools.draft import Draft
from server.agents.tools.wording import say
from server.html.blocks import Choice, Choices
from server.protocol.answers import Element, Unsure, Valid

YES, NO = "answer:right", "answer:wrong"
"""The values of the two buttons. No option of a catalog has a colon in its value."""

_KEY = "confirm"


def ask_back(draft: Draft, element: Element, judged: Unsure) -> None:
    """Keep what was understood until the seller confirms it."""
    guess = judged.guess
    draft.run.private[_KEY] = {
        "element_id": element.id,
        "value": guess.value,
        "shown": guess.shown,
        "deal_breaker": guess.deal_breaker,
    }


def pending(draft: Draft, element: Element) -> Valid | None:
    """What waits for a yes at this question."""
    kept: dict[str, Any] | None = draft.run.private.get(_KEY)
    if kept is None or kept["element_id"] != element.id:
        return None
    return Valid(kept["value"], kept["shown"], kept["deal_breaker"])


def forget(draft: Draft) -> None:
    """Nothing waits for a yes any more."""
    draft.run.private.pop(_KEY, None)


def sentence(draft: Draft, guess: Valid) -> str:
    """What was understood, as a question; where it ends the sale, what follows from a yes."""
    key = "block.confirm.refuses" if guess.deal_breaker else "block.confirm"
    return say(key, draft.language, answer=guess.shown)


def confirmation_block(draft: Draft, element: Element, guess: Valid, *, position: int, total: int) -> Choices:
    """The two buttons below what was understood, in the place of the question."""
    language = draft.language
    return Choices(
        element.id,
        sentence(draft, guess),
        (
            Choice(YES, say("choice.confirm.yes", language)),
            Choice(NO, say("choice.confirm.no", language)),
        ),
        hint=element.label.said(language),
        position=position,
        total=total,
    )
