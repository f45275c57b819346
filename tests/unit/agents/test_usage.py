"""The usage that is counted, its limits, and its runs."""

from types import SimpleNamespace

import pytest
from agents import Usage

from server.agents.run.usage import RunUsage
from server.agents.service import RunLimits
from server.errors import Limit, ToolFailed

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


def test_what_nobody_counted_is_estimated_and_says_so():
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
