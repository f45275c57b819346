"""In which order AG-UI's client has its messages, and which snapshots bring it to ours."""

from collections.abc import Iterable, Sequence
from typing import Any

Message = dict[str, Any]


def with_results_at_calls(messages: Iterable[Message]) -> list[Message]:
    """Return the messages with each result right after its call.

    That is where AG-UI's client puts a result that comes in a stream, before the progress of the call: so a
    snapshot shows the same order as the stream did.
    """
    kept = list(messages)
    calls = {call["id"] for each in kept for call in each.get("toolCalls", ())}
    results: dict[str, list[Message]] = {}
    for each in kept:
        if each["role"] == "tool" and each["toolCallId"] in calls:
            results.setdefault(each["toolCallId"], []).append(each)
    found: list[Message] = []
    for each in kept:
        if each["role"] != "tool" or each["toolCallId"] not in calls:
            found.append(each)
        for call in each.get("toolCalls", ()):
            found += results.get(call["id"], ())
    return found


def snapshots_to(ids: Sequence[str], held: Iterable[str]) -> list[int]:
    """Return how many of these messages each snapshot has, so that a client that holds some comes to this order.

    The client leaves what it has where it has it and adds the rest at the end. Where that is another order, a first
    snapshot ends before the first message that is out of place: the client forgets what is not in it.
    """
    places = {each: place for place, each in enumerate(held)}
    known = [places.get(each, -1) for each in ids]
    first, last = 0, -1
    for place in known:
        if place <= last:
            break
        first, last = first + 1, place
    return [first, len(ids)] if any(place >= 0 for place in known[first:]) else [len(ids)]
