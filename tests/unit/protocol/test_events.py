"""Every constructor makes an event that the reference models of AG-UI accept, without fields that they do not know."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ag_ui.core import Event as AgUiEvent
from msgspec import Raw
from pydantic import BaseModel, TypeAdapter

from server.protocol import events as ev
from server.protocol.codec import decode_event, encode_event, mend_json

MESSAGE = {"id": "msg_1", "role": "user", "content": "Olá", "metadata": {"loopwire": {"run_id": "run_1"}}}

SAMPLES: list[ev.Event] = [
    ev.run_started("ses_1", "run_1"),
    ev.run_started("ses_1", "run_1", attempt=2, parent_run_id="run_0", kind="note", at=1_700_000_000_000),
    ev.run_finished("ses_1", "run_1"),
    ev.run_finished("ses_1", "run_1", {"type": "cancelled"}, at=5),
    ev.run_finished(
        "ses_1",
        "run_1",
        {"type": "interrupt", "interrupts": [{"id": "int_1", "reason": "approval", "toolCallId": "cal_1"}]},
        [{"provider": "openai", "model": "m", "inputTokens": 3, "outputTokens": 4}],
    ),
    ev.run_error("The model could not answer.", "model_error"),
    ev.run_error("The model could not answer.", "model_error", run_id="run_1", at=4),
    ev.text_start("msg_1", "assistant"),
    ev.text_start("msg_1", "user", name="Ana", at=1, client_id="c1", content=[{"type": "text", "text": "a"}]),
    ev.text_start("msg_1", "assistant", name="Ana", at=1, operator=True),
    ev.text_start("msg_1", "user", versions=["msg_0", "msg_1"]),
    ev.text_content("msg_1", ""),
    ev.text_end("msg_1"),
    ev.reasoning_start("msg_2"),
    ev.reasoning_start("msg_2", agent="first", at=8),
    ev.reasoning_content("msg_2", "Looks"),
    ev.reasoning_end("msg_2"),
    ev.reasoning_end("msg_2", duration_ms=40, truncated=True),
    ev.tool_start("cal_1", "get_catalog"),
    ev.tool_start("cal_1", "get_catalog", at=7),
    ev.tool_args("cal_1", '{"query":"iphone"}'),
    ev.tool_end("cal_1"),
    ev.tool_result("res_1", "cal_1", "{}", duration_ms=12),
    ev.tool_result("res_1", "cal_1", "{}", status="stopped", at=3),
    ev.step_started("agent"),
    ev.step_finished("agent"),
    ev.state_snapshot({"product": None}),
    ev.state_delta([{"op": "replace", "path": "/product", "value": "iPhone"}]),
    ev.activity("blk_1", "block", {"kind": "choices"}),
    ev.activity("blk_1", "block", {"kind": "choices"}, replace=False, at=9),
    ev.activity_delta("blk_1", "block", [{"op": "add", "path": "/status", "value": "answered"}]),
    ev.messages_snapshot([MESSAGE]),
    ev.messages_snapshot([MESSAGE], scope="run", attempt=2),
    ev.messages_snapshot([MESSAGE], scope="path", before="msg_0"),
]

_reference: TypeAdapter[Any] = TypeAdapter(AgUiEvent)


def unknown_fields(model: Any) -> list[str]:
    """Find fields that the reference client would strip with a warning."""
    if isinstance(model, list):
        return [each for item in model for each in unknown_fields(item)]
    if not isinstance(model, BaseModel):
        return []
    inner = [each for name in type(model).model_fields for each in unknown_fields(getattr(model, name))]
    return [*(model.model_extra or {}), *inner]


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: event["type"])
def test_the_reference_models_accept_every_event_and_know_all_its_fields(event: ev.Event) -> None:
    model = _reference.validate_python(event)
    assert unknown_fields(model) == []
    assert model.model_dump(mode="json", by_alias=True) == event


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: event["type"])
def test_bytes_give_the_event_back(event: ev.Event) -> None:
    assert decode_event(encode_event(event)) == event


NO_EVENTS = {"ours", "interrupt"}
"""What reads an event, and what makes a part of one."""


def test_every_constructor_has_a_sample() -> None:
    source = Path(__file__).read_text()
    begin = source.index("SAMPLES: list")
    sampled = set(re.findall(r"^    ev\.(\w+)\(", source[begin : source.index("\n]\n", begin)], re.MULTILINE))
    constructors = {
        name
        for name, value in vars(ev).items()
        if inspect.isfunction(value) and not name.startswith("_") and name not in NO_EVENTS
    }
    assert sampled == constructors


def test_json_that_is_no_object_is_no_event() -> None:
    for data in (b"[]", b"1", b"{", b""):
        with pytest.raises(ValueError):
            decode_event(data)


def test_our_own_data_is_read_from_its_one_place() -> None:
    assert ev.ours({"metadata": {"loopwire": {"run_id": "run_1"}}}) == {"run_id": "run_1"}
    assert ev.ours({"metadata": {"other": 1}}) == {}
    assert ev.ours({}) == {}


def test_half_a_character_keeps_no_event_from_being_written_and_is_the_same_for_all() -> None:
    event = ev.text_content("msg_1", "a\ud83d b\udeb2 \ud83d\udeb2")
    event["metadata"] = {"said": ["\udeb2\ud83d", {"\ud83d": float("nan")}]}
    data = encode_event(event)
    assert decode_event(data)["delta"] == event["delta"] == "a\ufffd b\ufffd 🚲"
    assert decode_event(data)["metadata"] == {"said": ["\ufffd\ufffd", {"\ufffd": None}]}
    assert list(decode_event(data)) == list(event) and encode_event(event) == data


def test_half_a_character_beside_what_is_json_already_is_mended() -> None:
    event = {"type": "MESSAGES_SNAPSHOT", "messages": [Raw(b'{"id":"a"}'), {"id": "b\ud83d"}]}
    assert decode_event(encode_event(event))["messages"] == [{"id": "a"}, {"id": "b\ufffd"}]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ('{"a":  "\\n"}', '{"a":  "\\n"}'),
        ('{"a":  "\\ud83d\\udeb2"}', '{"a":  "\\ud83d\\udeb2"}'),
        ('{"a":  "\ud83d\udeb2"}', '{"a": "🚲"}'),
        ('{"a":  "x\\ud83d"}', '{"a": "x\ufffd"}'),
        ('{"a":  "x\ud83d', '{"a":  "x\ufffd'),
        ("[" * 100_000 + "\\u", "[" * 100_000 + "\\u"),
    ],
)
def test_only_json_with_half_a_character_is_changed(text: str, whole: str) -> None:
    assert mend_json(text) == whole


def test_constructors_put_known_values_into_the_fields_of_ag_ui() -> None:
    assert ev.run_started("ses_1", "run_1", attempt=2, parent_run_id="run_0", kind="note", at=5) == {
        "type": "RUN_STARTED",
        "threadId": "ses_1",
        "runId": "run_1",
        "protocolVersion": "1.0",
        "parentRunId": "run_0",
        "timestamp": 5,
        "metadata": {"loopwire": {"attempt": 2, "kind": "note"}},
    }
    usage = [{"provider": "openai", "model": "m", "inputTokens": 3, "outputTokens": 4}]
    outcome = {"type": "cancelled"}
    assert ev.run_finished("ses_1", "run_1", outcome, usage, estimated_tokens=7, at=5) == {
        "type": "RUN_FINISHED",
        "threadId": "ses_1",
        "runId": "run_1",
        "outcome": {"type": "cancelled"},
        "usage": usage,
        "timestamp": 5,
        "metadata": {"loopwire": {"estimated_tokens": 7}},
    }
    assert ev.run_error("It is broken.", "internal", run_id="run_1", at=5) == {
        "type": "RUN_ERROR",
        "message": "It is broken.",
        "code": "internal",
        "timestamp": 5,
        "metadata": {"loopwire": {"run_id": "run_1"}},
    }
    parts = [{"type": "text", "text": "a"}]
    said = ev.text_start(
        "msg_1", "user", name="Ana", at=5, client_id="c1", content=parts, operator=True, versions=["m", "n"]
    )
    own = {"client_id": "c1", "content": parts, "operator": True, "versions": ["m", "n"]}
    assert said == {
        "type": "TEXT_MESSAGE_START",
        "messageId": "msg_1",
        "role": "user",
        "name": "Ana",
        "timestamp": 5,
        "metadata": {"loopwire": own},
    }
    assert ev.tool_start("cal_1", "get_catalog", at=5) == {
        "type": "TOOL_CALL_START",
        "toolCallId": "cal_1",
        "toolCallName": "get_catalog",
        "timestamp": 5,
    }
    assert ev.tool_result("res_1", "cal_1", "{}", status="stopped", duration_ms=12, at=5) == {
        "type": "TOOL_CALL_RESULT",
        "messageId": "res_1",
        "toolCallId": "cal_1",
        "content": "{}",
        "role": "tool",
        "timestamp": 5,
        "metadata": {"loopwire": {"status": "stopped", "duration_ms": 12}},
    }
    assert ev.activity("blk_1", "block", {"kind": "choices"}, replace=False, at=5) == {
        "type": "ACTIVITY_SNAPSHOT",
        "messageId": "blk_1",
        "activityType": "block",
        "content": {"kind": "choices"},
        "replace": False,
        "timestamp": 5,
    }
    assert ev.messages_snapshot((MESSAGE,), scope="path", attempt=2, before="msg_0") == {
        "type": "MESSAGES_SNAPSHOT",
        "messages": [MESSAGE],
        "metadata": {"loopwire": {"scope": "path", "attempt": 2, "before": "msg_0"}},
    }


def test_constructors_leave_out_unknown_values() -> None:
    assert ev.run_finished("ses_1", "run_1", usage=[]) == {
        "type": "RUN_FINISHED",
        "threadId": "ses_1",
        "runId": "run_1",
        "outcome": {"type": "success"},
    }
    assert ev.text_start("msg_1", "user", content=[], versions=["msg_1"]) == {
        "type": "TEXT_MESSAGE_START",
        "messageId": "msg_1",
        "role": "user",
    }
    assert ev.messages_snapshot([]) == {"type": "MESSAGES_SNAPSHOT", "messages": []}
    assert "replace" not in ev.activity("blk_1", "block", {})


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        (lambda: ev.text_content("msg_1", "a"), {"messageId": "msg_1", "delta": "a"}),
        (lambda: ev.text_end("msg_1"), {"messageId": "msg_1"}),
        (lambda: ev.tool_args("cal_1", "{}"), {"toolCallId": "cal_1", "delta": "{}"}),
        (lambda: ev.tool_end("cal_1"), {"toolCallId": "cal_1"}),
        (lambda: ev.step_started("agent"), {"stepName": "agent"}),
        (lambda: ev.state_delta([{"op": "test"}]), {"delta": [{"op": "test"}]}),
    ],
)
def test_constructors_of_short_events_hold_their_arguments(
    event: Callable[[], ev.Event], fields: dict[str, Any]
) -> None:
    assert {name: value for name, value in event().items() if name != "type"} == fields


def test_an_interrupt_names_the_call_that_waits_and_the_block_that_shows_it() -> None:
    schema = {"type": "object"}
    waits = ev.interrupt(
        "int_1", "cal_1", "Pay?", schema, expires_at=1_700_000_000_250, kind="approval", block_id="blk_1"
    )
    assert waits == {
        "id": "int_1",
        "reason": "tool_call",
        "message": "Pay?",
        "toolCallId": "cal_1",
        "responseSchema": schema,
        "expiresAt": "2023-11-14T22:13:20.250Z",
        "metadata": {"loopwire": {"kind": "approval", "block_id": "blk_1"}},
    }
