"""The order of messages: each has the place of its first event in the log, but a result is right after its call.

The fold keeps this order live, and what reads stored messages puts them into it: a run that answers an earlier run's
call stores the result with its own messages. AG-UI's client has the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from server.protocol.events import ours

Message = dict[str, Any]

NEAR = 20
"""The most messages between a call and its stored result for both to be read together."""


def with_results_at_calls(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with each result right after its call; a result without its call keeps its place."""
    calls = _calls(messages)
    results: dict[str, list[Message]] = {}
    for each in messages:
        if is_result(each):
            results.setdefault(each["toolCallId"], []).append(each)
    found: list[Message] = []
    for each in messages:
        if not (is_result(each) and each["toolCallId"] in calls):
            found.append(each)
        for call in each.get("toolCalls", ()):
            found += results.get(call["id"], ())
    return found


def place_of_result(messages: Sequence[Message], call: int) -> int:
    """Return the place of one more result of the call at this place: after those that it has."""
    place, call_id = call + 1, messages[call]["id"]
    while place < len(messages) and messages[place].get("toolCallId") == call_id:
        place += 1
    return place


def with_run(messages: Sequence[Message], run_id: str, given: Sequence[Message]) -> list[Message]:
    """Return the messages with these in the place of a run's own.

    A run that answers an earlier run's call has its result among that run's messages: its own begin after it.
    """
    own = [place for place, each in enumerate(messages) if ours(each).get("run_id") == run_id]
    first = next((place for place in own if not is_result(messages[place])), len(messages))
    gone = set(own)
    before = [each for place, each in enumerate(messages[:first]) if place not in gone]
    after = [each for place, each in enumerate(messages[first:], first) if place not in gone]
    return with_results_at_calls([*before, *given, *after])


def whole_calls(messages: Sequence[Message], first: int) -> int:
    """Move a cut before `first` to where it parts no call from its result, without which it would be drawn."""
    answered = {each["toolCallId"] for each in messages[first : first + NEAR] if is_result(each)}
    near = range(max(0, first - NEAR), first)
    return next((place for place in near if messages[place]["id"] in answered), first)


def without_strays(messages: Sequence[Message]) -> list[Message]:
    """Return the messages without results whose calls are not among them: those are read with their calls."""
    calls = _calls(messages)
    return [each for each in messages if not is_result(each) or each["toolCallId"] in calls]


def unanswered_calls(messages: Sequence[Message]) -> list[str]:
    """Return the ids of the calls whose results are not among the messages."""
    answered = {each["toolCallId"] for each in messages if is_result(each)}
    return [each for each in _calls(messages) if each not in answered]


def is_result(message: Message) -> bool:
    """Return whether this is the result of a call."""
    return message.get("role") == "tool"


def _calls(messages: Sequence[Message]) -> dict[str, None]:
    return {call["id"]: None for each in messages for call in each.get("toolCalls", ())}
