"""Old messages that a run changes: which are read, and how their change is told to readers with any part of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from server.protocol import events as ev
from server.protocol.transcript import Transcript
from server.runs.conversation.older_messages import as_change, may_change, recall, set_anew

KNOWN = {"id": "blk_new", "role": "activity", "activityType": "block", "content": {"kind": "list"}}
OLD = {
    "id": "blk_old",
    "role": "activity",
    "activityType": "block",
    "content": {"kind": "form", "a/b~c": 1, "gone": 2, "same": None},
}
CLOSED = [{"op": "add", "path": "/status", "value": "closed"}]


def conversation(*, older: bool = True) -> Transcript:
    return Transcript.of([KNOWN], {}, older=older)


@pytest.mark.parametrize(
    ("event", "may"),
    [
        (ev.activity_delta("blk_old", "block", CLOSED), True),
        (ev.activity_delta("blk_new", "block", CLOSED), False),
        (ev.activity("blk_old", "block", {"kind": "list"}), True),
        (ev.activity("blk_new", "block", {"kind": "list"}), False),
        (ev.activity("act_1", "handoff", {"to": "second"}), False),
        (ev.text_content("msg_old", "Hi."), False),
    ],
)
def test_may_change_is_true_for_blocks_outside_the_conversation_alone(
    event: dict[str, Any], may: bool
) -> None:
    assert may_change(event, conversation()) is may
    assert not may_change(event, conversation(older=False))


async def test_each_old_message_is_read_once_and_nothing_where_none_is_changed() -> None:
    asked: list[Sequence[str]] = []

    async def bodies(ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        asked.append(ids)
        return {"blk_old": OLD}

    folded = conversation()
    await recall([ev.activity_delta("blk_new", "block", CLOSED)], folded, bodies)
    assert asked == []
    changes = [ev.activity_delta(id, "block", CLOSED) for id in ("blk_old", "blk_gone", "blk_old")]
    await recall(changes, folded, bodies)
    assert asked == [["blk_old", "blk_gone"]]
    assert folded.message("blk_old") == OLD
    await recall([ev.activity_delta("blk_else", "block", CLOSED)], folded, bodies)
    assert len(asked) == 2
    folded.recalled |= {"blk_else": OLD}
    await recall([ev.activity_delta("blk_third", "block", CLOSED)], folded, bodies)
    assert folded.recalled.keys() == {"blk_old", "blk_else"}, "what was read before is still known"
    assert folded.messages == [KNOWN], "it keeps its place, which is not among these"


def test_a_block_in_the_place_of_an_old_one_is_told_as_the_change_of_that() -> None:
    folded = conversation()
    folded.recalled |= {"blk_old": OLD}
    after = {"kind": "list", "a/b~c": 2, "same": None, "rows": []}
    change = as_change(ev.activity("blk_old", "block", after), folded)
    assert (change["type"], change["messageId"], change["activityType"]) == (
        "ACTIVITY_DELTA",
        "blk_old",
        "block",
    )
    assert change["patch"] == [
        {"op": "add", "path": "/kind", "value": "list"},
        {"op": "add", "path": "/a~1b~0c", "value": 2},
        {"op": "add", "path": "/rows", "value": []},
        {"op": "remove", "path": "/gone"},
    ]
    folded.apply(change)
    changed = folded.message("blk_old")
    assert changed is not None
    assert changed["content"] == after


@pytest.mark.parametrize(
    "event",
    [ev.activity("blk_new", "block", {"kind": "list"}), ev.activity_delta("blk_old", "block", CLOSED)],
)
def test_an_event_that_replaces_no_old_block_is_published_as_it_is(event: dict[str, Any]) -> None:
    folded = conversation()
    folded.recalled |= {"blk_old": OLD}
    assert as_change(event, folded) is event


def test_an_old_message_is_set_anew_for_readers_with_any_part_of_its_changes() -> None:
    event = set_anew(OLD)
    half = {**OLD, "content": {"kind": "odd", "gone": 2}}
    reader = Transcript.of([half], {})
    reader.apply(event)
    assert reader.messages == [OLD]
    reader = Transcript.of([], {})
    reader.apply(event)
    assert reader.messages == [], "who lacks it is shown nothing"
