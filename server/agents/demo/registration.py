"""The demo model as Registration: create the item once, then hand over."""

import json
import re
from typing import Any

from server.agents.demo.lines import say
from server.agents.demo.scene import Act, Call, Scene

CREATE = "create_item"
_DRAFT = re.compile(r"^Draft: (\{.*\})$", re.MULTILINE)


def draft_of(scene: Scene) -> dict[str, Any]:
    """The draft as the instructions tell it."""
    found = _DRAFT.search(scene.instructions)
    parsed = json.loads(found[1]) if found else {}
    return parsed if isinstance(parsed, dict) else {}


def answer(scene: Scene) -> list[Act]:
    """One step."""
    newest, onward = scene.newest, scene.handoff("protocol_agent")
    if onward:
        return [Call(onward)]
    if newest is not None and newest.name == CREATE:
        back = scene.handoff("product_options")
        if newest.result.get("error") == "not_ready" and back:
            return [Call(back)]
        key = "item_unknown" if newest.result.get("error") == "unknown_outcome" else "item_failed"
        return list(say(scene, key))
    draft = draft_of(scene)
    arguments = {
        "product_id": draft.get("product_id"),
        "brand_id": draft.get("brand_id"),
        "option_value_ids": draft.get("option_value_ids", []),
    }
    return [Call(CREATE, arguments)]
