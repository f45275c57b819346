"""The usage that is counted, its limits, and its runs."""

from types import SimpleNamespace

import pytest
from agents import Usage

from server.agents.run.usage import RunUsage
from server.agents.service import RunLimits
from server.errors import Limit, ToolFailed
from server.prices import UNREPORTED

DETAILS = {"input_tokens_details": None, "output_tokens_details": None}


def used(run_usage, count):
    run_usage.add_call(
        SimpleNamespace(input_tokens=count - 1, output_tokens=1, total_tokens=count, **DETAILS)
    )


def test_an_answer_that_was_not_streamed_counts_the_same():
    run_usage = RunUsage.of(RunLimits(tokens=100), None, "run_1")
    run_usage.count_model_call()
    run_usage.add_response(Usage(requests=1, input_tokens=90, output_tokens=10, total_tokens=100))
    assert run_usage.usage("m") == {"model": "m", "inputTokens": 90, "outputTokens": 10, "totalTokens": 100}
    with pytest.raises(Limit):
        run_usage.count_model_call()


def test_no_call_is_made_once_the_tokens_are_spent():
    run_usage = RunUsage.of(RunLimits(tokens=100), None, "run_1")
    for _ in range(2):
        run_usage.count_model_call()
        used(run_usage, 50)
    with pytest.raises(Limit):
        run_usage.count_model_call()


def test_usage_without_counts_is_estimated_and_marked_as_estimated():
    run_usage = RunUsage.of(RunLimits(tokens=100), None, "run_1")
    run_usage.count_model_call()
    run_usage.add_estimate(380, 17)
    assert run_usage.usage("m") == {
        "model": "m",
        "inputTokens": 95,
        "outputTokens": 5,
        "totalTokens": 100,
        "estimatedTokens": 100,
    }
    with pytest.raises(Limit):
        run_usage.count_model_call()


def test_only_failures_in_a_row_end_the_run():
    run_usage = RunUsage.of(RunLimits(tool_failures=2), None, "run_1")
    for status in ("failed", "done", "failed", "done", "failed"):
        run_usage.count_model_call()
        run_usage.count_tool_end(status)
    run_usage.count_model_call()
    with pytest.raises(ToolFailed):
        run_usage.count_tool_end("failed")


def test_failures_side_by_side_count_once():
    run_usage = RunUsage.of(RunLimits(tool_failures=2), None, "run_1")
    run_usage.count_model_call()
    for _ in range(5):
        run_usage.count_tool_end("failed")
    run_usage.count_model_call()
    with pytest.raises(ToolFailed):
        run_usage.count_tool_end("failed")


def test_a_resumed_run_goes_on_counting_and_is_charged_for_its_own():
    first = RunUsage.of(RunLimits(tokens=100), None, "run_1")
    first.count_model_call()
    used(first, 60)
    taken_over = RunUsage.of(first.limits, first.to_checkpoint(), "run_1")
    assert taken_over.usage("m")["totalTokens"] == 60
    resumed = RunUsage.of(first.limits, first.to_checkpoint(), "run_2")
    assert resumed.usage("m") == {}
    resumed.count_model_call()
    used(resumed, 50)
    again = RunUsage.of(first.limits, resumed.to_checkpoint(), "run_2")
    assert (again.usage("m")["totalTokens"], again.model_calls) == (50, 2)
    with pytest.raises(Limit):
        again.count_model_call()


def test_an_answer_that_is_being_written_is_held_against_the_tokens_by_its_characters():
    run_usage = RunUsage.of(RunLimits(tokens=100), None, "run_1")
    used(run_usage, 60)
    run_usage.require_tokens_for(163)
    with pytest.raises(Limit):
        run_usage.require_tokens_for(164)
    RunUsage.of(RunLimits(tokens=10), None).require_tokens_for(43)


def test_models_and_tools_are_called_as_often_as_the_limits_say():
    run_usage = RunUsage.of(RunLimits(model_calls=2, tool_calls=3), None, "run_1")
    for _ in range(2):
        run_usage.count_model_call()
    for _ in range(3):
        run_usage.count_tool_call()
    for count in (run_usage.count_model_call, run_usage.count_tool_call):
        with pytest.raises(Limit):
            count()
    assert (run_usage.model_calls, run_usage.tool_calls) == (2, 3)


def test_usage_keeps_cached_and_reasoning_tokens_of_an_answer():
    run_usage = RunUsage.of(RunLimits(), None, "run_1")
    details = {
        "input_tokens_details": SimpleNamespace(cached_tokens=4),
        "output_tokens_details": SimpleNamespace(reasoning_tokens=3),
    }
    counted = SimpleNamespace(input_tokens=10, output_tokens=5, total_tokens=15, **details)
    run_usage.add_call(counted)  # type: ignore[arg-type]
    run_usage.add_response(counted)  # type: ignore[arg-type]
    assert run_usage.usage("m") == {
        "model": "m",
        "inputTokens": 20,
        "outputTokens": 10,
        "totalTokens": 30,
        "cachedInputTokens": 8,
        "reasoningTokens": 6,
    }


def test_an_answer_that_nobody_counted_is_told_as_such():
    run_usage = RunUsage.of(RunLimits(), None, "run_1")
    run_usage.add_call(None)
    run_usage.add_response(Usage(requests=1))
    assert run_usage.usage("m") == {"model": "m", UNREPORTED: 2}
    assert RunUsage.of(RunLimits(), None).usage("m") == {}


def test_an_estimate_is_rounded_up():
    run_usage = RunUsage.of(RunLimits(), None, "run_1")
    run_usage.add_estimate(1, 5)
    assert run_usage.usage("m") == {
        "model": "m",
        "inputTokens": 1,
        "outputTokens": 2,
        "totalTokens": 3,
        "estimatedTokens": 3,
    }


def test_calls_and_failures_count_on_after_a_take_over():
    first = RunUsage.of(RunLimits(tool_calls=2, tool_failures=2), None, "run_1")
    first.count_model_call()
    first.count_tool_call()
    first.count_tool_end("failed")
    kept = first.to_checkpoint()
    assert "limits" not in kept
    again = RunUsage.of(first.limits, kept, "run_1")
    assert (again.run_id, again.model_calls, again.tool_calls, again.failures) == ("run_1", 1, 1, 1)
    again.count_tool_call()
    with pytest.raises(Limit):
        again.count_tool_call()
    again.count_model_call()
    with pytest.raises(ToolFailed):
        again.count_tool_end("failed")
    used(again, 5)
    assert kept["tokens"] == {}, "a checkpoint is not changed by who goes on"


def test_a_failure_counts_again_after_a_call_that_worked_in_the_same_answer():
    run_usage = RunUsage.of(RunLimits(tool_failures=1), None, "run_1")
    run_usage.count_tool_end("done")
    run_usage.count_tool_end("unknown")
    with pytest.raises(ToolFailed):
        run_usage.count_tool_end("failed")
