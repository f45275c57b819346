"""The options of the confirmed product: which variant it is, one value for each option type."""

from dataclasses import replace
from typing import Any

from server import patterns
from server.agents import RunContext, ToolContext, tool
from server.languages import LOCALES, fold
from server.loopos.answers import ProbableAnswer, Refused, Valid
from server.loopos.answers.clauses.asides import without_looks_of_parts
from server.loopos.answers.clauses.faults import fault_clauses
from server.loopos.answers.words import tokens
from server.loopos.core import Core, Item
from server.loopos.tools.drafts.confirmation import forget, is_asked_in_this_run, pending
from server.loopos.tools.drafts.confirmation_block import confirmation_block
from server.loopos.tools.drafts.confirmed_product import confirmed_product
from server.loopos.tools.drafts.draft import Draft, typed_place
from server.loopos.tools.drafts.earlier_items import of_earlier
from server.loopos.tools.drafts.other_items import drop_taken_back
from server.loopos.tools.drafts.proposal_choices import BUTTONS, MOST_OTHERS, choices_with_yes
from server.loopos.tools.drafts.refused_words import answers_nothing, error_at
from server.loopos.tools.drafts.selected_options import (
    NO_VALUE,
    note_refused,
    open_option,
    unlisted_value_of,
)
from server.loopos.tools.drafts.switched_items import switch_result
from server.loopos.tools.questions.early_facts import told_questions
from server.loopos.tools.questions.early_price import note_early_amount
from server.loopos.tools.questions.option_values import (
    block_name,
    judge_value,
    option_to_settle,
    option_waits_for_yes,
    refuse_value,
)
from server.loopos.tools.questions.unlisted_options import (
    NEEDS_ALL,
    needs_all,
    none_of,
    note_unlisted,
    told_value,
)
from server.loopos.tools.tool_words import say
from server.protocol.blocks import Choice, Choices

FIRST = 5
_DENIED = patterns.compile(
    r" (?:not|nao|nem|sem|without)(?: (?:e|sao|bem)){0,2}(?: (?:the|an?|o|um|uma))? (?!(?:the|an?|o|um|uma) )\w+(?= )"
)
"""A word that is denied right before it, which suggests nothing: `not music`."""
_DENIED_BY_NO = patterns.compile(r" no \w+(?= )")
"""The same behind `no`, which is `in the` in Portuguese."""


def suggested_value(values: list[Any], heard: str, language: str) -> Any | None:
    """Return the one value that the seller already wrote, if it is one, undenied and no part of a longer one."""
    text = _DENIED.sub(" ", f" {fold(heard)} ")
    text = text if language == "pt" else _DENIED_BY_NO.sub(" ", text)
    gone = {word for each in _DENIED.findall(f" {fold(heard)} ") for word in each.split()[-1:]}
    named = [v for v in values if f" {fold(v.name)} " in text and gone.isdisjoint(fold(v.name).split())]
    longest = [v for v in named if not any(v is not w and fold(v.name) in fold(w.name) for w in named)]
    return longest[0] if len(longest) == 1 else None


def option_block(draft: Draft, kind: Any) -> Choices:
    """Return the values of one option type, the suggested one first; or what was understood of the seller's words."""
    guess = pending(draft, block_name(kind))
    if guess is not None:
        proposed = choices_with_yes(_other_values(draft, kind, guess), draft.language)
        return confirmation_block(draft, block_name(kind), kind.name, guess, proposed)
    language, present = draft.language, draft.chosen.get(kind.id)
    suggestion = suggested_value(kind.values, _heard_of(draft, kind), language) if present is None else None
    noted = unlisted_value_of(draft.run, kind.id)
    suggestion = None if noted is not None and noted.said else suggestion
    ordered = sorted(kind.values, key=lambda value: value is not suggestion)
    notes = {present: say("choice.present", language)}
    if noted is not None and noted.said and present is None and not needs_all(draft):
        notes[NO_VALUE] = say("choice.none.note", language, said=noted.said)
    if suggestion is not None:
        notes[suggestion.id] = say("choice.suggested", language)
    choices = tuple(Choice(str(v.id), v.name, notes.get(v.id, "")) for v in ordered)
    none = (_none_choice(draft, notes.get(NO_VALUE, "")),)
    choices = (*none, *choices) if NO_VALUE in notes and present is None else (*choices, *none)
    first = FIRST if len(choices) > FIRST + 1 else None
    hint = say("block.options.needed", language) if needs_all(draft) else ""
    return Choices(
        block_name(kind), kind.name, choices, hint, first=first, change=_change(draft, kind), in_place=True
    )


