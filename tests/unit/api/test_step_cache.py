"""The steps of jobs that are kept: folding the log in parts gives what folding it at once does."""

import pytest

from server.api.requests.job_steps import JobSteps
from server.api.requests.step_cache import MOST_KEPT, FoldedJob, StepCache
from server.bus import Entry
from server.protocol import events
from server.protocol.codec import encode_event
from server.protocol.events import Event

RUN = "run_1"


def entries(*told: Event, after: int = 0) -> list[Entry]:
    """Return the log of a session from this place on."""
    return [Entry(seq, "e1", encode_event(each)) for seq, each in enumerate(told, after + 1)]


LOG = entries(
    events.run_started("ses_1", RUN),
    events.step_started("first"),
    events.step_finished("first"),
    events.step_started("second"),
    events.run_finished("ses_1", RUN, {"type": "success"}, None),
    events.run_started("ses_1", "run_2"),
    events.step_started("another"),
)


def folded() -> FoldedJob:
    """Return a job of which nothing was read."""
    return FoldedJob(JobSteps(["first", "second"]), 0)


@pytest.mark.parametrize("cut", range(len(LOG)))
def test_the_log_in_two_parts_gives_the_same_steps_and_nothing_of_the_next_run(cut: int) -> None:
    job = folded()
    assert job.follow(RUN, LOG[:cut])
    assert job.follow(RUN, LOG[cut:])
    assert [(each.name, each.status) for each in job.steps.steps] == [
        ("first", "done"),
        ("second", "running"),
    ]


def test_events_that_another_reader_has_folded_meanwhile_are_folded_once() -> None:
    job = folded()
    assert job.follow(RUN, LOG[:4])
    assert job.follow(RUN, LOG[:5])
    assert [each.name for each in job.steps.steps] == ["first", "second"]


def test_a_log_that_does_not_follow_is_refused() -> None:
    job = folded()
    assert job.follow(RUN, LOG[:2])
    assert not job.follow(RUN, LOG[3:])


def test_the_job_that_was_asked_for_longest_ago_is_forgotten() -> None:
    kept = StepCache()
    for number in range(MOST_KEPT):
        kept.keep(f"run_{number}", folded())
    assert kept.get("run_0") is not None
    kept.keep("run_more", folded())
    assert kept.get("run_1") is None and kept.get("run_0") is not None
    kept.forget("run_0")
    assert kept.get("run_0") is None


def test_the_agents_of_a_request_are_read_once() -> None:
    """Each poll of a queued job judged the whole stored request again."""
    kept, read = StepCache(), []

    def plan_of(run_id: str) -> tuple[str, ...]:
        def note() -> tuple[str, ...]:
            read.append(run_id)
            return ("first",) if run_id == RUN else ()

        return kept.plan_of(run_id, note)

    assert [plan_of(each) for each in (RUN, "run_2", RUN, "run_2")] == [("first",), ()] * 2
    assert read == [RUN, "run_2"]
    plan_of(RUN)
    for number in range(3, MOST_KEPT + 2):
        plan_of(f"run_{number}")
    read.clear()
    assert (plan_of(RUN), plan_of("run_2")) == (("first",), ())
    assert read == ["run_2"]
