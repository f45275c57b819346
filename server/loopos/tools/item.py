"""The item: created once and only as the seller has confirmed it, changed where the seller says that it is wrong."""

from typing import Any

from server import patterns
from server.agents import RunContext, ToolContext, ToolFailure, tool
from server.languages import fold
from server.loopos.answers import PRICE, Element, Refused, Valid, confirms, denies
from server.loopos.answers.judges.values_behind_yes import means_other
from server.loopos.core import Core, ItemChanged, ItemRefused
from server.loopos.tools.drafts.confirmation import forget
from server.loopos.tools.drafts.confirmed_product import confirmed_product
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.pictures import keep_pictures
from server.loopos.tools.drafts.selected_options import (
    NO_VALUE,
    has_chosen,
    refused_options,
    value_ids_of,
)
from server.loopos.tools.options import (
    fold_option,
    is_confirmed_in_this_run,
    names_of,
    open_needed_options,
    option_block,
)
from server.loopos.tools.questions.early_price import note_early_amount
from server.loopos.tools.questions.item_questions import Questions, count_left
from server.loopos.tools.questions.option_values import (
    block_name,
    judge_value,
    option_to_settle,
    option_waits_for_yes,
    refuse_value,
)
from server.loopos.tools.questions.price import ask_told_price, prepare_price
from server.loopos.tools.questions.shown_questions import questions_of, show_next
from server.loopos.tools.questions.side_changes import ask_changes_beside
from server.loopos.tools.questions.unlisted_options import (
    NEEDS_ALL,
    keep_unlisted_values,
    none_of,
    note_unlisted,
)


def ready(run: RunContext) -> bool:
    """Return whether the item may be created: product confirmed, every option chosen, and seen by the seller."""
    state = run.state
    if not state.get("product_id") or state.get("options_left") != 0 or state.get("item_id"):
        return False
    if option_waits_for_yes(run) or _is_denied(run):
        return False
    return not state.get("options") or not is_confirmed_in_this_run(run)


def _is_denied(run: RunContext) -> bool:
    """Return whether the seller, who was asked whether to create the item, denies something that was not put right.

    A value that was selected and refused in this run is not put right. A denial behind a yes is about something
    else, unless it names a chosen value.
    """
    draft = Draft(run)
    if draft.waiting_block() != "options":
        return False
    if refused_options(run):
        return True
    said = draft.typed_text()
    agrees, rest = confirms(said, draft.language)
    if has_chosen(run) or (agrees and means_other(rest, draft.language)):
        return not has_chosen(run)
    if not denies(said, draft.language):
        return False
    chosen = {word for value in (run.state.get("options") or {}).values() for word in fold(value).split()[:1]}
    is_yes = agrees and not _YES_DENIED.match(said)
    return not is_yes or not chosen.isdisjoint(fold(said).split())


_YES_DENIED = patterns.compile(
    r"\s*\w+(?:\s+(?:n[aã]o|not|isn)\b|\W+(?:n[aã]o|no|nope)\W*$)", patterns.IGNORECASE
)
"""A word for yes that a denial follows at once, or a no alone: `isso não está certo`, `sim, não`."""


def _public_item(result: dict[str, Any]) -> dict[str, Any]:
    """Show the browser the reference."""
    return {"reference": result["reference"]} if "reference" in result else {}


def _confirmed_arguments(run: RunContext) -> dict[str, Any]:
    """Return the arguments that the seller has confirmed."""
    return {
        "product_id": run.state.get("product_id"),
        "brand_id": run.state.get("brand_id"),
        "option_value_ids": value_ids_of(run),
    }


def _key(run: RunContext, arguments: dict[str, Any]) -> str | None:
    """Return the business key: one item for each round of the conversation, under any call id.

    A call that will be refused has no key.
    """
    try:
        asked = {**arguments, "option_value_ids": sorted(set(arguments["option_value_ids"]))}
    except (KeyError, TypeError):
        return None
    return Draft(run).business_key if ready(run) and asked == _confirmed_arguments(run) else None


def _nobody_asked(run: RunContext, arguments: dict[str, Any]) -> str | None:
    """Return no question for a call that will be refused or has happened; None leaves the others to the app."""
    return "" if _key(run, arguments) is None else None


def _seen_draft(run: RunContext, _arguments: dict[str, Any]) -> dict[str, str]:
    """Return the confirmed draft, to which the seller says yes."""
    state = run.state
    return {"product": state["product"], "brand": state["brand"], **(state.get("options") or {})}


