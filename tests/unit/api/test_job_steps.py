"""The steps of a job, folded from the events of real runs and from what these have stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from server.api.requests.job_steps import JobStep, JobSteps, ids_of_earlier_calls, step_of_call
from server.protocol import events as ev
from server.store import Store
from tests.parts.postgres import copy_tables
from tests.unit.demo.harness import RunnerHarness

FIRST, SECOND = "identification", "options"


def folded(events: list[dict[str, Any]], *planned: str) -> JobSteps:
    """Return the steps that these events tell."""
    steps = JobSteps(planned)
    for each in events:
        steps.apply(each)
    return steps


def shape(steps: JobSteps) -> list[tuple[str, str]]:
    """Names and status."""
    return [(each.name, each.status) for each in steps.all_steps()]


def call(id: str, name: str, agent: str = FIRST) -> list[dict[str, Any]]:
    """A call of a tool begins."""
    start = ev.tool_start(id, name, at=5)
    start["metadata"] = {"loopwire": {"agent": agent}}
    return [start, ev.tool_args(id, "{}"), ev.tool_end(id)]


def progress(id: str, part: float) -> dict[str, Any]:
    """A tool tells how far it is."""
    return ev.activity(f"prg_{id}", "tool_progress", {"tool_call_id": id, "progress": part, "label": "Half"})


def test_the_planned_agents_wait_until_they_begin() -> None:
    assert shape(JobSteps((FIRST, SECOND))) == [(FIRST, "queued"), (SECOND, "queued")]
    steps = folded([ev.step_started(FIRST)], FIRST, SECOND)
    assert shape(steps) == [(FIRST, "running"), (SECOND, "queued")]
    assert steps.progress() == 0
    steps.apply(ev.step_finished(FIRST))
    assert (shape(steps)[0], steps.progress()) == ((FIRST, "done"), 0.5)


def test_a_running_call_tells_its_progress_and_an_ended_one_how_it_ended() -> None:
    steps = folded([ev.step_started(FIRST), *call("cal_1", "create_item"), progress("cal_1", 0.5)])
    assert steps.all_steps()[1] == JobStep(
        "tool", "create_item", "running", "cal_1", FIRST, 5, None, 0.5, "Half"
    )
    assert "call_id" not in steps.all_steps()[1].to_json()
    steps.apply(ev.tool_result("res_1", "cal_1", "{}", status="failed", duration_ms=7))
    ended = steps.all_steps()[1]
    assert (ended.status, ended.duration_ms, ended.progress) == ("failed", 7, 0.5)
    assert steps.progress() is None


def test_after_a_take_over_the_agent_that_was_at_work_begins_again() -> None:
    before = [ev.step_started(FIRST), ev.step_finished(FIRST), ev.step_started(SECOND), *call("cal_1", "a")]
    closed = [ev.tool_result("res_1", "cal_1", "{}", status="stopped"), ev.step_finished(SECOND)]
    steps = folded([*before, *closed, ev.messages_snapshot([], scope="run", attempt=2)], FIRST, SECOND)
    assert shape(steps) == [(FIRST, "done"), (SECOND, "queued")]
    steps.apply(ev.step_started(SECOND))
    assert shape(steps) == [(FIRST, "done"), (SECOND, "running")]


def test_with_a_run_that_fails_the_agent_at_work_has_failed_and_the_rest_will_not_begin() -> None:
    closed = [ev.step_started(FIRST), *call("cal_1", "a"), ev.step_finished(FIRST)]
    steps = folded(closed, FIRST, SECOND)
    steps.finish_run("error")
    assert shape(steps) == [(FIRST, "failed"), ("a", "failed"), (SECOND, "stopped")]
    steps = folded(closed, FIRST, SECOND)
    steps.finish_run("cancelled")
    assert shape(steps) == [(FIRST, "stopped"), ("a", "stopped"), (SECOND, "stopped")]


def test_of_a_run_whose_events_are_gone_only_its_end_says_what_became_of_its_agents() -> None:
    for outcome, status in (("success", "done"), ("cancelled", "stopped"), ("error", "unknown")):
        steps = JobSteps((FIRST, SECOND))
        steps.finish_run(outcome)
        assert shape(steps) == [(FIRST, status), (SECOND, status)]


def test_a_call_that_an_earlier_run_has_shown_is_named_by_its_message() -> None:
    told = ev.tool_result("res_1", "cal_1", "{}", status="done", duration_ms=7)
    stored = {"role": "tool", "toolCallId": "cal_2", "metadata": {"loopwire": {"status": "done"}}}
    assert ids_of_earlier_calls([told, *call("cal_3", "a")], [stored]) == ["cal_1", "cal_2"]
    message = {
        "id": "cal_1",
        "role": "assistant",
        "toolCalls": [{"id": "cal_1", "function": {"name": "create_item", "arguments": "{}"}}],
        "metadata": {"loopwire": {"agent": FIRST, "at": 5}},
    }
    steps = JobSteps(waited={"cal_1": step_of_call(message)})
    assert shape(steps) == []
    steps.apply(told)
    assert steps.all_steps() == [JobStep("tool", "create_item", "done", "cal_1", FIRST, 5, 7)]


async def test_events_and_stored_messages_of_a_sale_tell_the_same_calls(tmp_path: Path) -> None:
    copy_tables(tmp_path)
    store = await Store.open(None, data_dir=tmp_path)
    try:
        visitor = await (await RunnerHarness.over(store)).visitor("pt")
        for text in ("quero vender um iPhone 12 preto de 128 gb", "sim", "Sim, criar o artigo"):
            reply = await visitor.say(text)
            run_id = reply.events[0]["runId"]
            live, stored = folded(reply.events), JobSteps()
            stored.read_messages(await store.messages.of_run(run_id))
            calls = [each for each in live.all_steps() if each.type == "tool"]
            assert calls == stored.all_steps()
            assert all(each.status == "done" and each.agent for each in calls), calls
        assert ("create_item", 0.5) in [(each.name, each.progress) for each in calls]
        agents = [each.name for each in live.all_steps() if each.type == "agent"]
        assert len(agents) == len(reply.handoffs) + 1
    finally:
        await store.aclose()
