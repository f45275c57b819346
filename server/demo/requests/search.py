"""The demo model's search on the web: one, before it answers a request about an item, where the tool is there."""

from collections.abc import Mapping, Sequence
from typing import Any

from server.demo.conversation_view import Call
from server.protocol.codec import read_json

SEARCH = "web_search"


def search_call(items: Sequence[Mapping[str, Any]], tools: Sequence[str]) -> Call | None:
    """Return the search that a request needs; None where it was made, or there is nothing to search by."""
    if SEARCH not in tools or any(each.get("type") == "function_call" for each in items):
        return None
    item = next((each for each in map(_item, reversed(items)) if each), {})
    words = (item.get("brand"), item.get("name") or item.get("category"))
    asked = " ".join(str(each) for each in words if each)
    return Call(SEARCH, {"query": f"{asked[:150]} usado preço OLX"}) if asked else None


def sources_in(items: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the addresses that searches have found."""
    found: list[str] = []
    for each in items:
        if each.get("type") == "function_call_output":
            told = _read(each.get("output"))
            results = told.get("results") if isinstance(told.get("results"), list) else []
            found += [str(page["url"]) for page in results or () if isinstance(page, dict) and "url" in page]
    return found


def _item(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the item of a request, as the facts tell it."""
    if item.get("role") != "user":
        return {}
    content = item.get("content")
    text = (
        content if isinstance(content, str) else "".join(str(each.get("text", "")) for each in content or ())
    )
    facts = _read(text).get("facts")
    found = facts.get("item") if isinstance(facts, dict) else None
    return found if isinstance(found, dict) else {}


def _read(text: Any) -> dict[str, Any]:
    try:
        read = read_json(text)
    except (TypeError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}
