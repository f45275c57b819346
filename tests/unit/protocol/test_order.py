"""A result is right after its call, for live readers and for readers of the stored messages."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.protocol import events as ev
from server.protocol.events import Event
from server.protocol.order import (
    unanswered_calls,
    whole_calls,
    with_results_at_calls,
    with_run,
    without_strays,
)
from server.protocol.transcript import Transcript
from tests.parts.sampled import examples
from tests.unit.protocol.test_folds import stored, stored_call, stored_result
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


def test_a_second_result_of_a_call_is_after_the_first() -> None:
    called = [ev.run_started(THREAD, "run_1"), *user(1), ev.tool_start("cal_1", "x"), ev.tool_end("cal_1")]
    results = [ev.tool_result(each, "cal_1", "{}") for each in ("res_1", "res_2", "res_3")]
    whole = fold([*called, *user(2), *results])
    assert [each["id"] for each in whole.messages] == ["usr_1", "cal_1", "res_1", "res_2", "res_3", "usr_2"]


STRAY = [stored("a"), stored_result("cal_9"), stored_call("cal_1"), stored("b"), stored_result("cal_1")]


def test_a_result_whose_call_is_elsewhere_keeps_its_place_or_is_left_out() -> None:
    assert [each["id"] for each in with_results_at_calls(STRAY)] == [
        "a", "res_cal_9", "cal_1", "res_cal_1", "b",
    ]  # fmt: skip
    assert [each["id"] for each in without_strays(STRAY)] == ["a", "cal_1", "b", "res_cal_1"]


def test_calls_whose_results_are_elsewhere_are_named() -> None:
    assert unanswered_calls([*STRAY, stored_call("cal_2"), stored_call("cal_3")]) == ["cal_2", "cal_3"]
    assert unanswered_calls(STRAY) == []


def test_a_run_that_has_no_messages_yet_gets_them_at_the_end() -> None:
    others = [stored("a", run_id="run_0"), stored_call("cal_1", run_id="run_0")]
    answer = {**stored_result("cal_1"), "metadata": {"loopwire": {"run_id": "run_1"}}}
    given = [stored("d", run_id="run_1")]
    assert with_run(others, "run_1", given) == [*others, *given]
    assert with_run([*others, answer], "run_1", given) == [*others, *given]


@pytest.mark.parametrize(
    ("before", "after", "cut"),
    [(0, 0, 0), (19, 19, 0), (20, 0, 21), (0, 20, 1)],
    ids=["beside", "near", "far before", "far after"],
)
def test_a_cut_moves_before_a_call_whose_result_is_among_twenty_messages(
    before: int, after: int, cut: int
) -> None:
    """A result that is stored far from its call is read with its call: the cut stays."""
    texts = [stored(f"m{number}") for number in range(40)]
    messages = [stored_call("cal_1"), *texts[:before], *texts[20 : 20 + after], stored_result("cal_1")]
    assert whole_calls(messages, 1 + before) == cut
