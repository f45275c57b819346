"""The demo model's answer about the person's own items: all of them, or the one with the named reference."""

from typing import Any

from server.demo.conversation_view import Act, Call, ConversationView, Output
from server.demo.lines import say
from server.demo.offers import FINISHED
from server.demo.reading import intents
from server.text_reading.shown_questions import open_question
from server.text_reading.tool_names import CATALOG, OPTIONS, PROTOCOL, REOPEN
from server.text_reading.wishes.switch_wishes import asked_after, had_besides, wished_first
from server.text_reading.wishes.ways_back import reference_in, wants_earlier

TOOLS = ITEMS, ITEM = "list_my_items", "get_my_item"


def way_back(view: ConversationView) -> list[Act] | None:
    """List the items, or go back to the one of before that the message means; None where it means none."""
    message, told, draft = view.message, view.reopening, view.instruction("Draft")
    if REOPEN not in view.tools:
        return None
    if told is not None and told.at > message.at:
        onward, moved = view.handoff("protocol_agent"), any("transfer_to" in e.name for e in view.fresh)
        if told.result.get("code") == "which":
            return say(view, "which_item")
        return [Call(onward)] if told.result.get("ok") and onward and not moved else None
    if view.fresh or (message.is_click and message.name != "reopen"):
        return None
    if intents.inside(message.text, "all_mine") and ITEMS in view.tools:
        return [Call(ITEMS)]
    waits = told is not None and told.result.get("code") == "which" and told.at > view.messages[-2].at
    known = draft.get("earlier") or (PROTOCOL not in view.tools and draft.get("reference"))
    kept = view.handoff("protocol_agent")
    if kept and intents.inside(message.text, "of_notes") and wants_earlier(message.text):
        return [Call(kept)]
    wants = message.is_click or waits or (known and wants_earlier(message.text))
    return [Call(REOPEN, {"named": message.value or message.text})] if wants else None


def begin_other(view: ConversationView, tool: str) -> list[Act] | None:
    """Answer the wish to begin another item: the tool says what becomes of it, and asks whether it begins now."""
    text, shown, is_click = view.message.text, view.newest, view.message.is_click
    since = view.messages[-2].at if len(view.messages) > 1 else 0
    waits = [e.result.get("switch", "") for e in view.outputs if since < e.at < view.message.at][-1:]
    wished = "" if is_click else wished_first(text)
    if tool == CATALOG:
        name = waits[0] if waits and shown and "transfer_to" in shown.name else ""
        name = name or (wished if shown is None and view.last(CATALOG) else "")
        name = name or (had_besides(text) if shown and "transfer_to" in shown.name and not is_click else "")
        return [Call(CATALOG, {"query": name})] if name else None
    is_no = view.message.value == "stay" if is_click else intents.whole(text, "no", "continue")
    agrees = view.message.name == "switch" if is_click else intents.whole(text, "yes")
    if any(waits) and is_no:
        left, keep = say(view, "left", "question_again"), {"keep": True} if tool == OPTIONS else {}
        return [Call(tool, {**keep})] if shown is None else left if shown.name == tool else None
    if shown is None and any(waits) and agrees:
        return [Call(view.handoff("product_identification") or "")]
    done, besides = view.instruction("Draft").get("status") in FINISHED, "" if is_click else asked_after(text)
    if shown is None:  # Behind a finished item a sale begins at once.
        begins = besides and open_question(view) if done else wished or besides
        return [Call(tool)] if begins and tool in (OPTIONS, PROTOCOL) else None
    told = shown.result.get("reason") if (wished or besides) and shown.name == tool else ""
    return say(view, "invalid", reason=told) if told else None


def wish(view: ConversationView, text: str) -> list[Act] | None:
    """Look up what the person asks of their items, where these tools are on offer: without a list, this item."""
    if not intents.inside(text, "mine", "made"):
        return None
    if ITEMS in view.tools and PROTOCOL not in view.tools:
        return [Call(ITEMS)]
    return [Call(ITEM, {"item_id": None})] if ITEM in view.tools else None


def wish_beside(view: ConversationView, text: str) -> list[Act] | None:
    """Do the same during a sale: only for a question, and only where no assistant answers those."""
    is_other = view.handoff("chat_agent") or intents.whole(text, "sale")
    return wish(view, text) if intents.asks(text) and not is_other else None


def tell(view: ConversationView, output: Output) -> list[Act]:
    """Answer with what the tool said; one that is named in the message is looked up first."""
    if output.name == ITEM:
        return _tell_one(view, output.result)
    items: list[dict[str, Any]] = output.result.get("items", [])
    named = reference_in(view.message.text)
    if named and ITEM in view.tools:
        found = next((each for each in items if each["reference"].endswith(f"-{named}")), None)
        return [Call(ITEM, {"item_id": found["item_id"]})] if found else say(view, "chat_item_none")
    if not items:
        return say(view, "chat_items_none")
    parts = ([f"**{each['product']}**", each.get("asking_price"), each["reference"]] for each in items)
    names, count = "\n".join(f"- {' · '.join(filter(None, e))}" for e in parts), output.result.get("total")
    return say(view, "chat_items", count=count or len(items), names=names)


def _tell_one(view: ConversationView, result: dict[str, Any]) -> list[Act]:
    if "reference" not in result:
        return say(view, "chat_item_none")
    facts = [f"{name}: {value}" for name, value in result.get("options", {}).items()]
    facts += [f"{each['question']} {each['answer']}" for each in result.get("answers", [])]
    names = "\n".join(f"- {each}" for each in facts)
    return say(view, "chat_item", product=result["product"], reference=result["reference"], names=names)
