"""Blocks as texts: what a caller that draws none gets in place of each."""

from __future__ import annotations

from typing import Any

from server.agui.block_texts import with_written_blocks
from server.agui.names import Names
from server.agui.translate import AnswerTranslator
from server.protocol import events as ev
from server.protocol.transcript import Transcript
from tests.unit.protocol.test_transcript import THREAD, fold, user

Json = dict[str, Any]


def question(status: str = "open") -> Json:
    choices = [{"value": "17", "label": "Polly Magic"}, {"value": "18", "label": "Polly Beam"}]
    return {"kind": "choices", "name": "product", "legend": "Which?", "choices": choices, "status": status}


RUN = [
    ev.run_started(THREAD, "run_1"),
    *user(1),
    ev.activity("blk_1", "block", question()),
    ev.activity("prg_1", "tool_progress", {"tool_call_id": "cal_1", "progress": 1.0, "label": "x"}),
    ev.run_finished(THREAD, "run_1"),
]
SAID = "**Which?**\n\n1. Polly Magic\n2. Polly Beam"


def names(*, writes_blocks: bool) -> Names:
    return Names(
        session_id=THREAD, run_id="run_1", thread="t", run="r", sent={"c1": "c1"}, writes_blocks=writes_blocks
    )


def test_a_question_is_said_at_the_end_of_its_run_and_no_block_is_sent() -> None:
    translator = AnswerTranslator(names(writes_blocks=True), Transcript())
    told = [each for event in RUN for each in translator.translate(event)]
    assert "block" not in [each.get("activityType") for each in told]
    assert "tool_progress" in [each.get("activityType") for each in told]
    *_, start, content, end, last = told
    assert [start["type"], start["role"], content["delta"]] == ["TEXT_MESSAGE_START", "assistant", SAID]
    assert {start["messageId"], content["messageId"], end["messageId"]} == {"blk_1"}
    assert last["type"] == "RUN_FINISHED"


def test_a_caller_that_draws_blocks_gets_them_as_they_are() -> None:
    translator = AnswerTranslator(names(writes_blocks=False), Transcript())
    told = [each for event in RUN for each in translator.translate(event)]
    assert [each["content"] for each in told if each.get("activityType") == "block"] == [question()]
    assert not [each for each in told if each["type"] == "TEXT_MESSAGE_CONTENT"]


def test_a_question_that_a_snapshot_has_said_is_not_said_again() -> None:
    translator = AnswerTranslator(names(writes_blocks=True), Transcript())
    told = translator.translate_rest(fold(RUN), RUN[-1])
    (snapshot,) = [each for each in told if each["type"] == "MESSAGES_SNAPSHOT"]
    (said,) = [each for each in snapshot["messages"] if each["id"] == "blk_1"]
    assert (said["role"], said["content"], "activityType" in said) == ("assistant", SAID, False)
    assert not [each for each in told if each["type"] == "TEXT_MESSAGE_START"]


def test_questions_of_the_running_run_and_answered_ones_are_left_out() -> None:
    messages = fold(RUN).messages
    running = with_written_blocks(messages, "en", running="run_1")
    assert "blk_1" not in [each["id"] for each in running]
    answered = [
        {**each, "content": question("answered")} if each["id"] == "blk_1" else each for each in messages
    ]
    assert "blk_1" not in [each["id"] for each in with_written_blocks(answered, "en", running=None)]
    assert [each["id"] for each in with_written_blocks(messages, "en", running=None)] == [
        each["id"] for each in messages
    ]
