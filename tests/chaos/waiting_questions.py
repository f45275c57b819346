"""The interrupts that wait for a person or a page, as a tab shows them, and the frames that answer them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from server.protocol.transcript import Transcript
from tests.chaos.lines import Frame

PAGE_TOOL = {
    "name": "get_page_title",
    "description": "The title of the page that the person is on.",
    "parameters": {"type": "object", "properties": {}},
}
_KINDS = {"approval": "approval", "ask": "form"}
_FILLED: dict[str, Any] = {
    "date": "2031-05-02",
    "email": "ana@example.org",
    "text": "uma caixa",
    "number": 3,
    "integer": 3,
    "yesno": True,
}


@dataclass(frozen=True)
class Asked:
    """One thing that waits; `id` is the interrupt's, or the call's when the page is meant."""

    kind: str
    id: str
    fields: tuple[dict[str, Any], ...] = ()

    def entry(self, how: str) -> dict[str, Any]:
        """Return the answer of a person, in a `resume`."""
        if how == "leave":
            return {"interrupt_id": self.id, "status": "cancelled"}
        if self.kind == "approval":
            payload: dict[str, Any] = {"approved": how != "decline"}
        elif how == "decline":
            return {"interrupt_id": self.id, "status": "cancelled"}
        else:
            payload = {each["name"]: _filled(each) for each in self.fields}
        return {"interrupt_id": self.id, "status": "resolved", "payload": payload}


def _filled(field: dict[str, Any]) -> Any:
    return field["choices"][0]["value"] if field["input"] == "choice" else _FILLED[field["input"]]


def waiting(transcript: Transcript) -> list[Asked]:
    """Return all that waits, in the order of asking."""
    messages = transcript.messages
    answered = {each.get("toolCallId") for each in messages if each["role"] == "tool"}
    found = []
    for each in messages:
        content = each["content"] if each.get("activityType") == "block" else {}
        if content.get("kind") in _KINDS and content["status"] == "open":
            fields = tuple(content.get("fields", ()))
            found.append(Asked(_KINDS[content["kind"]], content["interrupt_id"], fields))
        waits = each.get("metadata", {}).get("loopwire", {}).get("waits") or {}
        if waits.get("kind") == "tool":
            found += [Asked("tool", call["id"]) for call in each["toolCalls"] if call["id"] not in answered]
    return found


def answers(asked: list[Asked], how: str, new_id: Callable[[], str]) -> list[Frame]:
    """Return the frames that answer all of it: one for what people are asked, one for each tool of the page."""
    people = [each.entry(how) for each in asked if each.kind != "tool"]
    frames: list[Frame] = [{"type": "resume", "id": new_id(), "entries": people}] if people else []
    content = '{"error": "no such page"}' if how in ("decline", "leave") else "Summer sale"
    for each in asked:
        if each.kind == "tool":
            frames.append(
                {"type": "tool_result", "id": new_id(), "tool_call_id": each.id, "content": content}
            )
    return frames


def named(frame: Frame) -> list[str]:
    """Return what an answer answers."""
    if frame["type"] == "tool_result":
        return [str(frame["tool_call_id"])]
    return [str(each["interrupt_id"]) for each in frame["entries"]]
