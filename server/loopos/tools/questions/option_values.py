"""An option value that a model selects, held against a click or the seller's own words."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from server.agents import RunContext
from server.languages import split_question
from server.loopos.answers import (
    Element,
    ElementOption,
    Judgement,
    ProbableAnswer,
    Refused,
    SideRemark,
    Text,
    Valid,
    confirms,
    judge_selection,
)
from server.loopos.answers.certainty import doubts
from server.loopos.answers.clauses.asides import own_words, without_looks_of_parts
from server.loopos.answers.words import tokens
from server.loopos.core import Core
from server.loopos.tools.drafts.confirmation import (
    Correction,
    ask_back,
    is_asked_in_this_run,
    is_shown,
    keep_waiting,
    pending,
    to_settle,
    waiting_for_yes,
    words_about,
)
from server.loopos.tools.drafts.confirmation_block import sentence
from server.loopos.tools.drafts.denied_answers import settle_answer
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.product_traits import colours_of, told_colours
from server.loopos.tools.drafts.proposal_choices import BUTTONS
from server.loopos.tools.drafts.refused_words import error_at
from server.loopos.tools.drafts.selected_options import NO_VALUE, unlisted_value_of
from server.protocol.blocks import Block, Choices
from server.text_reading.words.sale_days import without_sale_days
from server.text_reading.words.sizes import without_denied_size


def block_name(kind: Any) -> str:
    """Return the name under which a click on one of its values arrives."""
    return f"option:{kind.id}"


def option_waits_for_yes(run: RunContext) -> bool:
    """Return whether an option was understood that the seller has not confirmed."""
    return any(name.startswith("option:") for name in waiting_for_yes(run))


async def judge_value(draft: Draft, product: Any, kind: Any, value: Any) -> Judgement:
    """Judge whether the seller said or clicked this value; a click on a value is always sure."""
    name, today = block_name(kind), datetime.now(UTC).date()
    clicked = draft.clicked_value(name)
    if draft.is_left(name):
        return Refused("nothing_to_confirm")
    if clicked not in (None, *BUTTONS):
        if clicked == str(value.id):
            return Valid(clicked, value.name)
        return Refused(
            "said_otherwise", {"said": next((v.name for v in kind.values if str(v.id) == clicked), "")}
        )
    if (judged := _judge_unlisted(draft, kind, value)) is not None:
        return judged
    readings = await readings_of(draft, product)
    element = as_question(readings, kind)
    asked, beside = draft.waiting_block() or "", _beside(draft, readings, kind)

    async def judge_heard(messages: Sequence[str]) -> Judgement:
        # In a thread: in many long messages it takes half a second.
        return await asyncio.to_thread(
            judge_selection,
            element,
            str(value.id),
            messages,
            draft.language,
            today,
            beside=beside,
            is_asked=asked == name,
            is_open=asked.startswith("option") or asked == "change",
        )

    messages = words_about(draft, name)
    messages = [
        without_denied_size(split_question(each)[0] or each) if at == 0 else each
        for at, each in enumerate(map(without_sale_days, messages))
    ]
    # The words are judged before anything is settled, so that other calls change nothing in between.
    said = await judge_heard(messages)
    kept = pending(draft, name)
    settled = settle_answer(draft, element, today)
    if isinstance(settled, Correction):
        return await judge_heard([settled.words, *messages[1:]])
    if settled is not None:
        return settled
    is_again = kept is not None and kept.value == str(value.id) and _is_named_again(draft, kind, value.name)
    if is_again or (kept is None and draft.chosen.get(kind.id) == value.id):
        return Valid(str(value.id), value.name)
    is_bare = isinstance(said, Valid) and _is_bare_elsewhere(draft, kind, value, asked)
    is_colour = said == Refused("not_said") and _is_told_colour(readings, element, str(value.id), messages)
    said = ProbableAnswer(Valid(str(value.id), value.name)) if is_bare or is_colour else said
    return keep_waiting(draft, name, kept, said)


def _is_bare_elsewhere(draft: Draft, kind: Any, value: Any, asked: str) -> bool:
    """Return whether the message is a value alone, beside another question, and the option has another one: `azul` or
    `é azul` to whether it works may put the colour right, or be a slip.
    """
    if (
        draft.chosen.get(kind.id) in (None, value.id, NO_VALUE)
        or asked.startswith("option")
        or asked == "change"
    ):
        return False
    return set(tokens(draft.typed_text())) <= {*tokens(value.name), "o", "a", "e", "the", "it", "its", "is"}


def _is_named_again(draft: Draft, kind: Any, value: str) -> bool:
    """Return whether the message names the value that waits for a yes, no other one, and softens or denies nothing."""
    text, words = draft.typed_text(), {*tokens(draft.typed_text())}
    named = [each.name for each in kind.values if {*tokens(each.name)} <= words]
    is_open = not is_shown(draft, block_name(kind)) or is_asked_in_this_run(draft, block_name(kind))
    if is_open or "?" in text or doubts(words) or named != [value]:
        return False
    return len(value) > 1 or bool(words & {"size", "tamanho", *tokens(kind.name)})


def _is_told_colour(readings: list[Any], element: Element, value: str, messages: Sequence[str]) -> bool:
    """Return whether this value alone has the colour that was told of the product: `Azul-celeste`, of a blue one."""
    names = frozenset(tokens(" ".join(f"{each.name} {each.category}" for each in readings)))
    own = own_words(element)
    told = told_colours([without_looks_of_parts(own, each) for each in messages], names)
    named = [each.value for each in element.options if told & colours_of(f"{each.label.pt} {each.label.en}")]
    return named == [value]


async def readings_of(draft: Draft, product: Any) -> list[Any]:
    """Return the product as both languages read it."""
    other = "en" if draft.language == "pt" else "pt"
    read = await draft.run.resource(Core).product(product.id, language=other)
    both = [product, product if read is None else read]
    return both if draft.language == "pt" else both[::-1]


def _judge_unlisted(draft: Draft, kind: Any, value: Any) -> Judgement | None:
    """Judge whether the seller takes no value, or keeps to one that the catalog does not have.

    A plain yes to what the catalog does not have agrees to none of the values. None where this says nothing.
    """
    noted, chosen = unlisted_value_of(draft.run, kind.id), draft.chosen.get(kind.id)
    if value.id == NO_VALUE:
        is_meant = noted is not None and noted.meant_in == draft.run.run_id
        return Valid(str(value.id), value.name) if is_meant or chosen == NO_VALUE else Refused("not_said")
    is_told = noted is not None and noted.told_in != draft.run.run_id and chosen is None
    is_told &= pending(draft, block_name(kind)) is None
    agrees = is_told and confirms(draft.typed_text(), draft.language) == (True, "")
    return Refused("not_said") if agrees else None


def _beside(draft: Draft, readings: list[Any], kind: Any) -> SideRemark:
    """Return the words of the product, of its other options and of their unlisted values: nothing of this one."""
    names = [readings[0].name, *(brand.name for brand in readings[0].brands)]
    kinds = [other for each in readings for other in each.option_types if other.id != kind.id]
    others = [name for each in kinds for name in (each.name, *(value.name for value in each.values))]
    categories = [each.category for each in readings]
    noted = (unlisted_value_of(draft.run, each.id) for each in readings[0].option_types if each.id != kind.id)
    return SideRemark(" ".join(names), (*categories, *others, *(each.said for each in noted if each)))


def as_question(readings: list[Any], kind: Any) -> Element:
    """Return the option type as a question in both languages, its values in the order of the catalog."""
    kinds = [next((each for each in read.option_types if each.id == kind.id), kind) for read in readings]
    names = [{value.id: value.name for value in each.values} for each in kinds]

    def text_of(value: Any) -> Text:
        return Text(*(each.get(value.id, value.name) for each in names))

    options = tuple(ElementOption(str(value.id), text_of(value)) for value in kind.values)
    return Element(
        block_name(kind), "select", Text(*(each.name for each in kinds)), required=True, options=options
    )


def option_to_settle(draft: Draft, product: Any) -> Any:
    """Return the option to ask again, or to ask back first, in the order of the catalog; None where there is none."""
    name = to_settle(draft, [block_name(kind) for kind in product.option_types])
    return next((kind for kind in product.option_types if block_name(kind) == name), None)


def _is_talked_past(draft: Draft, name: str) -> bool:
    """Return whether the message says something else than yes or no to what was asked back before it."""
    newest = next(iter(draft.messages()), "")
    return not is_asked_in_this_run(draft, name) and bool(confirms(newest, draft.language)[1])


def _with_error(block: Block, reason: str) -> Block:
    """Return what stands for an option, marked with why the answer to it was refused."""
    return replace(block, error=reason) if isinstance(block, Choices) else block


def refuse_value(
    draft: Draft,
    product: Any,
    kind: Any,
    judged: ProbableAnswer | Refused,
    block: Callable[[Draft, Any], Block],
    waited: Valid | None = None,
) -> dict[str, Any]:
    """Ask the seller whether it is this value, or what else it is; `block` makes what stands for the option then.

    Of several that are asked back at once the first of the catalog is shown; the others follow in turn. A value that
    `waited` for a yes already stands where it stood, with an error.
    """
    name = block_name(kind)
    if isinstance(judged, Refused):
        reason = judged.text_in(draft.language)
        if judged.code == "not_confirmed" or draft.waiting() == name:
            draft.ask(_with_error(block(draft, kind), reason), name, again=True, in_place=True)
        return {"ok": False, "code": judged.code, "reason": reason}
    ask_back(draft, name, judged)
    first = option_to_settle(draft, product)
    error = error_at(draft, name) if first is kind and judged.guess == waited else ""
    if first is kind or draft.waiting() != block_name(first) or _is_talked_past(draft, block_name(first)):
        marked = _with_error(block(draft, first), error)
        draft.ask(marked, block_name(first), again=True, in_place=bool(error))
    told = {"ok": False, "code": "confirm", "reason": sentence(draft, judged.guess)}
    told |= {"unread": error} if error and judged.reason == "unread" else {}
    return told | {"understood": judged.guess.shown}
