"""The outcome of a run, for each version of AG-UI."""

from __future__ import annotations

import pytest

from server.agui.outcome import with_outcome
from server.protocol import events as ev
from server.protocol.events import Event, ours

CALL = {
    "id": "int_1",
    "reason": "tool_call",
    "toolCallId": "cal_1",
    "metadata": {"loopwire": {"kind": "tool"}},
}
FORM = {"id": "int_2", "reason": "input_required", "metadata": {"loopwire": {"kind": "form"}}}


def finished(outcome: dict[str, object] | None = None) -> Event:
    """The end of a run."""
    return ev.run_finished("ses_1", "run_1", outcome)


@pytest.mark.parametrize("reads_1_0", [True, False])
def test_success_and_interrupts_are_sent_to_every_version(reads_1_0: bool) -> None:
    assert with_outcome(finished(), reads_1_0=reads_1_0)["outcome"] == {"type": "success"}
    waiting = {"type": "interrupt", "interrupts": [CALL, FORM]}
    asked = with_outcome(finished(waiting), reads_1_0=reads_1_0)["outcome"]
    assert asked == {"type": "interrupt", "interrupts": [FORM]}


def test_a_call_of_the_page_is_named_to_clients_of_1_0_and_success_to_no_other() -> None:
    waiting = finished({"type": "interrupt", "interrupts": [CALL]})
    named = with_outcome(waiting, reads_1_0=True)["outcome"]
    assert named == {"type": "success", "pendingToolCallIds": ["cal_1"]}
    assert "outcome" not in with_outcome(waiting, reads_1_0=False)


def test_a_stop_is_told_beside_the_outcome_before_1_0() -> None:
    stopped = finished({"type": "cancelled"})
    assert with_outcome(stopped, reads_1_0=True)["outcome"] == {"type": "cancelled"}
    told = with_outcome(stopped, reads_1_0=False)
    assert "outcome" not in told
    assert ours(told)["outcome"] == "cancelled"