def _heard_of(draft: Draft, kind: Any) -> str:
    """Return what the seller wrote of the product, without the colours of parts that this option does not name."""
    draft.hear()
    own = {word for each in (kind, *kind.values) for word in tokens(each.name)}
    return " ".join(without_looks_of_parts(own, each) for each in reversed(draft.messages()))


def _other_values(draft: Draft, kind: Any, guess: Valid) -> tuple[Choice, ...]:
    """Return the values beside the proposed one and what stands for none of them; none where they are too many."""
    values = tuple(Choice(str(each.id), each.name) for each in kind.values if str(each.id) != guess.value)
    others = (*values, _none_choice(draft, ""))
    return others if len(others) <= MOST_OTHERS else ()


def _none_choice(draft: Draft, note: str) -> Choice:
    """Return the choice that leaves an option out, or leads to another product where the Core needs a value."""
    if needs_all(draft):
        return Choice("product", say("choice.product.no", draft.language), name="change")
    return Choice(str(NO_VALUE), none_of(draft.language).name, note)


def values_of(draft: Draft, kind: Any) -> list[Any]:
    """Return the values of an option with what stands for none of them, the last; without it where one is needed."""
    return [*kind.values] if needs_all(draft) else [*kind.values, none_of(draft.language)]


def _change(draft: Draft, kind: Any) -> Choice:
    """Return the quiet button that opens this option again."""
    label = say("choice.change.label", draft.language, name=kind.name)
    return Choice(block_name(kind), label, name="change")


def _ask_whether_all(draft: Draft, *, error: str) -> None:
    """Ask the seller to review the values when all are from one message, before the item is made."""
    language = draft.language
    yes = Choice("yes", say("choice.options.yes", language))
    no = Choice("no", say("choice.options.no", language))
    block = Choices("options", say("block.options", language), (yes, no), error=error)
    draft.ask(block, "options", in_place=bool(error))


def open_needed_options(draft: Draft, product: Any) -> str:
    """Open the options that are left out, since the Core needs a value of each; return why, for the model.

    From now on each offers another product in place of none of its values.
    """
    needed = [kind for kind in product.option_types if draft.chosen.get(kind.id) == NO_VALUE]
    for kind in needed:
        open_option(draft.run, kind.id, kind.name)
    draft.run.private[NEEDS_ALL] = product.id
    names = ", ".join(kind.name for kind in needed)
    return f"Not created: a value is needed of {names}. Say so, and that another item or a person is the way out."


def choices_to_change(draft: Draft, product: Any) -> tuple[Choice, ...]:
    """Return the option types with what was chosen, as choices of what to change."""
    chosen = draft.run.state.get("options") or {}
    return tuple(
        Choice(block_name(kind), kind.name, chosen.get(kind.name, ""), "change")
        for kind in product.option_types
    )


def _ask_what_changes(draft: Draft, product: Any) -> None:
    """Ask the seller, who says that not all is right, what is wrong."""
    legend = say("block.change.what", draft.language)
    error = error_at(draft, "change", "block.change.missed")
    block = Choices("change", legend, choices_to_change(draft, product), error=error)
    draft.ask(block, "change", in_place=bool(error))


def names_of(product: Any, chosen: dict[int, int]) -> dict[str, str]:
    """Return the chosen values as the seller reads them."""
    return {
        kind.name: value.name
        for kind in product.option_types
        for value in kind.values
        if chosen.get(kind.id) == value.id
    }


def _next(
    draft: Draft, product: Any, *, wanted: Any = None, keep: bool = False
) -> tuple[dict[str, Any] | None, str, int]:
    """Show what comes next; returns the next option type, what is shown and how many are left."""
    chosen = draft.chosen
    left = [kind for kind in product.option_types if kind.id not in chosen]
    draft.run.set_state(options_left=len(left))
    asked = wanted or option_to_settle(draft, product) or next(iter(left), None)
    if asked is not None:
        name, is_new = block_name(asked), keep or wanted or is_confirmed_in_this_run(draft.run)
        is_new = is_new or is_asked_in_this_run(draft, name)
        error = "" if is_new else _error_at(draft, asked)
        draft.ask(replace(option_block(draft, asked), error=error), name, in_place=bool(error))
        unread = {"unread": error} if error and pending(draft, name) else {}
        return {"option_type_id": asked.id, "name": asked.name, **unread}, "choices", len(left)
    if draft.has_item():
        return None, "none", 0
    if product.option_types and (keep or is_confirmed_in_this_run(draft.run) or draft.waiting() == "options"):
        _ask_whether_all(draft, error="" if keep else error_at(draft, "options", "choice.options.missed"))
        return None, "confirm", 0
    return None, "none", 0


