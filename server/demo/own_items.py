"""The demo model's answer about the person's own items: all of them, or the one with the named reference."""

from typing import Any

from server import patterns
from server.demo.conversation_view import Act, Call, ConversationView, Output
from server.demo.lines import say
from server.demo.reading import intents

ITEMS, ITEM = "list_my_items", "get_my_item"
TOOLS = (ITEMS, ITEM)

_REFERENCE = patterns.compile(r"\bLW-?\s?(\d+)\b", patterns.IGNORECASE)


def wish(view: ConversationView, text: str) -> list[Act] | None:
    """Look up what the person asks of their items, where these tools are on offer: without a list, this item."""
    if not intents.inside(text, "mine", "made"):
        return None
    if ITEMS in view.tools:
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
    named = _REFERENCE.search(view.message.text)
    if named is not None and ITEM in view.tools:
        found = next((each for each in items if each["reference"].endswith(f"-{named[1]}")), None)
        return [Call(ITEM, {"item_id": found["item_id"]})] if found else say(view, "chat_item_none")
    if not items:
        return say(view, "chat_items_none")
    names = "\n".join(f"- **{each['product']}** · {each['reference']}" for each in items)
    return say(view, "chat_items", count=output.result.get("total", len(items)), names=names)


def _tell_one(view: ConversationView, result: dict[str, Any]) -> list[Act]:
    if "reference" not in result:
        return say(view, "chat_item_none")
    facts = [f"{name}: {value}" for name, value in result.get("options", {}).items()]
    facts += [f"{each['question']} {each['answer']}" for each in result.get("answers", [])]
    names = "\n".join(f"- {each}" for each in facts)
    return say(view, "chat_item", product=result["product"], reference=result["reference"], names=names)
