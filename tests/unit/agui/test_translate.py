"""The server knows a caller's messages in the caller's order, so that it removes none to send it again."""

from __future__ import annotations

from server.agui.names import Names
from server.agui.translate import AnswerTranslator
from server.protocol import events as ev
from server.protocol.transcript import Transcript
from tests.unit.protocol.test_transcript import THREAD, fold, user

RUN = [
    ev.run_started(THREAD, "run_1"),
    *user(1),
    ev.tool_start("cal_1", "make"),
    ev.tool_end("cal_1"),
    ev.activity("prg_cal_1", "tool_progress", {"tool_call_id": "cal_1", "progress": 1.0, "label": "x"}),
    ev.tool_result("res_cal_1", "cal_1", "{}"),
]


def test_a_caller_that_has_a_result_at_its_call_gets_one_snapshot() -> None:
    """Two would take the call's progress away and bring it back."""
    names = Names(session_id=THREAD, run_id="run_1", thread="t", run="r", sent={"c1": "c1"})
    translator = AnswerTranslator(names, Transcript())
    for event in RUN:
        translator.translate(event)
    told = [each for each in translator.jump(fold(RUN)) if each["type"] == "MESSAGES_SNAPSHOT"]
    assert [[each["id"] for each in event["messages"]] for event in told] == [
        ["c1", "cal_1", "res_cal_1", "prg_cal_1"]
    ]