def _error_at(draft: Draft, kind: Any) -> str:
    """Return what to write instead of an answer that names no value, or none to what was understood before it."""
    name = block_name(kind)
    if pending(draft, name) or not answers_nothing(draft, name):
        return error_at(draft, name)
    quoted = LOCALES[draft.language].quotes
    names = "; ".join(quoted.format(each.name) for each in kind.values[:MOST_OTHERS])
    return Refused("not_an_option", {"options": names}).text_in(draft.language)


def _unlisted_to_tell(draft: Draft, product: Any, following: dict[str, Any] | None) -> dict[str, Any]:
    """Return what the catalog does not have: of an option told in this message, else of the one that is asked."""
    asked = following["option_type_id"] if following else None
    told = {kind.id: told_value(draft, kind) for kind in product.option_types}
    new = (each for each in told.values() if each and each["unlisted"]["is_new"])
    return next(new, told.get(asked, {}))


async def give_chosen_options(draft: Draft, item: Item) -> Item:
    """Return the item with the options that were chosen before it was made.

    It has others where the seller edits an earlier message: the item of the first version is the only one, and what
    the seller says in the new version counts.
    """
    run, wanted = draft.run, draft.run.state.get("option_value_ids") or []
    is_new = run.private.pop("uncompared", False)
    same_product = item.product_id == draft.product_id and item.status != "withdrawn"
    if not (is_new and draft.chosen and same_product) or wanted == sorted(item.option_value_ids):
        return item
    return await run.resource(Core).change_item(
        item.id,
        run.principal,
        option_value_ids=wanted,
        seen=sorted(item.option_value_ids),
        language=draft.language,
    )


def _all_seen(draft: Draft, product: Any) -> bool:
    """Return whether the seller saw every chosen option and yet no item was made of them."""
    if option_waits_for_yes(draft.run):
        return False
    left = [kind for kind in product.option_types if kind.id not in draft.chosen]
    seen = not is_confirmed_in_this_run(draft.run) and (draft.waiting() != "options" or draft.refuses())
    return bool(product.option_types) and not left and seen and not draft.has_item()


async def _tells_later(draft: Draft) -> bool:
    """Return whether the typed message tells what a question of the item asks later, or a fault of it."""
    message = next(iter(draft.messages()), "")
    is_typed = not any(part.get("type") == "answer" for part in draft.run.input)
    if not is_typed or draft.product_id is None:
        return False
    asked = [each for each in await draft.run.resource(Core).protocol(draft.product_id) if each.asks]
    return bool(fault_clauses(message) or await told_questions(asked, message, draft.language))


def _wanted_option(draft: Draft, product: Any, change: int | None) -> Any:
    """Return the option that the seller wants to change: clicked, or what the model understood."""
    clicked = draft.clicked_value("change")
    named = clicked or f"option:{change}"
    return next((kind for kind in product.option_types if block_name(kind) == named), None)


def fold_option(draft: Draft, kind: Any, value: Any) -> None:
    """Fold the option to its value."""
    answer = {"value": str(value.id), "label": value.name}
    draft.fold_question(option_block(draft, kind), block_name(kind), answer)


def is_confirmed_in_this_run(run: RunContext) -> bool:
    """Return whether the product was confirmed in this very run, so that the seller has not seen the options yet."""
    return run.private.get("confirmed_in") == run.run_id


def _public_options(result: dict[str, Any]) -> dict[str, Any]:
    """Show the browser how many there are."""
    return {"total": len(result["option_types"])} if "option_types" in result else {}


