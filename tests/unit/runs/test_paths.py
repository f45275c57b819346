"""The end of a path as it is told, with the cursor of what is before it."""

from __future__ import annotations

from typing import Any

from server.protocol.events import ours
from server.protocol.transcript import Transcript
from server.runs.conversation.paths import path_events, path_snapshot


def messages(count: int) -> list[dict[str, Any]]:
    return [{"id": f"msg_{each}", "role": "user", "content": str(each)} for each in range(count)]


def test_a_path_is_told_with_its_public_state() -> None:
    told, state = path_events(Transcript.of(messages(2), {}), {"a": 1})
    assert (told["type"], ours(told)) == ("MESSAGES_SNAPSHOT", {"scope": "path"})
    assert (state["type"], state["snapshot"]) == ("STATE_SNAPSHOT", {"a": 1})


def test_of_a_short_path_all_is_told_and_nothing_is_before_it() -> None:
    told = path_snapshot(Transcript.of(messages(50), {}))
    assert (told["messages"], ours(told)) == (messages(50), {"scope": "path"})


def test_of_a_long_path_the_last_fifty_are_told() -> None:
    told = path_snapshot(Transcript.of(messages(51), {}))
    assert (told["messages"], ours(told)["before"]) == (messages(51)[1:], "msg_1")


def test_the_cursor_of_a_partly_known_path_is_its_first_message() -> None:
    assert ours(path_snapshot(Transcript.of(messages(2), {}, older=True)))["before"] == "msg_0"


def test_a_path_without_messages_has_nothing_before_it() -> None:
    told = path_snapshot(Transcript.of([], {}, older=True))
    assert (told["messages"], ours(told)) == ([], {"scope": "path"})


def test_a_call_is_told_with_its_result() -> None:
    call = {"id": "cal_1", "role": "assistant", "toolCalls": [{"id": "cal_1"}]}
    result = {"id": "res_1", "role": "tool", "toolCallId": "cal_1", "content": ""}
    told = path_snapshot(Transcript.of([*messages(3), call, result, *messages(49)], {}))
    assert [each["id"] for each in told["messages"]][:2] == ["cal_1", "res_1"]
