"""The new parts of a run for one reader, found by comparing its messages with the parts that the reader has.

So it makes no difference whether events arrive one by one, in a replay, or as a snapshot after a long absence; and a
slow reader gets many words at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from loopwire.messages import Message, ours
from loopwire.parts import Ask, Block, Handoff, Part, Reasoning, Retracted, Text, Tool
from loopwire.transcript import Transcript


class PartReader:
    """The parts that one reader has, by the ids of messages."""

    def __init__(self) -> None:
        self._told: dict[str, Any] = {}
        """The text that the reader has, or the last part of anything else."""

    def read(self, ids: Iterable[str], transcript: Transcript, runs: Sequence[str] | None) -> list[Part]:
        """Return what is new of these messages, where they belong to these runs; None means all of them."""
        parts: list[Part] = []
        for each in dict.fromkeys(ids):
            message = transcript.find(each)
            if message is None:
                if self._told.pop(each, None) is not None:
                    parts.append(Retracted(each))
            elif runs is None or ours(message).get("run_id") in runs:
                parts += self._new_of(message, transcript)
        return parts

    def _new_of(self, message: Message, transcript: Transcript) -> list[Part]:
        role = message["role"]
        if role == "tool":
            return self._new_of_call(transcript.find(message["toolCallId"]), transcript)
        if role == "activity":
            return self._new_of_activity(message, transcript)
        if "toolCalls" in message:
            return [] if ours(message).get("open") else self._new_of_call(message, transcript)
        return self._new_words(message) if role in ("assistant", "reasoning") else []

    def _new_words(self, message: Message) -> list[Part]:
        text, known = message.get("content") or "", self._told.get(message["id"], "")
        parts: list[Part] = []
        if not text.startswith(known):
            parts.append(Retracted(message["id"]))
            known = ""
        self._told[message["id"]] = text
        if len(text) > len(known):
            parts.append(_words_of(message, text[len(known) :]))
        return parts

    def _new_of_call(self, call: Message | None, transcript: Transcript) -> list[Part]:
        if call is None or not call.get("toolCalls"):
            return []
        return self._new_part(call["id"], tool_of(call, transcript))

    def _new_of_activity(self, message: Message, transcript: Transcript) -> list[Part]:
        kind, content = message["activityType"], message["content"]
        if kind == "tool_progress":
            return self._new_of_call(transcript.find(content.get("tool_call_id")), transcript)
        if kind == "handoff":
            handoff = Handoff(
                str(content.get("to", "")),
                content.get("from"),
                content.get("reason"),
                content.get("status"),
            )
            return self._new_part(message["id"], handoff)
        if "interrupt_id" in content:  # The block shows an `Ask`.
            return []
        shown = Block(message["id"], str(content.get("kind", kind)), content, content.get("status"))
        return self._new_part(message["id"], shown)

    def _new_part(self, key: str, part: Part) -> list[Part]:
        if self._told.get(key) == part:
            return []
        self._told[key] = part
        return [part]


def _words_of(message: Message, delta: str) -> Text | Reasoning:
    """Return what is new of a text."""
    own = ours(message)
    if message["role"] == "reasoning":
        return Reasoning(delta, message["id"], own.get("agent"))
    return Text(delta, message["id"], message.get("name"), bool(own.get("operator")))


def tool_of(call: Message, transcript: Transcript) -> Tool:
    """Return a call as it stands: its result and its progress are messages of their own."""
    call_id, function = call["id"], call["toolCalls"][0]["function"]
    result: Message = {}
    progress: dict[str, Any] = {}
    for each in transcript.messages:
        if each["role"] == "tool" and each["toolCallId"] == call_id:
            result = each
        elif each.get("activityType") == "tool_progress" and each["content"].get("tool_call_id") == call_id:
            progress = each["content"]
    own = ours(result)
    status = own.get("status", "done") if result else ("waiting" if "waits" in ours(call) else "running")
    return Tool(
        call_id,
        function["name"],
        status,
        function["arguments"],
        result.get("content"),
        progress.get("progress"),
        progress.get("label"),
        own.get("duration_ms"),
    )


def asks_of(run_id: str, interrupts: Iterable[dict[str, Any]], transcript: Transcript) -> tuple[Ask, ...]:
    """Return what a run ended with as what can be answered."""
    return tuple(_ask_of(run_id, each, transcript) for each in interrupts)


def _ask_of(run_id: str, interrupt: dict[str, Any], transcript: Transcript) -> Ask:
    own, call_id = ours(interrupt), interrupt.get("toolCallId")
    call, block = transcript.find(call_id) or {}, transcript.find(own.get("block_id")) or {}
    function = call["toolCalls"][0]["function"] if call.get("toolCalls") else {}
    return Ask(
        interrupt["id"],
        run_id,
        str(own.get("kind", "")),
        str(interrupt.get("message", "")),
        interrupt.get("responseSchema") or {},
        call_id,
        interrupt.get("expiresAt"),
        function.get("name"),
        function.get("arguments", ""),
        block.get("content") or {},
    )


def text_of(messages: Iterable[Message]) -> str:
    """Return the words of agents in these messages, a blank line between two messages."""
    spoken = [each for each in messages if each["role"] == "assistant" and "toolCalls" not in each]
    return "\n\n".join(each["content"] for each in spoken if each.get("content"))


def arguments_of(call: Message) -> Any:
    """Return the arguments of a call. Raises ValueError."""
    return json.loads(call["toolCalls"][0]["function"]["arguments"] or "{}")