@tool(effect="read", result=_public_options, icon="sliders", scopes=("catalog:read",))
async def get_product_options(
    ctx: ToolContext[RunContext], change: int | None = None, keep: bool = False
) -> dict[str, Any]:
    """The option types of the confirmed product with their values, and which are chosen.

    The next open one is shown to the seller as buttons. `kept_early`: the newest message tells a price or facts that
    later questions ask, which are kept and asked back then. `unlisted`: what the seller called the item is none of
    the values of this option; say so, and that the value 0 leaves it out. Where they mean that (`is_meant`), select 0.
    `reason`: it asks for the price of an earlier item, or to begin another one, to be told; with `switch` it is asked
    whether that one begins now.

    Args:
        change: The option_type_id that the seller calls wrong without saying what is right: that one is shown.
        keep: The seller leaves everything as it was after all: what was asked before is asked again.
    """
    draft = Draft(ctx.context)
    draft.hear()
    drop_taken_back(draft)
    product = await confirmed_product(draft)
    await note_unlisted(draft, product)
    wanted = None if keep else _wanted_option(draft, product, change)
    if wanted is not None or keep:
        forget(draft, (draft.waiting() or "") if wanted is None else block_name(wanted))
    earlier = of_earlier(draft.run)
    kept_early = note_early_amount(draft, product) or await _tells_later(draft)
    following, shown = None, "what_changes"
    if wanted is None and not keep and _all_seen(draft, product):
        _ask_what_changes(draft, product)
    else:
        following, shown, _ = _next(draft, product, wanted=wanted, keep=keep)
    chosen = draft.chosen
    return {
        "product": product.name,
        "option_types": [
            {
                "option_type_id": kind.id,
                "name": kind.name,
                "values": [
                    {"option_value_id": each.id, "name": each.name} for each in values_of(draft, kind)
                ],
                "chosen": chosen.get(kind.id),
            }
            for kind in product.option_types
        ],
        "next": following,
        "shown": shown,
        "kept_early": kept_early,
        **_unlisted_to_tell(draft, product, following),
        **({"reason": Refused("other_item", earlier).text_in(draft.language)} if earlier else {}),
        **(await switch_result(draft)),
    }


def _public_option(result: dict[str, Any]) -> dict[str, Any]:
    """Show the browser what was chosen, or why nothing was."""
    if result.get("ok"):
        return {"name": result["name"], "value": result["value"]}
    return {"code": result["code"]} if "code" in result else {}


@tool(effect="idempotent", result=_public_option, icon="check", scopes=("catalog:read",))
async def select_option(
    ctx: ToolContext[RunContext], option_type_id: int, option_value_id: int
) -> dict[str, Any]:
    """Keep one option value that the seller said or clicked. Choosing again replaces the earlier value.

    With code `confirm` the seller is asked whether it is this value: end your turn, and call it again with the same
    value after their answer. Several values that are not sure are asked back one after the other, in whatever
    order they are selected. `kept_early`: the message tells what a later question asks, and is asked back there.
    With any other code the seller did not say this value: ask which one it is.

    Args:
        option_type_id: From get_product_options.
        option_value_id: A value of that option type; 0 where the seller says that it is none of them.
    """
    draft = Draft(ctx.context)
    draft.hear()
    product = await confirmed_product(draft)
    if draft.has_item():
        return {"ok": False, "reason": "The item exists already: change_item corrects its options."}
    kind = next((each for each in product.option_types if each.id == option_type_id), None)
    wanted = typed_place(draft, block_name(kind)) if kind else None
    wanted = wanted if wanted not in (None, *BUTTONS) else str(option_value_id)
    value = next((each for each in values_of(draft, kind) if str(each.id) == wanted), None) if kind else None
    if kind is None or value is None:
        return {"ok": False, "reason": "Not a value of this product: call get_product_options."}
    note_early_amount(draft, product)
    await note_unlisted(draft, product)
    waits = pending(draft, block_name(kind)) is not None and not is_asked_in_this_run(draft, block_name(kind))
    waited = pending(draft, block_name(kind)) if waits else None
    judged = await judge_value(draft, product, kind, value)
    if not isinstance(judged, Valid):
        note_refused(draft.run, kind.id)
        told = refuse_value(draft, product, kind, judged, option_block, waited)
        is_beside = waits and isinstance(judged, ProbableAnswer) and await _tells_later(draft)
        return told | {"kept_early": True} if is_beside else told
    forget(draft, block_name(kind))
    value = next(each for each in values_of(draft, kind) if str(each.id) == judged.value)
    draft.choose(kind.id, value.id, names_of(product, {**draft.chosen, kind.id: value.id}))
    reviewed = draft.waiting() in ("options", "change")
    if reviewed:
        draft.fold(None)
    fold_option(draft, kind, value)
    # Where the app asks before an item is made, its question shows the options again.
    reviewed &= (
        draft.clicked_value(block_name(kind)) is None and "create_item" not in draft.run.rules.approvals
    )
    following, shown, remaining = _next(draft, product, keep=reviewed)
    return {
        "ok": True,
        "option_type_id": kind.id,
        "name": kind.name,
        "value": value.name,
        "next": following,
        "remaining": remaining,
        "shown": shown,
        **_unlisted_to_tell(draft, product, following),
    }
