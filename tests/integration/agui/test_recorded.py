"""AG-UI's own client finds every recorded session legal, and folds it into the stored messages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.parts.agui_client import Client, Json
from tests.parts.sampled import later
from tests.unit.protocol.test_recorded import RECORDED, frames_in_order, recorded


def some(names: set[str]) -> list[Any]:
    """Return all recorded sessions, of which `make test` tries these."""
    return [each if each in names else later(each) for each in RECORDED]


def stretches(frames: list[Json]) -> list[list[Json]]:
    """Return the runs that began before a client's eyes, and the snapshots that it got."""
    found: list[list[Json]] = []
    seen = 0
    for frame in frames_in_order(frames):
        if frame.get("type") == "snapshot":
            found.append(frame["events"])
            seen = frame["seq"]
        elif "event" in frame and frame["seq"] > seen:
            seen = frame["seq"]
            if frame["event"]["type"] == "RUN_STARTED" or not found:
                found.append([])
            found[-1].append(frame["event"])
    return found


def plain(messages: list[Json]) -> list[Json]:
    """Messages in AG-UI's own terms: all but `metadata`, of messages and of calls, which is for a server's own."""
    found = []
    for each in messages:
        message = {key: value for key, value in each.items() if key != "metadata"}
        if "toolCalls" in message:
            message["toolCalls"] = plain(message["toolCalls"])
        found.append(message)
    return found


def apart(messages: list[Json]) -> tuple[list[Json], dict[str, Json]]:
    """Part messages in their order from activities by their ids."""
    activities = {each["id"]: each for each in plain(messages) if each["role"] == "activity"}
    return [each for each in plain(messages) if each["id"] not in activities], activities


def answers_to(events: list[Json]) -> list[Json]:
    """Return what the client demands with its next run after one that waits; how it was met stands in the next events.

    "cancelled", as the time of what was recorded is over.
    """
    waiting = events[-1].get("outcome", {}).get("interrupts", []) if events else []
    return [{"interruptId": each["id"], "status": "cancelled"} for each in waiting]


@pytest.mark.parametrize("name", some({"take-over"}))
async def test_a_recorded_session_passes_the_checks_of_agui(agui: Client, name: str) -> None:
    judged = stretches(recorded(name)["frames"])
    assert len(judged) > 1
    for events in judged:
        assert await agui.do("verify", events=events) == {"count": len(events)}


@pytest.mark.parametrize("name", some({"submission", "versions"}))
async def test_the_client_folds_a_recorded_session_into_the_stored_messages(agui: Client, name: str) -> None:
    session = recorded(name)
    await agui.do("agent", agent=name, kind="replay", threadId=name)
    before: list[Json] = []
    for events in stretches(session["frames"]):
        ran = await agui.ran(name, events=events, parameters={"resume": answers_to(before)})
        assert ran.error is None
        before = events
    assert session["stored"]
    if name == "versions":
        # AG-UI's client keeps an activity that a snapshot leaves out, in its place: one of another version stays.
        shown = {each["id"] for each in session["stored"]}
        left = [each for each in ran.messages if each["role"] != "activity" or each["id"] in shown]
        assert apart(left) == apart(session["stored"])
    else:
        assert plain(ran.messages) == plain(session["stored"])
    assert ran.after["state"] == session["state"]
    assert ran.after["pendingInterrupts"] == []
