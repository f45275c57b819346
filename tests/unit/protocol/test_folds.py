"""The changes by single events: runs, steps, texts, calls and blocks."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from server.protocol import events as ev
from server.protocol.events import Event, ours
from server.protocol.messages import RunView, is_of_path, with_versions
from server.protocol.transcript import Transcript
from tests.unit.protocol.test_transcript import THREAD, fold, user

Json = dict[str, Any]

RUN: Event = ev.run_started(THREAD, "run_1")


def ids(transcript: Transcript) -> list[str]:
    return [each["id"] for each in transcript.messages]


def stored(message_id: str, **own: Any) -> Json:
    """Return a message as it is stored, with what is ours in it."""
    return {"id": message_id, "role": "user", "content": "", "metadata": {"loopwire": own}}


def stored_call(call_id: str, **own: Any) -> Json:
    call = {"id": call_id, "type": "function", "function": {"name": "x", "arguments": ""}}
    return {"id": call_id, "role": "assistant", "toolCalls": [call], "metadata": {"loopwire": own}}


def stored_result(call_id: str) -> Json:
    return {"id": f"res_{call_id}", "role": "tool", "toolCallId": call_id, "content": "{}"}


def stored_block(message_id: str, **content: Any) -> Json:
    return {"id": message_id, "role": "activity", "activityType": "block", "content": content}


# Runs.


def test_the_fold_has_defaults_for_the_optional_fields_of_ag_ui() -> None:
    begun: list[Event] = [
        {"type": "RUN_STARTED", "threadId": THREAD, "runId": "run_1"},
        {"type": "TEXT_MESSAGE_START", "messageId": "msg_1"},
    ]
    transcript = fold(begun)
    assert transcript.run == RunView("run_1", "running", attempt=1, kind="agent", parent_run_id=None, at=None)
    assert transcript.messages[0]["role"] == "assistant"
    finished = fold([*begun, {"type": "RUN_FINISHED", "threadId": THREAD, "runId": "run_1"}])
    assert finished.run is not None
    assert (finished.run.status, finished.run.outcome) == ("finished", {"type": "success"})
    failed = fold([*begun, {"type": "RUN_ERROR", "message": "It is broken."}])
    assert failed.run is not None
    assert (failed.run.status, failed.run.code, failed.run.message) == ("error", "internal", "It is broken.")
    assert ours(failed.messages[0])["ended"] == {"outcome": "error", "code": "internal"}


def test_a_run_that_starts_again_keeps_its_beginning_and_what_is_open() -> None:
    transcript = fold(
        [
            ev.run_started(THREAD, "run_0"),
            ev.activity("blk_1", "block", {"n": 1}),
            ev.run_finished(THREAD, "run_0"),
            ev.run_started(THREAD, "run_1", parent_run_id="run_0", kind="note", at=5),
            ev.activity("blk_1", "block", {"n": 2}),
            ev.text_start("msg_1", "assistant"),
        ]
    )
    assert transcript.run == RunView("run_1", attempt=1, kind="note", parent_run_id="run_0", at=5)
    assert transcript.apply(ev.run_started(THREAD, "run_1", attempt=2, at=9)) == []
    assert transcript.run == RunView("run_1", attempt=2, kind="note", parent_run_id="run_0", at=5)
    assert (transcript.revised, transcript.open_texts) == (["blk_1"], {"msg_1": "assistant"})
    transcript.apply(ev.messages_snapshot([], scope="run"))
    assert transcript.run == RunView("run_1", attempt=2, kind="note", parent_run_id="run_0", at=5)


def test_an_open_message_keeps_its_place_and_its_text_in_a_snapshot() -> None:
    opened = [
        [ev.text_start("msg_1", "assistant"), ev.text_content("msg_1", "Qual ")],
        [ev.tool_start("cal_1", "x"), ev.tool_args("cal_1", "{")],
    ]
    for begun in opened:
        transcript = fold([RUN, *begun, *user(1)])
        assert fold(transcript.snapshot_events(THREAD)) == transcript


def test_a_snapshot_is_a_run_of_the_conversation_that_has_its_messages_its_state_and_its_steps() -> None:
    rest = [ev.messages_snapshot([]), ev.state_snapshot({})]
    begun = ev.run_started("ses_7", "run_none", kind="snapshot")
    assert Transcript().snapshot_events("ses_7") == [begun, *rest, ev.run_finished("ses_7", "run_none")]
    run = ev.run_started("ses_7", "run_1", attempt=2, parent_run_id="run_0", kind="note", at=5)
    going = fold([run, ev.step_started("a"), ev.step_started("b")]).snapshot_events("ses_7")
    assert going == [run, *rest, ev.step_started("a"), ev.step_started("b")]
    for end in (
        ev.run_finished("ses_7", "run_1", {"type": "cancelled"}),
        ev.run_error("x", "cut", run_id="run_1"),
    ):
        assert fold([run, end]).snapshot_events("ses_7") == [run, *rest, end]


def test_a_snapshot_of_a_conversation_without_a_run_leaves_none() -> None:
    transcript = fold([RUN, ev.step_started("a")])
    for event in Transcript().snapshot_events(THREAD):
        transcript.apply(event)
    assert transcript == Transcript()


def test_an_end_names_all_that_it_changes_once_and_marks_the_last_message() -> None:
    opened = [RUN, ev.text_start("msg_1", "assistant"), ev.tool_start("cal_1", "x")]
    transcript = fold([*opened, ev.activity("blk_1", "block", {"n": 1})])
    assert transcript.apply(ev.run_error("x", "cut")) == ["msg_1", "cal_1", "blk_1"]
    ended = {"outcome": "error", "code": "cut"}
    assert [ours(each).get("ended") for each in transcript.messages] == [None, None, ended]
    transcript = fold([RUN, ev.text_start("msg_1", "assistant")])
    assert transcript.apply(ev.run_finished(THREAD, "run_1", {"type": "cancelled"})) == ["msg_1"]


def test_beginning_and_end_of_a_run_leave_closed_messages_as_they_were_stored() -> None:
    known: list[Json] = [{"id": "a", "role": "user", "content": "a", "metadata": {"other": 1}}]
    known.append({"id": "b", "role": "assistant", "content": "b"})
    transcript = Transcript.of(known, {})
    for event in (RUN, ev.run_finished(THREAD, "run_1")):
        assert transcript.apply(event) == []
    assert transcript.messages == known
    assert transcript.messages[0]["metadata"] == {"other": 1} and "metadata" not in transcript.messages[1]


def test_an_end_alone_in_the_log_is_the_end_of_the_run_that_it_names() -> None:
    transcript = Transcript.of([], {})
    transcript.apply(ev.run_finished(THREAD, "run_9", {"type": "cancelled"}))
    assert transcript.run == RunView("run_9", "finished", outcome={"type": "cancelled"})
    transcript = Transcript.of([], {})
    transcript.apply(ev.run_error("x", "cut", run_id="run_9"))
    assert transcript.run == RunView("run_9", "error", code="cut", message="x")


def test_every_call_that_a_run_waits_for_is_marked_and_named() -> None:
    waits = [{"id": f"int_{n}", "reason": "tool_call", "toolCallId": f"cal_{n}"} for n in (1, 2)]
    calls = [each for n in (1, 2) for each in (ev.tool_start(f"cal_{n}", "x"), ev.tool_end(f"cal_{n}"))]
    transcript = fold([RUN, *calls])
    end = ev.run_finished(THREAD, "run_1", {"type": "interrupt", "interrupts": [*waits, {"id": "int_3"}]})
    assert transcript.apply(end) == ["cal_1", "cal_2"]
    assert ["waits" in ours(each) for each in transcript.messages] == [True, True]


def test_of_two_steps_of_one_name_the_later_one_ends() -> None:
    transcript = fold([RUN, *map(ev.step_started, ("a", "b", "a", "c"))])
    transcript.apply(ev.step_finished("a"))
    assert transcript.steps == ["a", "b", "c"]
    transcript.apply(ev.step_finished("a"))
    assert transcript.steps == ["b", "c"]


# Texts and calls.


def test_ended_and_removed_messages_are_not_changed_by_later_events() -> None:
    opened = [RUN, ev.text_start("msg_1", "assistant"), ev.tool_start("cal_1", "x")]
    ends = [ev.text_end("msg_1"), ev.tool_end("cal_1")]
    transcript = fold([*opened, *ends])
    before = list(transcript.messages)
    late = [*ends, ev.text_content("msg_1", "a"), ev.tool_args("cal_1", "{}")]
    assert [transcript.apply(each) for each in late] == [[]] * 4
    assert transcript.messages == before
    transcript = fold(opened)
    transcript.messages = []
    assert [transcript.apply(each) for each in (ev.tool_args("cal_1", "{}"), *ends)] == [[]] * 3
    assert transcript.messages == []


def test_a_text_that_begins_again_goes_on_in_its_place_with_what_it_has() -> None:
    said = [ev.text_start("msg_1", "assistant"), ev.text_content("msg_1", "a"), ev.text_end("msg_1")]
    transcript = fold([RUN, *said, *user(1)])
    assert transcript.apply(ev.text_start("msg_1", "assistant")) == ["msg_1"]
    transcript.apply(ev.text_content("msg_1", "b"))
    assert [each["content"] for each in transcript.messages] == ["ab", "Quero vender um iPhone"]
    assert transcript.open_texts == {"msg_1": "assistant"}


def test_messages_that_are_put_in_the_place_of_others_get_none_of_their_text() -> None:
    transcript = fold([RUN, ev.text_start("msg_1", "assistant"), ev.text_content("msg_1", "a")])
    earlier = list(transcript.messages)
    transcript.apply(ev.text_content("msg_1", "b"))
    assert [each["content"] for each in transcript.only(earlier).messages] == ["a"]
    assert [each["content"] for each in transcript.messages] == ["ab"]
    transcript.apply(ev.text_content("msg_1", "c"))
    transcript.messages = earlier
    assert [each["content"] for each in transcript.messages] == ["a"]


def test_a_long_text_that_nobody_reads_takes_little_more_memory_than_its_characters() -> None:
    transcript = fold([RUN, ev.text_start("msg_1", "assistant")])
    tracemalloc.start()
    try:
        for number in range(10_000):
            transcript.apply(ev.text_content("msg_1", f"word {number} "))
        took = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert took < 3 * len(transcript.messages[0]["content"])


def test_a_second_result_of_one_id_takes_the_place_of_the_first() -> None:
    called = [RUN, ev.tool_start("cal_1", "x"), ev.tool_end("cal_1"), *user(1)]
    transcript = fold([*called, ev.tool_result("res_1", "cal_1", "1")])
    assert transcript.apply(ev.tool_result("res_1", "cal_1", "2")) == ["res_1"]
    assert ids(transcript) == ["cal_1", "res_1", "usr_1"]
    assert transcript.messages[1]["content"] == "2"


def test_a_result_whose_call_is_not_here_is_the_last_message() -> None:
    transcript = fold([RUN, *user(1)])
    assert transcript.apply(ev.tool_result("res_9", "cal_9", "{}")) == ["res_9"]
    assert ids(transcript) == ["usr_1", "res_9"]


def test_a_snapshot_begins_an_open_message_with_what_is_known_of_it_and_nothing_else() -> None:
    start = ev.text_start("msg_1", "assistant")
    assert fold([RUN, start]).snapshot_events(THREAD)[-1] == start
    said = [start, ev.text_content("msg_1", "Qual")]
    assert fold([RUN, *said]).snapshot_events(THREAD)[-2:] == said
    named = ev.text_start("usr_1", "user", name="Ana", at=1, client_id="c1")
    assert fold([RUN, named]).snapshot_events(THREAD)[-1] == named
    called = ev.tool_start("cal_1", "x", at=3)
    assert fold([RUN, called]).snapshot_events(THREAD)[-1] == called


# Blocks.


def test_a_block_is_stored_with_the_run_that_changed_it_unless_it_is_its_own() -> None:
    shown = ev.activity("blk_1", "block", {"n": 1})
    changes = [
        ev.activity("blk_1", "block", {"n": 2}),
        ev.activity_delta("blk_1", "block", [{"op": "replace", "path": "/n", "value": 3}]),
    ]
    assert fold([RUN, shown, *changes]).revised == []
    outside = fold([shown, *changes])
    assert outside.revised == ["blk_1"]
    assert outside.messages[0]["content"] == {"n": 3}


def test_a_block_that_was_recalled_is_changed_where_it_is_and_not_shown_again() -> None:
    transcript = Transcript.of([], {}, older=True)
    transcript.recalled["blk_0"] = stored_block("blk_0", n=1)
    transcript.apply(RUN)
    patch = [{"op": "add", "path": "/status", "value": "answered"}]
    assert transcript.apply(ev.activity_delta("blk_0", "block", patch)) == ["blk_0"]
    known = transcript.message("blk_0")
    assert known is not None and known["content"] == {"n": 1, "status": "answered"}
    assert (transcript.messages, transcript.revised) == ([], ["blk_0"])


def test_only_the_open_block_of_an_interrupt_is_closed_without_an_answer() -> None:
    shown = [
        ev.activity("blk_1", "block", {"kind": "choices", "status": "open"}),
        ev.activity("blk_2", "block", {"interrupt_id": "int_2", "status": "answered"}),
        ev.activity("blk_3", "block", {"interrupt_id": "int_3", "status": "open"}),
    ]
    patch = [{"op": "add", "path": "/status", "value": "closed"}]
    assert fold([RUN, *shown]).settle_events() == [ev.activity_delta("blk_3", "block", patch)]


# The path, and the messages before the first one.


def test_another_path_replaces_all_messages_and_says_whether_there_are_older_ones() -> None:
    transcript = fold([RUN, *user(1), ev.text_start("msg_1", "assistant")])
    other = [stored("usr_9", run_id="run_0")]
    changed = transcript.apply(ev.messages_snapshot(other, scope="path", before="usr_8"))
    assert changed == ["usr_1", "msg_1", "usr_9"]
    assert (transcript.messages, transcript.older, transcript.open_texts) == (other, True, {})
    transcript.apply(ev.messages_snapshot(other))
    assert transcript.older is True
    transcript.apply(ev.messages_snapshot(other, scope="path"))
    assert transcript.older is False


def test_only_a_snapshot_of_a_path_is_another_path() -> None:
    assert is_of_path(ev.messages_snapshot([], scope="path"))
    assert not is_of_path(ev.messages_snapshot([], scope="run"))
    assert not is_of_path(ev.messages_snapshot([]))
    assert not is_of_path({**ev.state_snapshot({}), "metadata": {"loopwire": {"scope": "path"}}})


def test_a_transcript_of_the_last_messages_knows_that_there_are_older_ones() -> None:
    last = [stored("usr_1")]
    assert Transcript.of(last, {}, older=True).older is True
    assert Transcript.of(last, {}, older=True).only([]).older is True
    assert Transcript.of(last, {}).older is False


def test_a_transcript_begins_with_the_state_that_is_stored_or_with_none() -> None:
    assert Transcript.of([], {"product": 7}).state == {"product": 7}
    assert Transcript().state == {}


def test_a_message_without_versions_is_left_as_it_is() -> None:
    message = {"id": "msg_1", "role": "user", "content": ""}
    assert with_versions(message, ["msg_1"]) is message


TEXTS = [stored(f"m{number}") for number in range(5)]


@pytest.mark.parametrize(
    ("messages", "most", "kept"),
    [
        (TEXTS, 4, ["m1", "m2", "m3", "m4"]),
        (TEXTS, 1, ["m4"]),
        ([TEXTS[0], stored_call("cal_1"), stored_result("cal_1")], 1, ["cal_1", "res_cal_1"]),
        ([TEXTS[0], stored_call("cal_1", waits={}), *TEXTS[1:3]], 1, ["cal_1", "m1", "m2"]),
        ([stored_call("cal_1", waits={}), stored_result("cal_1"), *TEXTS[1:3]], 1, ["m2"]),
        ([TEXTS[0], stored("open", open=True), *TEXTS[1:3]], 1, ["open", "m1", "m2"]),
        ([TEXTS[0], stored_block("blk", interrupt_id="i", status="open"), TEXTS[1]], 1, ["blk", "m1"]),
        ([TEXTS[0], stored_block("blk", interrupt_id="i", status="answered"), TEXTS[1]], 1, ["m1"]),
        ([TEXTS[0], stored_block("blk", kind="choices", status="open"), TEXTS[1]], 1, ["m1"]),
    ],
    ids=["one more", "many", "call", "waiting", "answered", "open", "asking", "told", "choices"],
)
def test_a_trimmed_transcript_has_its_last_messages_and_what_a_later_event_changes(
    messages: list[Json], most: int, kept: list[str]
) -> None:
    transcript = Transcript.of(messages, {})
    transcript.trim(most)
    assert (ids(transcript), transcript.older) == (kept, True)


@pytest.mark.parametrize(
    ("messages", "most"),
    [(TEXTS, 5), (TEXTS, 6), (TEXTS, 50), ([stored_call("cal_1", waits={}), *TEXTS], 2)],
    ids=["as many", "one fewer", "few", "first waits"],
)
def test_a_transcript_that_has_no_more_than_it_may_is_not_trimmed(messages: list[Json], most: int) -> None:
    transcript = Transcript.of(messages, {})
    transcript.trim(most)
    assert (transcript.messages, transcript.older) == (messages, False)