@tool(
    effect="once",
    result=_public_item,
    business_key=_key,
    keyed=True,
    approval=_nobody_asked,
    pairs=_seen_draft,
    icon="box",
    scopes=("catalog:read", "items:write"),
)
async def create_item(
    ctx: ToolContext[RunContext], product_id: int, brand_id: int, option_value_ids: list[int]
) -> dict[str, Any]:
    """Create the item in LoopOS Core. Call it exactly once, with the confirmed values.

    Args:
        product_id: The confirmed product.
        brand_id: The confirmed brand.
        option_value_ids: All chosen option values, without those that are left out; [] when there are none.
    """
    run, draft = ctx.context, Draft(ctx.context)
    draft.hear()
    product = await confirmed_product(draft)
    note_early_amount(draft, product)
    if run.state.get("item_id"):
        return {"item_id": run.state["item_id"], "reference": run.state["reference"]}
    if not ready(run):
        raise ToolFailure(
            "Not every option is chosen and seen: hand back to the options agent.", code="not_ready"
        )
    confirmed = _confirmed_arguments(run)
    asked = {
        "product_id": product_id,
        "brand_id": brand_id,
        "option_value_ids": sorted(set(option_value_ids)),
    }
    if asked != confirmed:
        raise ToolFailure(f"Not what the seller confirmed. Use {confirmed}.", code="not_confirmed")
    run.progress(0.5, "tool.create_item.step.register", "2/2")
    item = await _create(draft, product, confirmed)
    run.private["item_token"] = item.token
    keep_unlisted_values(draft, product)
    await keep_pictures(draft, item)
    draft.fold(None)
    run.set_state(item_id=item.id, reference=item.reference, status="draft")
    return {"item_id": item.id, "reference": item.reference}


async def _create(draft: Draft, product: Any, confirmed: dict[str, Any]) -> Any:
    """Return the new item; ToolFailure `option_needed` where the Core needs a value of an option that is left out."""
    run = draft.run
    try:
        return await run.resource(Core).create_item(
            principal=run.principal,
            session_id=run.session_id,
            **confirmed,
            business_key=draft.business_key,
            language=draft.language,
        )
    except ItemRefused as refused:
        if refused.reason != "option_missing" or NO_VALUE not in draft.chosen.values():
            raise
        raise ToolFailure(open_needed_options(draft, product), code="option_needed") from refused


Change = tuple[Any, Any]
"""An option type and the value that it is to have."""


class _Unfit(Exception):
    """A reason why a wished value cannot be taken, for the model."""


def _wished_changes(draft: Draft, product: Any, option_value_ids: list[int]) -> list[Change]:
    """Return the wished values with their option types, one of each; none of the values is of the option asked."""
    found: list[Change] = []
    for kind in product.option_types:
        values = [value for value in kind.values if value.id in option_value_ids]
        is_asked = block_name(kind) == draft.waiting_block() or draft.clicked_value(block_name(kind)) == "0"
        values += [none_of(draft.language)] if NO_VALUE in option_value_ids and is_asked else []
        if len(values) > 1:
            raise _Unfit(f"One value only of: {kind.name}.")
        found += [(kind, value) for value in values]
    if not found or len(found) != len(set(option_value_ids)):
        raise _Unfit("Not values of this product: call get_product_options.")
    return found


async def _judge_changes(
    draft: Draft, product: Any, wished: list[Change]
) -> tuple[list[Change], dict[str, Any] | None]:
    """Return the wished values that are sure, and what to tell the model of the first one that is not, if any."""
    sure: list[Change] = []
    unsaid: dict[str, Any] | None = None
    for kind, value in wished:
        judged = await judge_value(draft, product, kind, value)
        if isinstance(judged, Valid) and judged.value != str(value.id):
            judged = Refused("said_otherwise", {"said": judged.shown})
        if isinstance(judged, Valid):
            sure.append((kind, value))
            continue
        told = refuse_value(draft, product, kind, judged, option_block)
        unsaid = unsaid or told
    return sure, unsaid


def _adopt(draft: Draft, product: Any, item: Any) -> None:
    """Keep the options as the item has them."""
    values = set(item.option_value_ids)
    chosen = {
        kind.id: next((value.id for value in kind.values if value.id in values), NO_VALUE)
        for kind in product.option_types
    }
    for kind_id, value_id in chosen.items():
        draft.choose(kind_id, value_id, names_of(product, chosen))


