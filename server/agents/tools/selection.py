"""An option value that a model selects, held against a click or the seller's own words."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from server.agents.context import RunContext
from server.agents.tools.confirmation import (
    NO,
    YES,
    Instead,
    ask_back,
    asked_in_this_run,
    pending,
    sentence,
    settle,
    waits_for_yes,
)
from server.agents.tools.draft import Draft
from server.html.blocks import Block
from server.protocol.answers import (
    Element,
    ElementOption,
    Judgement,
    Refused,
    Text,
    Unsure,
    Valid,
    judge_selection,
)


def block_name(kind: Any) -> str:
    """The name under which a click on one of its values arrives."""
    return f"option:{kind.id}"


def option_waits_for_yes(run: RunContext) -> bool:
    """Was an option understood that the seller has not confirmed?"""
    return waits_for_yes(run).startswith("option:")


async def judge_value(draft: Draft, product: Any, kind: Any, value: Any) -> Judgement:
    """Judge whether the seller said or clicked this value; a click on a value is always sure."""
    name, today = block_name(kind), datetime.now(UTC).date()
    clicked = draft.clicked(name)
    if clicked not in (None, YES, NO):
        if clicked == str(value.id):
            return Valid(clicked, value.name)
        return Refused(
            "said_otherwise", {"said": next((v.name for v in kind.values if str(v.id) == clicked), "")}
        )
    element = await _as_question(draft, product, kind)
    settled = settle(draft, element, today)
    if settled is not None and not isinstance(settled, Instead):
        return settled
    if draft.chosen.get(kind.id) == value.id:
        return Valid(str(value.id), value.name)
    messages = draft.messages()
    if isinstance(settled, Instead):
        messages = [settled.words, *messages[1:]]
    beside = " ".join([product.name, *(brand.name for brand in product.brands)])
    return judge_selection(
        element, str(value.id), messages, draft.language, today, beside=beside, is_asked=draft.asked() == name
    )


async def _as_question(draft: Draft, product: Any, kind: Any) -> Element:
    """The option type as a question in both languages, its values in the order of the catalog."""
    names: dict[str, dict[int, str]] = {}
    for language in ("pt", "en"):
        read = (
            product
            if language == draft.language
            else await draft.run.core.product(product.id, language=language)
        )
        kinds = read.option_types if read is not None else ()
        names[language] = {
            value.id: value.name for each in kinds if each.id == kind.id for value in each.values
        }

    def said(value: Any) -> Text:
        return Text(*(names[language].get(value.id, value.name) for language in ("pt", "en")))

    options = tuple(ElementOption(str(value.id), said(value)) for value in kind.values)
    return Element(block_name(kind), "select", Text(kind.name, kind.name), required=True, options=options)


def refuse_value(
    draft: Draft, kind: Any, judged: Unsure | Refused, block: Callable[[Draft, Any], Block]
) -> dict[str, Any]:
    """Ask the seller whether it is this value, or what else it is; `block` makes what stands for the option then."""
    name = block_name(kind)
    if isinstance(judged, Refused):
        if judged.code == "not_confirmed":
            draft.ask(block(draft, kind), name, again=True)
        return {"ok": False, "code": judged.code, "reason": judged.said(draft.language)}
    if not (pending(draft, name) and asked_in_this_run(draft)):
        ask_back(draft, name, judged)
        draft.ask(block(draft, kind), name, again=True)
    reason = sentence(draft, judged.guess)
    return {"ok": False, "code": "confirm", "reason": reason, "understood": judged.guess.shown}
