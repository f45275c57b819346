"""The demo model as Registration: it creates the item once, then hands off."""

from server.demo.conversation_view import Act, Call, ConversationView
from server.demo.lines import say
from server.demo.reading import intents
from server.text_reading.tool_names import CREATE

_HERE = "create_item_agent"
_NO = ("declined", "cancelled", "expired", "not_answered")


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
        if newest.result.get("error") in ("not_ready", "option_needed") and back:
            return [Call(back)]
        return say(view, "item_unknown" if newest.result.get("error") == "unknown_outcome" else "item_failed")
    draft = {"option_value_ids": [], **view.instruction("Draft")}
    wanted = ("product_id", "brand_id", "option_value_ids")
    return [Call(CREATE, {name: draft.get(name) for name in wanted})]
