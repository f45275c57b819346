"""The conformance kit judges frames by the schema of the wire, and says what is wrong with an event of its type."""

from __future__ import annotations

from typing import Any

import pytest

from loopwire.conformance.faults import Fault
from loopwire.conformance.schemas import require_valid

Json = dict[str, Any]


def fault_of(frame: Json) -> str:
    """Return what the kit says of a frame of the server; nothing where it is right."""
    try:
        require_valid("ServerFrame", frame)
    except Fault as fault:
        return str(fault)
    return ""


@pytest.mark.parametrize(
    ("event", "fault"),
    [
        ({"type": "RUN_STARTED", "threadId": "ses_1"}, "event has no runId"),
        ({"type": "TEXT_MESSAGE_CONTENT", "messageId": "msg_1", "delta": 1}, "event.delta is no string"),
        ({"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "m"}]}, "event.messages[0] has no role"),
        ({"type": 3}, "event"),
    ],
    ids=str,
)
def test_a_wrong_event_is_told_by_what_is_wrong_with_its_type(event: Json, fault: str) -> None:
    assert fault in fault_of({"seq": 1, "event": event})


@pytest.mark.parametrize(
    "event",
    [
        {"type": "STEP_STARTED", "stepName": "agent", "more": 1},
        {"type": "TEXT_MESSAGE_CHUNK", "value": 1},
        {"type": "SOMETHING_NEW"},
    ],
    ids=str,
)
def test_a_right_event_and_one_of_a_newer_server_have_no_fault(event: Json) -> None:
    assert fault_of({"seq": 1, "event": event}) == ""
    assert fault_of({"type": "snapshot", "epoch": "a.1", "seq": 1, "events": [event]}) == ""


def test_a_wrong_control_frame_is_told_by_what_is_wrong_with_its_type() -> None:
    assert fault_of({"type": "reconnect", "after_ms": "soon"}) == "ServerFrame.after_ms is no integer"
    assert fault_of({"type": "ack", "id": None}) == "ServerFrame.id is no string"
