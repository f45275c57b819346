"""The demo model as Registration: it creates the item once, then hands off."""

import json
import re
from typing import Any

from server.demo.lines import say
from server.demo.reading import intents
from server.demo.scene import Act, Call, Scene

CREATE = "create_item"
_HERE = "create_item_agent"
_NO = ("declined", "cancelled", "expired", "not_answered")
_DRAFT = re.compile(r"^Draft: (\{.*\})$", re.MULTILINE)


def draft_of(scene: Scene) -> dict[str, Any]:
    """Return the draft as the instructions tell it."""
    found = _DRAFT.search(scene.instructions)
    parsed = json.loads(found[1]) if found else {}
    return parsed if isinstance(parsed, dict) else {}


def was_declined(scene: Scene) -> bool:
    """Return whether no item was made because the person refused, and no agent has handed over since."""
    last = scene.last(CREATE, *(name for name in {each.name for each in scene.outputs} if _HERE in name))
    return last is not None and last.result.get("error") in _NO


def answer(scene: Scene) -> list[Act]:
    """Return one step of the conversation."""
    newest, onward, back = scene.newest, scene.handoff("protocol_agent"), scene.handoff("product_options")
    if onward:
        return [Call(onward)]
    agrees = not scene.message.is_click and intents.whole(scene.message.text, "yes", "continue")
    if back and was_declined(scene) and not (newest is None and agrees):
        return [Call(back)]
    if newest is not None and newest.name == CREATE:
        if newest.result.get("error") == "not_ready" and back:
            return [Call(back)]
        key = "item_unknown" if newest.result.get("error") == "unknown_outcome" else "item_failed"
        return list(say(scene, key))
    draft = {"option_value_ids": [], **draft_of(scene)}
    wanted = ("product_id", "brand_id", "option_value_ids")
    return [Call(CREATE, {name: draft.get(name) for name in wanted})]
