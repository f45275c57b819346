"""The log of a run as OpenAI's stream: the same numbers each time, and whole items whatever happened between."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from server.bus import Entry
from server.openai_clients.items import output_of
from server.openai_clients.translate import STEP, ResponseTranslator
from server.protocol import events as ev
from server.protocol.codec import encode_event
from server.protocol.events import Event
from tests.unit.protocol.test_transcript import THREAD, fold, user

ASKED = {
    "kind": "choices",
    "status": "open",
    "legend": "Is it this one?",
    "name": "product",
    "choices": [{"value": "p1", "label": "Yes"}, {"value": "no", "label": "No"}],
}
BEGIN = [
    ev.run_started(THREAD, "run_1"),
    *user(1),
    ev.tool_start("cal_1", "get_catalog"),
    ev.tool_args("cal_1", '{"query": "iPhone"}'),
    ev.tool_end("cal_1"),
    ev.tool_result("res_cal_1", "cal_1", '{"total": 1}'),
    ev.text_start("msg_a", "assistant"),
    ev.text_content("msg_a", "An "),
    ev.text_content("msg_a", "iPhone."),
]
REST = [
    ev.text_end("msg_a"),
    ev.text_start("msg_b", "assistant"),
    ev.text_content("msg_b", "Look:"),
    ev.text_end("msg_b"),
    ev.activity("blk_1", "block", ASKED),
    ev.run_finished(THREAD, "run_1"),
]


def entries(events: Iterable[Event], first: int = 5, epoch: str = "a.3") -> list[Entry]:
    """Return the events in a log."""
    return [Entry(seq, epoch, encode_event(each)) for seq, each in enumerate(events, first)]


def client_frames(*logs: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return what a client gets of these logs, one after the other."""
    translator = ResponseTranslator("run_1", "en")
    return [event for log in logs for entry in log for event in translator.translate(entry)]


def done(events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the items that were completed."""
    return [each["item"] for each in events if each["type"] == "response.output_item.done"]


def test_the_numbers_of_a_log_have_no_holes_and_its_items_are_those_of_the_stored_messages() -> None:
    events = client_frames(entries(BEGIN + REST))
    assert [each["sequence_number"] for each in events] == list(range(1, len(events) + 1))
    assert done(events) == output_of(fold(BEGIN + REST).run_messages("run_1"), "en")
    texts = [each["delta"] for each in events if each["type"] == "response.output_text.delta"]
    assert "".join(texts) == "An iPhone.\n\nLook:\n\n1. Yes\n2. No"
    assert [each["status"] for each in done(events)] == ["completed"] * 4


def test_another_run_of_the_session_says_nothing() -> None:
    assert client_frames(entries([ev.run_started(THREAD, "run_2"), *BEGIN[1:], *REST[:-1]])) == []


def test_numbers_of_a_new_attempt_begin_above_those_of_the_dead_process() -> None:
    again = [
        ev.text_end("msg_a"),
        ev.messages_snapshot(fold(BEGIN[:8]).run_messages("run_1")[:3], scope="run", attempt=2),
        ev.text_start("msg_c", "assistant"),
        ev.text_content("msg_c", "Once more."),
        ev.text_end("msg_c"),
        ev.run_finished(THREAD, "run_1"),
    ]
    events = client_frames(entries(BEGIN), entries(again, 20, "a.4"))
    numbers = [each["sequence_number"] for each in events]
    assert numbers == sorted(set(numbers))
    after = [each for each in events if each["sequence_number"] >= STEP]
    assert [each["id"] for each in done(after)] == ["msg_a", "msg_c"]
    assert after[0]["sequence_number"] == STEP


def test_a_new_log_that_repeats_the_run_says_nothing_twice() -> None:
    """Redis lost the log: its holder writes the run so far as a snapshot, and goes on."""
    repeated = fold(BEGIN).snapshot_events(THREAD)
    events = client_frames(entries(BEGIN), entries([*repeated, *REST], 40, "b.3"))
    whole = client_frames(entries(BEGIN + REST))
    assert events == whole


def test_a_call_that_waits_is_closed_as_incomplete_and_a_failed_one_says_why() -> None:
    ended = ev.run_finished(THREAD, "run_1", {"type": "interrupt", "interrupts": []})
    failed = ev.tool_result("res_cal_1", "cal_1", "no", status="failed")
    assert done(client_frames(entries([*BEGIN[:-4], ended])))[0]["status"] == "incomplete"
    call = done(client_frames(entries([*BEGIN[:-4], failed, ended])))[0]
    assert (call["status"], call["error"]["content"][0]["text"]) == ("failed", "no")


def test_a_summary_of_reasoning_is_nothing_to_a_client() -> None:
    thought = [
        ev.reasoning_start("msg_t"),
        ev.reasoning_content("msg_t", "It may be."),
        ev.reasoning_end("msg_t"),
    ]
    events = [*BEGIN[:4], *thought, *BEGIN[4:], *REST]
    assert client_frames(entries(events)) == client_frames(entries([*BEGIN, *REST]))
    stored = fold(events).messages
    assert "reasoning" in {each["role"] for each in stored}
    assert output_of(stored, "en") == output_of(fold([*BEGIN, *REST]).messages, "en")
