"""The demo model as the general assistant: it answers from its tools and names the tool."""

from typing import Any

from server.demo import appointment, own_items, pages
from server.demo.conversation_view import Act, Call, ConversationView, Output
from server.demo.lines import TOPIC, say
from server.demo.reading import PHRASES, intents
from server.demo.reading.matching import content
from server.demo.reading.query import query_of
from server.text_reading.own_questions import asks_what_is

SEARCH, CONVERSATIONS, BUSINESS = "search_catalog", "list_my_conversations", "get_business_context"
TOOLS = (SEARCH, *own_items.TOOLS, CONVERSATIONS, BUSINESS)
MOST = 6  # So many products are named in an answer.
_ASKING = frozenset(PHRASES["asking"])
_OF_SHOP = ("send", "paid", "returns")  # Topics that the shop's own text may answer.


def answer(view: ConversationView) -> list[Act]:
    """Return one step of the conversation."""
    if (newest := view.newest) is None:
        return _on_message(view)
    if newest.name in TOOLS:
        return _tell_result(view, newest)
    if newest.name == appointment.ASK:
        return appointment.tell_result(view, newest)
    return pages.tell_answer(view, newest) if newest.name in view.page_tools else _on_message(view)


def _tell_result(view: ConversationView, output: Output) -> list[Act]:
    """Answer with what the tool said."""
    result = output.result
    if output.name == BUSINESS:
        known = result.get("known")
        return say(view, "chat_business" if known else "chat_business_none", text=result.get("text", ""))
    if output.name == SEARCH:
        return _catalog(view, output)
    entries: list[dict[str, Any]] = result.get("conversations", [])
    if not entries:
        return say(view, "chat_conversations_none")
    names = "\n".join(f"- **{each.get('title') or '–'}** · {each.get('service')}" for each in entries)
    return say(view, "chat_conversations", count=result.get("total", len(entries)), names=names)


def _catalog(view: ConversationView, output: Output) -> list[Act]:
    products: list[dict[str, Any]] = output.result.get("products", [])
    query = str(output.arguments.get("query", ""))
    if not products:
        likely = intents.nearest_topic(view.message.text)
        known = likely and likely not in ("allowed", "buy")
        asks = not known and asks_what_is(view.message.text)
        key = f"{TOPIC}{likely}" if known else "no_info" if asks else "chat_catalog_none"
        return say(view, key, f"{TOPIC}allowed" * (likely == "allowed"), query=query)
    names = "\n".join(f"- **{each['name']}** · {each['brand']}" for each in products[:MOST])
    count = output.result.get("total", len(products))
    first = ("chat_catalog" if count <= MOST else "chat_catalog_some") if query else "chat_catalog_all"
    key = "chat_catalog_more" if output.arguments.get("skip") else first
    return say(view, key, count=count, query=query, names=names)


def _on_message(view: ConversationView) -> list[Act]:
    text = view.message.text
    if (asked := pages.wish(view, text) or appointment.wish(view, text)) is not None:
        return asked
    by_tool = _OF_SHOP * (intents.inside(text, "business") and BUSINESS in view.tools)
    by_tool += ("allowed",) * intents.inside(text, "sellable")
    if (topic := intents.topic(text)) is not None and topic not in by_tool:
        return say(view, TOPIC + topic)
    onward = view.handoff("product_identification")
    if onward and intents.inside(text, "sell") and not intents.inside(text, "sellable", "mine"):
        return [Call(onward)]
    if (mine := own_items.wish(view, text)) is not None:
        return mine
    if intents.inside(text, "conversations"):
        return [Call(CONVERSATIONS)]
    if intents.inside(text, "sellable"):
        return [Call(SEARCH, {"query": _subject(text)})]
    return _talk(view, text)


def _talk(view: ConversationView, text: str) -> list[Act]:
    if (last := view.last(SEARCH)) and intents.whole(text, "more", "continue"):
        skip = int(last.arguments.get("skip") or 0) + MOST
        goes_on = skip < last.result.get("total", 0)
        return [Call(SEARCH, {**last.arguments, "skip": skip})] if goes_on else say(view, "chat_catalog_end")
    lines = {"insult": "calm", "off_topic": "chat_off_topic", "help": "chat_help", "price": "chat_price"}
    for kind, key in lines.items():
        if intents.inside(text, kind):
            return say(view, key, "chat_what" if kind == "insult" else "")
    for kind, key in (("greet", "chat_greet"), ("thanks", "thanks"), ("stop", "stopped")):
        if intents.whole(text, kind):
            return say(view, key)
    if intents.inside(text, "business"):
        return [Call(BUSINESS)]
    wished = _subject(text)
    if content(wished) and not intents.whole(text, "yes", "no", "unsure", "why", "more", "back", "continue"):
        return [Call(SEARCH, {"query": wished})]
    return say(view, "chat_what")


def _subject(text: str) -> str:
    """Return the subject of a question."""
    words = (each for each in query_of(text).split() if each.casefold().strip("?.,") not in _ASKING)
    return " ".join(words).strip("?. ")
