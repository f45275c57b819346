"""The demo model as Registration: it creates the item once, then hands off."""

import json
from typing import Any

from server import patterns
from server.demo.conversation_view import Act, Call, ConversationView
from server.demo.lines import say
from server.demo.reading import intents

CREATE = "create_item"
_HERE = "create_item_agent"
_NO = ("declined", "cancelled", "expired", "not_answered")
_DRAFT = patterns.compile(r"^Draft: (\{.*\})$", patterns.MULTILINE)


def draft_of(view: ConversationView) -> dict[str, Any]:
    """Return the draft as the instructions tell it."""
    found = _DRAFT.search(view.instructions)
    parsed = json.loads(found[1]) if found else {}
    return parsed if isinstance(parsed, dict) else {}


def was_declined(view: ConversationView) -> bool:
    """Return whether no item was made because the person refused, and no agent has handed over since."""
    last = view.last(CREATE, *(name for name in {each.name for each in view.outputs} if _HERE in name))
    return last is not None and last.result.get("error") in _NO


def answer(view: ConversationView) -> list[Act]:
    """Return one step of the conversation."""
    newest, onward, back = view.newest, view.handoff("protocol_agent"), view.handoff("product_options")
    if onward:
        return [Call(onward)]
    agrees = not view.message.is_click and intents.whole(view.message.text, "yes", "continue")
    if back and was_declined(view) and not (newest is None and agrees):
        return [Call(back)]
    if newest is not None and newest.name == CREATE:
        if newest.result.get("error") == "not_ready" and back:
            return [Call(back)]
        key = "item_unknown" if newest.result.get("error") == "unknown_outcome" else "item_failed"
        return list(say(view, key))
    draft = {"option_value_ids": [], **draft_of(view)}
    wanted = ("product_id", "brand_id", "option_value_ids")
    return [Call(CREATE, {name: draft.get(name) for name in wanted})]
