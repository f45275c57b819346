"""Creating the item: once, and only as the seller has confirmed it."""

from typing import Any

from server.agents.context import RunContext
from server.agents.tools import ToolContext, ToolFailure, tool
from server.agents.tools.draft import Draft
from server.agents.tools.options import confirmed_product, seen_in


def ready(run: RunContext) -> bool:
    """May the item be created: product confirmed, every option chosen, and seen by the seller?"""
    state = run.state
    if not state.get("product_id") or state.get("options_left") != 0 or state.get("item_id"):
        return False
    return not state.get("options") or not seen_in(run)


def _public_item(result: dict[str, Any]) -> dict[str, Any]:
    """The browser sees the reference."""
    return {"reference": result["reference"]} if "reference" in result else {}


def _confirmed(run: RunContext) -> dict[str, Any]:
    """The arguments that the seller has confirmed."""
    return {
        "product_id": run.state.get("product_id"),
        "brand_id": run.state.get("brand_id"),
        "option_value_ids": sorted(Draft(run).chosen.values()),
    }


def _key(run: RunContext, arguments: dict[str, Any]) -> str | None:
    """One item a round of the conversation, under whatever call id; a call that will be refused has no key."""
    try:
        asked = {**arguments, "option_value_ids": sorted(set(arguments["option_value_ids"]))}
    except (KeyError, TypeError):
        return None
    return Draft(run).business_key if ready(run) and asked == _confirmed(run) else None


@tool(effect="once", result=_public_item, business_key=_key, keyed=True, icon="box")
async def create_item(
    ctx: ToolContext[RunContext], product_id: int, brand_id: int, option_value_ids: list[int]
) -> dict[str, Any]:
    """Create the item in LoopOS Core. Call it exactly once, with the confirmed values.

    Args:
        product_id: The confirmed product.
        brand_id: The confirmed brand.
        option_value_ids: All chosen option values, [] when the product has no options.
    """
    run, draft = ctx.context, Draft(ctx.context)
    draft.hear()
    await confirmed_product(draft)
    if run.state.get("item_id"):
        return {"item_id": run.state["item_id"], "reference": run.state["reference"]}
    if not ready(run):
        raise ToolFailure(
            "Not every option is chosen and seen: hand back to the options agent.", code="not_ready"
        )
    confirmed = _confirmed(run)
    asked = {
        "product_id": product_id,
        "brand_id": brand_id,
        "option_value_ids": sorted(set(option_value_ids)),
    }
    if asked != confirmed:
        raise ToolFailure(f"Not what the seller confirmed. Use {confirmed}.", code="not_confirmed")
    run.progress(0.5, "tool.create_item.step.register", "2/2")
    item = await run.core.create_item(
        principal=run.principal,
        session_id=run.session_id,
        **confirmed,
        business_key=draft.business_key,
        language=draft.language,
    )
    run.private["item_token"] = item.token
    draft.fold(None)
    run.set_state(item_id=item.id, reference=item.reference, status="draft")
    return {"item_id": item.id, "reference": item.reference}