def _fold_changes(draft: Draft, sure: list[Change], seen: dict[int, int]) -> None:
    """Fold the options that have changed; of the others nothing is shown."""
    for kind, value in sure:
        forget(draft, block_name(kind))
        if seen.get(kind.id) != value.id or draft.waiting() == block_name(kind):
            fold_option(draft, kind, value)


async def _show_after_change(draft: Draft, product: Any, questions: Questions, item: Any) -> Element | None:
    """Show the next option that is asked back, else what comes next of the questions; returns the question."""
    waiting = option_to_settle(draft, product)
    if waiting is None:
        return await show_next(questions, item)
    draft.ask(option_block(draft, waiting), block_name(waiting))
    return None


async def _change(draft: Draft, product: Any, wanted: dict[int, int]) -> Any:
    """Return the item with these options, or for the model why it does not have them."""
    run = draft.run
    try:
        return await run.resource(Core).change_item(
            run.state["item_id"],
            run.principal,
            option_value_ids=sorted(value for value in wanted.values() if value != NO_VALUE),
            seen=value_ids_of(run),
            language=draft.language,
        )
    except ItemRefused as refused:
        if refused.reason != "option_missing" or NO_VALUE not in wanted.values():
            raise
        run.private[NEEDS_ALL] = product.id
        return "The item needs a value of each option: say so, it stays as it was."
    except ItemChanged:
        item = await run.resource(Core).item(run.state["item_id"], run.principal, language=draft.language)
        _adopt(draft, product, item)
        return f"The item has changed meanwhile, it is now {item.options}: try again."


def _public_change(result: dict[str, Any]) -> dict[str, Any]:
    """Show the browser what is different now, or why nothing is."""
    if result.get("ok"):
        return {"value": ", ".join(result["changed"].values())}
    return {"code": result["code"]} if "code" in result else {}


@tool(effect="idempotent", result=_public_change, icon="sliders", scopes=("catalog:read", "items:write"))
async def change_item(ctx: ToolContext[RunContext], option_value_ids: list[int]) -> dict[str, Any]:
    """Correct options of the item that exists: it stays the same item, with its reference and its answers.

    What the change makes stale is asked again. The next question, or the item as it is now, is shown to the seller.
    With code `confirm` a value is asked back; `changed` are those that were sure and are changed already.

    Args:
        option_value_ids: All values that the seller corrected, from get_product_options; the others stay. 0 where it
            is none of the values of the option that is asked.
    """
    run, draft = ctx.context, Draft(ctx.context)
    draft.hear()
    product, questions = await confirmed_product(draft), await questions_of(draft)
    await note_unlisted(draft, product)
    try:
        wished = _wished_changes(draft, product, option_value_ids)
    except _Unfit as unfit:
        return {"ok": False, "reason": str(unfit)}
    seen = draft.chosen
    sure, unsaid = await _judge_changes(draft, product, wished)
    if all(each.kind == "price" for each in questions.open()):
        item = await run.resource(Core).item(run.state["item_id"], run.principal, language=draft.language)
        await ask_told_price(questions, item)
        ask_changes_beside(questions, PRICE)
    wanted = {**seen, **{kind.id: value.id for kind, value in sure}}
    if unsaid is not None and wanted == seen:
        return unsaid
    item = await _change(draft, product, wanted)
    if isinstance(item, str):
        return {"ok": False, "reason": item}
    item = await keep_pictures(draft, item)
    _adopt(draft, product, item)
    keep_unlisted_values(draft, product)
    again = questions.drop_all_but({answer.element_id for answer in item.answers})
    _fold_changes(draft, sure, seen)
    changed = {kind.name: value.name for kind, value in sure}
    await prepare_price(questions, item)
    following = await _show_after_change(draft, product, questions, item)
    if unsaid is not None:
        return {**unsaid, "changed": changed}
    return {
        "ok": True,
        "reference": item.reference,
        "changed": changed,
        "asked_again": [
            {"element_id": each.id, "label": each.label.text_in(draft.language)} for each in again
        ],
        "next": questions.describe(following) if following else None,
        "remaining": count_left(questions),
        "deal_breaker": item.status == "refused",
        "complete": item.status == "complete" and following is None,
    }
