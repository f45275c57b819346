"""The first events of a run: what began it, what that ends, and what is shown again after a loss."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from server.protocol import events as ev
from server.protocol.content_parts import CONTEXT, EXPIRED, INPUT, RESUME, SWITCH
from server.protocol.events import ours
from server.protocol.operators import change_part, said_part
from server.protocol.transcript import Transcript
from server.runs.execution.opening import (
    begins_with_message,
    first_messages,
    opening_events,
    rewound,
    snapshot_of_run,
    start_event,
    transcript_before_agents,
    user_message,
)
from server.store import Branch, Checkpoint
from tests.unit.agents.outlet import run_row, session_row
from tests.unit.runs.test_ending import HELLO, claim_of

NOW = 1_800_000_000_000
BRANCH = Branch("msg_0", ["msg_1"], None, None, kept=True)
EMPTY = Transcript.of([], {})


def told_by(run_id: str, id: str, **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "role": "assistant",
        "content": id,
        "metadata": {"loopwire": {"run_id": run_id}},
        **more,
    }


def block_of(run_id: str, id: str, status: str = "open") -> dict[str, Any]:
    content = {"kind": "form", "status": status, "interrupt_id": "int_1"}
    return told_by(run_id, id, role="activity", activityType="block", content=content)


def types(events: list[dict[str, Any]]) -> list[str]:
    return [each["type"] for each in events]


def test_the_start_names_the_run_its_attempt_its_kind_and_what_it_goes_on_with() -> None:
    run = run_row(HELLO, kind="note", attempt=2, parent_run_id="run_0")
    told = start_event(run, NOW)
    assert (told["type"], told["threadId"], told["runId"]) == ("RUN_STARTED", "ses_1", run.id)
    assert (told["parentRunId"], told["timestamp"]) == ("run_0", NOW)
    assert ours(told) == {"attempt": 2, "kind": "note"}
    assert "timestamp" not in start_event(run)


@pytest.mark.parametrize(
    ("part", "begins"),
    [
        ({"type": "text", "text": "hello"}, True),
        ({"type": INPUT, "data": {}, "text": "a request"}, True),
        ({"type": RESUME}, False),
        ({"type": EXPIRED}, False),
        ({"type": SWITCH, "message_id": "msg_1"}, False),
        (said_part("Hi.", "Ana"), False),
        (change_part("joined", "Ana"), False),
    ],
)
def test_a_message_of_the_visitor_is_what_neither_the_server_nor_an_operator_wrote(
    part: dict[str, Any], begins: bool
) -> None:
    run = run_row([part])
    assert begins_with_message(run) is begins
    assert (user_message(run) != []) is begins


def test_a_message_is_shown_as_it_was_sent_without_data_and_without_what_the_page_says_of_itself() -> None:
    content = [
        {"type": INPUT, "data": {"a": 1}, "text": "a request"},
        {"type": CONTEXT, "data": {"page": "/"}},
    ]
    run = run_row(content, created_at=NOW, client_id="m1")
    start, text, end = user_message(run)
    assert (start["messageId"], start["role"], start["timestamp"]) == ("msg_user", "user", NOW)
    assert ours(start) == {"client_id": "m1", "content": [{"type": INPUT, "text": "a request"}]}
    assert (text["messageId"], text["delta"]) == ("msg_user", "a request")
    assert (end["type"], end["messageId"]) == ("TEXT_MESSAGE_END", "msg_user")


def test_a_picture_alone_is_a_message_without_words() -> None:
    assert types(user_message(run_row([{"type": "image", "blob_id": "blb_1"}]))) == [
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_END",
    ]


def test_a_new_version_of_a_message_names_the_earlier_ones_and_shows_a_notice() -> None:
    run = run_row(HELLO, created_at=NOW, language="en")
    *message, notice = first_messages(run, BRANCH)
    assert ours(message[0])["versions"] == ["msg_1", "msg_user"]
    assert (notice["type"], notice["messageId"]) == ("ACTIVITY_SNAPSHOT", "kept_msg_user")
    assert (notice["activityType"], notice["timestamp"]) == ("block", NOW)
    assert notice["content"]["kind"] == "notice"
    in_english = notice["content"]["title"]
    in_portuguese = first_messages(replace(run, language="pt"), BRANCH)[-1]["content"]["title"]
    assert in_english != in_portuguese
    assert in_english


@pytest.mark.parametrize(
    ("branch", "content"),
    [
        (None, HELLO),
        (replace(BRANCH, kept=False), HELLO),
        (BRANCH, [{"type": SWITCH, "message_id": "msg_1"}]),
    ],
)
def test_the_notice_about_kept_effects_is_absent_without_effects_or_new_message(
    branch: Branch | None, content: list[dict[str, Any]]
) -> None:
    assert "ACTIVITY_SNAPSHOT" not in types(first_messages(run_row(content), branch))


def test_an_operators_message_is_what_its_run_begins_with() -> None:
    run = run_row([said_part("On Monday.", "Ana")], created_at=NOW)
    start, text, _ = first_messages(run)
    assert (start["messageId"], start["name"], start["timestamp"]) == ("msg_user", "Ana", NOW)
    assert text["delta"] == "On Monday."


@pytest.mark.parametrize(
    ("given", "settles"),
    [
        ({"content": HELLO}, True),
        ({"content": [change_part("joined", "Ana")]}, True),
        ({"content": [change_part("left", "Ana")]}, False),
        ({"content": [said_part("Hi.", "Ana")]}, False),
        ({"content": [{"type": SWITCH, "message_id": "m"}], "branch": BRANCH}, True),
    ],
)
def test_messages_path_switches_and_joining_operators_close_waiting_blocks(
    given: dict[str, Any], settles: bool
) -> None:
    folded = Transcript.of([block_of("run_0", "blk_1")], {})
    opening = opening_events(claim_of(**given), folded, NOW)
    closing = [each for each in opening if each["type"] == "ACTIVITY_DELTA"]
    assert [each["messageId"] for each in closing] == (["blk_1"] if settles else [])


def test_a_run_that_leaves_the_path_says_first_what_the_path_is_and_its_public_state() -> None:
    folded = Transcript.of([told_by("run_0", "msg_0")], {})
    session = session_row(state={"a": 1, "_private": {"b": 2}})
    opening = opening_events(claim_of(branch=BRANCH, session=session), folded, NOW)
    assert types(opening)[:4] == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "STATE_SNAPSHOT", "TEXT_MESSAGE_START"]
    assert (opening[0]["timestamp"], ours(opening[1])["scope"]) == (NOW, "path")
    assert [each["id"] for each in opening[1]["messages"]] == ["msg_0"]
    assert opening[2]["snapshot"]["a"] == 1
    assert "MESSAGES_SNAPSHOT" not in types(opening_events(claim_of(session=session), folded, NOW))


def answer(**changes: Any) -> dict[str, Any]:
    given = {"type": RESUME, "kind": "form", "status": "resolved", "block_id": "blk_1", "call_id": "cal_1"}
    return {**given, **changes}


@pytest.mark.parametrize(
    ("part", "status"),
    [
        (answer(payload={"size": "S"}), "answered"),
        (answer(), "answered"),
        (answer(status="cancelled"), "declined"),
        (answer(kind="approval", payload={"approved": True}), "answered"),
        (answer(kind="approval", payload={"approved": False}), "declined"),
        (answer(kind="approval"), "declined"),
        (answer(kind="approval", status="cancelled", payload={"approved": True}), "declined"),
        (answer(type=EXPIRED), "expired"),
    ],
)
def test_the_block_that_asked_says_what_became_of_it_and_when(part: dict[str, Any], status: str) -> None:
    opening = opening_events(claim_of([part]), EMPTY, NOW)
    (change,) = [each for each in opening if each["type"] == "ACTIVITY_DELTA"]
    assert (change["messageId"], change["activityType"]) == ("blk_1", "block")
    set_to = {each["path"]: each["value"] for each in change["patch"]}
    answered = {"/answer": part["payload"]} if "payload" in part else {}
    assert set_to == {"/status": status, "/answered_at": NOW, **answered}
    assert {each["op"] for each in change["patch"]} == {"add"}


def test_a_call_that_nobody_answered_in_time_has_a_result_and_one_that_was_answered_gets_it_later() -> None:
    expired = opening_events(claim_of([answer(type=EXPIRED, block_id=None)]), EMPTY, NOW)
    assert types(expired) == ["RUN_STARTED", "TOOL_CALL_RESULT"]
    assert expired[1]["toolCallId"] == "cal_1"
    assert types(opening_events(claim_of([answer(kind="tool", block_id=None)]), EMPTY, NOW)) == [
        "RUN_STARTED"
    ]


def test_a_transcript_before_the_agents_holds_the_start_and_the_message_alone() -> None:
    run = run_row(HELLO, attempt=2)
    folded = transcript_before_agents(run, BRANCH)
    assert (folded.run.id, folded.run.attempt) == (run.id, 2) if folded.run else False
    assert [each["id"] for each in folded.messages] == ["msg_user", "kept_msg_user"]
    assert folded.state == {}


def checkpointed(**more: Any) -> Any:
    """Return a claim whose run has a checkpoint: what it said, and a block of an earlier run that it closed."""
    claim = claim_of(attempt=2, session=session_row(state={"a": 1}), **more)
    messages = [told_by(claim.run.id, "msg_9"), block_of("run_0", "blk_1", "answered")]
    return replace(claim, checkpoint=Checkpoint("{}", messages, {"a": 2}, [], "first"))


def test_a_take_over_shows_what_the_checkpoint_has_and_what_the_run_changed_before() -> None:
    claim = checkpointed()
    own, revised, state = rewound(claim)
    assert [each["id"] for each in own["messages"]] == ["msg_9"]
    assert ours(own) == {"scope": "run", "attempt": 2}
    assert (revised["type"], revised["messageId"]) == ("ACTIVITY_SNAPSHOT", "blk_1")
    assert (revised["activityType"], revised["content"]["status"]) == ("block", "answered")
    assert state["snapshot"] == {"a": 2}


def test_a_take_over_without_a_checkpoint_shows_what_began_the_run() -> None:
    claim = claim_of(attempt=2, session=session_row(state={"a": 1}), branch=BRANCH)
    own, state = rewound(claim)
    assert [each["id"] for each in own["messages"]] == ["msg_user", "kept_msg_user"]
    assert state["snapshot"] == {"a": 1}


@pytest.mark.parametrize(("takeover", "shown"), [(True, True), (False, False)])
def test_a_run_whose_log_is_gone_begins_with_what_its_holder_had_shown(takeover: bool, shown: bool) -> None:
    opening = opening_events(checkpointed(takeover=takeover), EMPTY, NOW)
    assert ("MESSAGES_SNAPSHOT" in types(opening)) is shown
    assert "MESSAGES_SNAPSHOT" not in types(opening_events(claim_of(takeover=True), EMPTY, NOW))


def folded_run(*before: dict[str, Any], branch: Any = None, older: bool = False) -> tuple[Any, Transcript]:
    """Return a run at work that said a word after these messages, and the conversation so far."""
    run = run_row(HELLO, attempt=2, branch=branch)
    folded = Transcript.of(list(before), {"a": 1}, older=older)
    for event in (start_event(run, NOW), *first_messages(run), ev.text_start("msg_9", "assistant")):
        folded.apply(event)
    folded.apply(ev.text_content("msg_9", "Hi"))
    return run, folded


def test_a_log_that_lost_all_begins_with_the_run_so_far_and_no_earlier_message() -> None:
    run, folded = folded_run(told_by("run_0", "msg_0"))
    told = snapshot_of_run(folded, run)
    assert types(told)[:3] == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "STATE_SNAPSHOT"]
    assert told[0]["threadId"] == "ses_1"
    assert ours(told[1]) == {"scope": "run", "attempt": 2}
    assert [each["id"] for each in told[1]["messages"]] == ["msg_user"]
    reader = Transcript.of([told_by("run_0", "msg_0")], {})
    for event in told:
        reader.apply(event)
    assert (reader.messages, reader.state) == (folded.messages, folded.state)


def test_a_log_that_lost_all_has_what_the_run_changed_of_earlier_messages() -> None:
    run, folded = folded_run(block_of("run_0", "blk_1"))
    folded.recalled |= {"blk_0": block_of("run_0", "blk_0")}
    closed = [{"op": "add", "path": "/status", "value": "closed"}]
    for id in ("blk_1", "blk_0"):
        folded.apply(ev.activity_delta(id, "block", closed))
    known, recalled = snapshot_of_run(folded, run)[-2:]
    assert (known["type"], known["messageId"]) == ("ACTIVITY_SNAPSHOT", "blk_1")
    # Who lacks the old one must not see it at the end.
    assert (recalled["type"], recalled["messageId"]) == ("ACTIVITY_DELTA", "blk_0")
    assert known["content"]["status"] == "closed"
    assert {"op": "add", "path": "/status", "value": "closed"} in recalled["patch"]


def test_a_log_that_lost_all_has_the_path_of_a_run_that_left_the_active_one() -> None:
    run, folded = folded_run(told_by("run_0", "msg_0"), branch={"version_of": "msg_1"})
    told = snapshot_of_run(folded, run)
    assert types(told)[:3] == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "MESSAGES_SNAPSHOT"]
    assert [ours(each).get("scope") for each in told[1:3]] == ["path", "run"]
    assert [[each["id"] for each in own["messages"]] for own in told[1:3]] == [["msg_0"], ["msg_user"]]
