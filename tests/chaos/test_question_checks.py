"""The judge of questions reports each wrong question and answer, and accepts right ones."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.chaos.frame_checks import FrameChecks, Record
from tests.chaos.question_checks import Answers
from tests.chaos.tab import Browser, Tab

INTERRUPT = {
    "id": "int_a", "call_id": "cal_a", "run_id": "run_a", "kind": "approval", "block_id": "blk_a",
    "status": "answered", "answer": {"approved": True}, "answered_by": "run_b", "expires_at": 9, "closed_at": 5,
}  # fmt: skip
RUNS = [
    {"id": "run_a", "place": 1, "client_id": "said-1"},
    {"id": "run_b", "place": 2, "client_id": "yes-1"},
]
RESULT = {"id": "msg_r", "role": "tool", "toolCallId": "cal_a", "content": "{}"}
CALL = {"id": "msg_c", "role": "assistant", "toolCalls": [{"id": "cal_a"}]}
VERSION = {"edit-1": {"type": "edit", "id": "edit-1"}}
WAITS = {"answered_by": None, "closed_at": None, "answer": None}


def block(status: str) -> dict[str, Any]:
    """Return what is shown of the question."""
    return {"id": "blk_a", "role": "activity", "content": {"kind": "approval", "status": status}}


def judged(
    interrupt: dict[str, Any],
    *shown: dict[str, Any],
    runs: list[dict[str, Any]] = RUNS,
    acks: dict[str, Any] | None = None,
    refused: dict[str, str] | None = None,
    versions: dict[str, Any] | None = None,
    stored: tuple[dict[str, Any], ...] = (CALL,),
) -> list[str]:
    """Return what is blamed in a conversation in which one tab has said yes."""
    checks = FrameChecks()
    tab = Tab(Browser("http://127.0.0.1:1", "10.0.0.1", checks), "chat", "pt", Random(1), session="ses_a")
    tab.acks = {"yes-1": {"run_id": "run_b"}} if acks is None else acks
    tab.refused = refused or {}
    yes = {"type": "resume", "entries": [{"interrupt_id": "int_a"}]}
    record = Record(
        tabs=[tab],
        sent={"said-1": {}},
        answers={id: {**yes, "id": id} for id in ("yes-1", "yes-2")},
        versions=versions or {},
    )
    Answers(record, [{**INTERRUPT, **interrupt}], runs, list(shown), list(stored), checks).judge()
    return [each.splitlines()[0] for each in checks.violations]


def test_the_judge_accepts_a_question_whose_answer_was_executed_and_shown() -> None:
    assert judged({}, block("answered"), RESULT) == []
    assert judged({}, block("answered"), RESULT, refused={"yes-2": "answered"}) == []
    assert judged({"answer": {"approved": False}}, block("declined"), RESULT) == []
    assert judged({**WAITS, "status": "open"}, block("open"), runs=RUNS[:1], acks={}) == []


def test_the_judge_expects_no_block_of_a_version_that_is_not_shown() -> None:
    overridden_before = {**RESULT, "toolCallId": "cal_before", "metadata": {"loopwire": {"run_id": "run_a"}}}
    assert judged({}, overridden_before, versions=VERSION) == []


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (judged({}, block("open"), RESULT), "shown is"),
        (judged({}, block("answered")), "has 0 results"),
        (judged({}, block("answered"), RESULT, RESULT), "two results"),
        (judged({}, CALL, versions=VERSION), "shown is None"),
        (judged({}, versions=VERSION, stored=()), "shown is None"),
        (judged({"status": "cancelled"}, block("answered"), RESULT), "shown is"),
        (judged({}, block("answered"), RESULT, acks={"yes-1": {"run_id": "run_c"}}), "acknowledged were"),
        (judged({**WAITS, "status": "open"}, block("open")), "acknowledged were"),
        (
            judged({}, block("answered"), RESULT, acks={id: {"run_id": "run_b"} for id in ("yes-1", "yes-2")}),
            "answered 2 times",
        ),
        (judged({}, block("answered"), RESULT, refused={"yes-2": "expired"}), "refused with expired"),
        (
            judged({**WAITS, "status": "expired", "closed_at": 5}, block("expired"), RESULT, acks={}),
            "before its time",
        ),
        (
            judged({**WAITS, "status": "overridden"}, block("closed"), RESULT, runs=RUNS[:1], acks={}),
            "written since was []",
        ),
        (judged({"answered_by": "run_a"}, block("answered"), RESULT, acks={}), "answered by nobody here"),
    ],
)  # fmt: skip
def test_the_judge_reports_each_kind_of_wrong_question(found: list[str], says: str) -> None:
    assert any(says in each for each in found), found
