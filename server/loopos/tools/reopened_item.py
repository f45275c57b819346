"""The way back to an item of this conversation: it becomes the open one again, with its options and answers."""

from collections.abc import Sequence
from typing import Any

from server.agents import RunContext, ToolContext, tool
from server.loopos.answers import PRICE
from server.loopos.core import Core, Item
from server.loopos.tools.drafts.confirmed_product import confirmed_product
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.earlier_items import forget_earlier, of_earlier
from server.loopos.tools.drafts.named_items import item_note, items_named, own_items
from server.loopos.tools.drafts.other_items import keep_unsold
from server.loopos.tools.drafts.selected_options import NO_VALUE, value_ids_of
from server.loopos.tools.options import names_of
from server.loopos.tools.tool_words import say
from server.protocol.blocks import Choice, Choices
from server.text_reading.wishes.ways_back import goes_back


def _public_reopened(result: dict[str, Any]) -> dict[str, Any]:
    """Show the browser which item it is, or why it is none."""
    return {name: result[name] for name in ("reference", "code") if name in result}


@tool(effect="idempotent", result=_public_reopened, icon="box", scopes=("catalog:read", "items:read"))
async def reopen_item(ctx: ToolContext[RunContext], named: str) -> dict[str, Any]:
    """Go back to an item of this conversation that another one was begun after, to show or change it.

    It is the open one then; the sale that was open is kept. Code `which`: several fit, and the seller is asked which.

    Args:
        named: Its reference, or the seller's words for it.
    """
    run, draft = ctx.context, Draft(ctx.context)
    draft.hear()
    beside = of_earlier(run)
    if beside is not None and beside["has_price"] and not draft.clicked_value("reopen"):
        return {
            "ok": False,
            "code": "none",
            "reason": "The message is about the price of the open item first.",
        }
    items = await own_items(draft)
    fitting = await items_named(draft, draft.clicked_value("reopen") or named[:400], items)
    current = next((each for each in fitting if each.id == run.state.get("item_id")), None)
    if current is not None and not goes_back(named):
        fitting = [current]
    if not fitting:
        return {"ok": False, "code": "none", "reason": "No item of this conversation is named."}
    if len(fitting) > 1:
        _ask_which_item(draft, fitting)
        return {
            "ok": False,
            "code": "which",
            "reason": "Several fit: the seller is asked which one, end your turn.",
        }
    (item,) = fitting
    is_open = item.id == run.state.get("item_id")
    if not is_open:
        await _open(draft, item)
    draft.hear()
    return {"ok": True, "reference": item.reference, "product": item.product, "was_open": is_open}


def _ask_which_item(draft: Draft, items: Sequence[Item]) -> None:
    """Ask which of the items is meant."""
    choices = tuple(
        Choice(each.reference, each.product, item_note(each, draft.language), name="reopen") for each in items
    )
    draft.ask(Choices("reopen", say("block.items", draft.language), choices), "reopen", again=True)


async def _open(draft: Draft, item: Item) -> None:
    """Leave the open sale as it stands and take the item as it is stored."""
    run = draft.run
    draft.fold(None)
    if draft.has_item():
        draft.forget_item(is_kept=True)
        draft.forget_options(is_sold=True)
    else:
        keep_unsold(draft)
        draft.put_aside()
    draft.forget_words()
    forget_earlier(run, item.reference)
    run.private.pop("aside", None)
    run.private["item_token"] = item.token
    run.set_state(
        item_id=item.id,
        reference=item.reference,
        status=item.status,
        product_id=item.product_id,
        product=item.product,
        brand_id=item.brand_id,
        brand=item.brand,
    )
    await _take_stored(draft, item)


async def _take_stored(draft: Draft, item: Item) -> None:
    """Take options, answers and price of the item as they are stored; its notices were shown before."""
    run, product = draft.run, await confirmed_product(draft)
    values = {*item.option_value_ids}
    chosen = {
        kind.id: next((value.id for value in kind.values if value.id in values), NO_VALUE)
        for kind in product.option_types
    }
    run.private["kind"] = product.category
    run.private["chosen"] = {str(kind): value for kind, value in chosen.items()}
    run.set_state(option_value_ids=value_ids_of(run), options=names_of(product, chosen), options_left=0)
    run.private["answers"] = {each.element_id: [each.value, each.shown] for each in item.answers}
    elements = await run.resource(Core).protocol(item.product_id)
    run.private["noticed"] = [each.id for each in elements if not each.asks]
    price, cents = item.asking_price, None if item.asking_price is None else item.asking_price.cents
    if price is not None and cents is not None:
        shown = price.text_in(draft.language)
        run.private["price"] = {}
        run.private["answers"][PRICE.id] = [cents // 100 if cents % 100 == 0 else cents / 100, shown]
        run.set_state(price=shown)
