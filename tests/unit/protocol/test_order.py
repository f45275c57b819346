"""A result is right after its call, for live readers and for readers of the stored messages."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from server.protocol import events as ev
from server.protocol.events import Event
from server.protocol.order import with_results_at_calls
from server.protocol.transcript import Transcript
from tests.parts.sampled import examples
from tests.unit.protocol.test_transcript import THREAD, WAITING, conversations, fold, roles, user


def stored_after(events: list[Event]) -> tuple[list[dict[str, Any]], list[Event]]:
    """Return what the runs that ended have stored, each its own messages after those of the runs before; and the log
    after.
    """
    transcript, stored, after = Transcript(), dict[str, dict[str, Any]](), 0
    for place, event in enumerate(events, 1):
        transcript.apply(event)
        run = transcript.run
        if event["type"] in {"RUN_FINISHED", "RUN_ERROR"} and run is not None:
            revised = [transcript.message(each) for each in transcript.revised]
            for each in (*transcript.run_messages(run.id), *revised):
                stored |= {each["id"]: each} if each else {}
            after = place
    return list(stored.values()), events[after:]


@settings(max_examples=examples(300), deadline=None)
@given(conversations(), st.data())
def test_stored_messages_and_the_log_after_them_have_the_order_of_the_whole_log(
    events: list[Event], data: st.DataObject
) -> None:
    prefix = events[: data.draw(st.integers(0, len(events)))]
    stored, tail = stored_after(prefix)
    joined = fold(tail, Transcript.of(with_results_at_calls(stored), {}))
    assert roles(joined) == roles(fold(prefix))


def test_results_stand_at_their_calls_though_calls_overlap_and_a_later_run_answers_one() -> None:
    calls = [each for n in (1, 2) for each in (ev.tool_start(f"cal_{n}", "x"), ev.tool_end(f"cal_{n}"))]
    shown = [ev.activity(f"prg_cal_{n}", "tool_progress", {"tool_call_id": f"cal_{n}"}) for n in (1, 2)]
    first = [ev.run_started(THREAD, "run_1"), *calls, *shown, ev.tool_result("res_cal_2", "cal_2", "{}")]
    first.append(ev.run_finished(THREAD, "run_1", {"type": "interrupt", "interrupts": [WAITING]}))
    second = [ev.run_started(THREAD, "run_2"), *user(2), ev.tool_result("res_cal_1", "cal_1", "{}")]
    whole = fold([*first, *second])
    order = ["cal_1", "res_cal_1", "cal_2", "res_cal_2", "prg_cal_1", "prg_cal_2", "usr_2"]
    assert [each["id"] for each in whole.messages] == order
    kept = whole.run_messages("run_2")
    assert [each["id"] for each in kept] == ["res_cal_1", "usr_2"]
    whole.apply(ev.messages_snapshot(kept, scope="run", attempt=2))
    assert [each["id"] for each in whole.messages] == order
