"""The demo model as the general assistant: it answers from its tools and names the tool."""

from typing import Any

from server.demo import appointment, own_items, pages
from server.demo.lines import TOPIC, say
from server.demo.reading import intents
from server.demo.reading.matching import content
from server.demo.reading.phrases import PHRASES
from server.demo.reading.query import query_of
from server.demo.scene import Act, Call, Output, Scene

SEARCH, CONVERSATIONS, BUSINESS = "search_catalog", "list_my_conversations", "get_business_context"
TOOLS = (SEARCH, *own_items.TOOLS, CONVERSATIONS, BUSINESS)
MOST = 6
"""So many products are named in an answer."""


def answer(scene: Scene) -> list[Act]:
    """Return one step of the conversation."""
    newest = scene.newest
    if newest is not None and newest.name in TOOLS:
        return _tell_result(scene, newest)
    if newest is not None and newest.name == appointment.ASK:
        return appointment.tell_result(scene, newest)
    if newest is not None and newest.name in scene.page_tools:
        return pages.tell_answer(scene, newest)
    return _on_message(scene)


def _bullets(lines: list[str]) -> str:
    return "\n".join(f"- {each}" for each in lines)


def _tell_result(scene: Scene, output: Output) -> list[Act]:
    """Answer with what the tool said."""
    result = output.result
    if output.name in own_items.TOOLS:
        return own_items.tell(scene, output)
    if output.name == BUSINESS:
        known = result.get("known")
        return [*say(scene, "chat_business" if known else "chat_business_none", text=result.get("text", ""))]
    if output.name == SEARCH:
        return _catalog(scene, output)
    entries: list[dict[str, Any]] = result.get("conversations", [])
    if not entries:
        return list(say(scene, "chat_conversations_none"))
    names = [f"**{each.get('title') or '–'}** · {each.get('service')}" for each in entries]
    return [*say(scene, "chat_conversations", count=result.get("total", len(names)), names=_bullets(names))]


def _catalog(scene: Scene, output: Output) -> list[Act]:
    products: list[dict[str, Any]] = output.result.get("products", [])
    query = str(output.arguments.get("query", ""))
    if not products:
        likely = intents.nearest_topic(scene.message.text)
        known = likely and likely not in ("allowed", "buy")
        return list(say(scene, f"{TOPIC}{likely}" if known else "chat_catalog_none", query=query))
    names = _bullets([f"**{each['name']}** · {each['brand']}" for each in products[:MOST]])
    count = output.result.get("total", len(products))
    few = "chat_catalog" if count <= MOST else "chat_catalog_some"
    return list(say(scene, few if query else "chat_catalog_all", count=count, query=query, names=names))


def _on_message(scene: Scene) -> list[Act]:
    text = scene.message.text
    asked = pages.wish(scene, text) or appointment.wish(scene, text)
    if asked is not None:
        return asked
    of_shop = intents.inside(text, "business") and BUSINESS in scene.tools
    if (topic := intents.topic(text)) is not None and not (of_shop and topic in _OF_SHOP):
        return list(say(scene, TOPIC + topic))
    onward = scene.handoff("product_identification")
    if onward and intents.inside(text, "sell") and not intents.inside(text, "sellable", "mine"):
        return [Call(onward)]
    mine = own_items.wish(scene, text)
    if mine is not None:
        return mine
    if intents.inside(text, "conversations"):
        return [Call(CONVERSATIONS)]
    if intents.inside(text, "sellable"):
        return [Call(SEARCH, {"query": _subject(text)})]
    return _talk(scene, text)


def _talk(scene: Scene, text: str) -> list[Act]:
    lines = {"insult": "calm", "off_topic": "chat_off_topic", "help": "chat_help", "price": "chat_price"}
    for kind, key in lines.items():
        if intents.inside(text, kind):
            return [*say(scene, key, "chat_what" if kind == "insult" else "")]
    for kind, key in (("greet", "chat_greet"), ("thanks", "thanks"), ("stop", "stopped")):
        if intents.whole(text, kind):
            return list(say(scene, key))
    if intents.inside(text, "business"):
        return [Call(BUSINESS)]
    wished = _subject(text)
    if content(wished) and not intents.whole(text, "yes", "no", "unsure", "why", "more", "back", "continue"):
        return [Call(SEARCH, {"query": wished})]
    return list(say(scene, "chat_what"))


_ASKING = frozenset(PHRASES["asking"])
_OF_SHOP = ("send", "paid", "returns")  # Topics that the shop's own text may answer.


def _subject(text: str) -> str:
    """Return the subject of a question."""
    words = query_of(text).split()
    return " ".join(word for word in words if word.casefold().strip("?.,") not in _ASKING).strip("?. ")
