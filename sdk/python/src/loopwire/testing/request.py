"""A request to the scripted model, with its messages in one form for both dialects of OpenAI's wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loopwire.testing.steps import Json


@dataclass(frozen=True, slots=True)
class Request:
    """What the model was sent.

    `messages` are those of Chat Completions, whichever dialect was spoken, the system message first: dicts with
    `role` (system, user, assistant, tool) and `content`, a str, and where they have them `tool_calls` or
    `tool_call_id`. Pictures and files are left out of `content`; `body` has all that was sent.
    """

    messages: list[Json]
    body: Json

    @property
    def text(self) -> str:
        """Return the content of the newest message of a user; an empty str where there is none."""
        said = (each["content"] for each in reversed(self.messages) if each["role"] == "user")
        return str(next(said, ""))

    @property
    def tools(self) -> list[str]:
        """Return the names of the tools that the model may call, handoffs among them."""
        offered = [each for each in self.body.get("tools") or [] if each.get("type") == "function"]
        return [str(each.get("function", each).get("name")) for each in offered]


def request_of(body: Json) -> Request:
    """Return the request of a body: one with `messages` is of Chat Completions, else it is of Responses."""
    if "messages" in body:
        return Request([_of_chat(each) for each in body["messages"]], body)
    messages: list[Json] = []
    if body.get("instructions"):
        messages.append({"role": "system", "content": body["instructions"]})
    given = body.get("input") or []
    for item in [{"role": "user", "content": given}] if isinstance(given, str) else given:
        _add(messages, item)
    return Request(messages, body)


def _of_chat(message: Json) -> Json:
    kept = {name: message[name] for name in ("tool_calls", "tool_call_id") if message.get(name)}
    return {"role": message.get("role"), "content": _text(message.get("content")), **kept}


def _add(messages: list[Json], item: Json) -> None:
    """Add an item of Responses. Calls belong to the message of the assistant before them."""
    kind = item.get("type", "message")
    if kind == "message":
        messages.append({"role": item.get("role"), "content": _text(item.get("content"))})
    elif kind == "function_call":
        if not messages or messages[-1]["role"] != "assistant":
            messages.append({"role": "assistant", "content": ""})
        function = {"name": item.get("name"), "arguments": item.get("arguments", "")}
        call = {"id": item.get("call_id"), "type": "function", "function": function}
        messages[-1].setdefault("tool_calls", []).append(call)
    elif kind == "function_call_output":
        content = _text(item.get("output"))
        messages.append({"role": "tool", "tool_call_id": item.get("call_id"), "content": content})


def _text(content: Any) -> str:
    """Return the text of a content: a str, parts of which some have a text, or nothing."""
    if isinstance(content, str):
        return content
    return "".join(each.get("text") or "" for each in content or ())
