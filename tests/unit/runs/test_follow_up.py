"""The table of what follows an execution: each reason that ended it, with and without a committed end."""

from dataclasses import replace

import pytest

from server.runs.execution.follow_up import MAX_ATTEMPTS, ExitReason, FollowUp, follow_up

USUAL = {"begun": True, "counts": False, "stalled": False, "attempt": 1, "queued": True, "posted": False}
GIVEN_UP = FollowUp(charge=True, release=True, look=True)
KEPT = FollowUp(charge=True, look=True)


@pytest.mark.parametrize("reason", ExitReason)
@pytest.mark.parametrize(("queued", "posted"), [(True, True), (True, False), (False, True), (False, False)])
def test_a_run_whose_end_is_committed_has_no_lease_to_give_up(
    reason: ExitReason, queued: bool, posted: bool
) -> None:
    what = follow_up(reason, ended=True, **{**USUAL, "queued": queued, "posted": posted})
    assert what == FollowUp(announce=posted, look=queued)


@pytest.mark.parametrize(
    ("reason", "what"),
    [
        (ExitReason.DONE, GIVEN_UP),
        (ExitReason.FENCED, GIVEN_UP),
        (ExitReason.DRAINED, GIVEN_UP),
        (ExitReason.AWAY, KEPT),
        (ExitReason.FAILED, KEPT),
    ],
)
@pytest.mark.parametrize("queued", [True, False])
def test_a_run_without_a_committed_end_is_given_up_unless_it_failed_here(
    reason: ExitReason, what: FollowUp, queued: bool
) -> None:
    assert follow_up(reason, ended=False, **{**USUAL, "queued": queued}) == what


@pytest.mark.parametrize(
    ("changes", "uncount"),
    [
        ({}, True),
        ({"attempt": MAX_ATTEMPTS}, True),
        ({"attempt": MAX_ATTEMPTS + 1}, False),
        ({"begun": True}, False),
        ({"counts": True}, False),
    ],
)
def test_an_attempt_without_agents_counts_only_where_it_would_go_on_for_ever(
    changes: dict[str, object], uncount: bool
) -> None:
    given = {**USUAL, "begun": False, **changes}
    assert follow_up(ExitReason.AWAY, ended=False, **given).uncount is uncount
    assert not any(
        follow_up(each, ended=False, **given).uncount for each in ExitReason if each is not ExitReason.AWAY
    )


@pytest.mark.parametrize(("attempt", "uncount"), [(1, True), (MAX_ATTEMPTS, True), (MAX_ATTEMPTS + 1, False)])
def test_an_attempt_counts_no_more_where_its_process_stood_still(attempt: int, uncount: bool) -> None:
    given = {**USUAL, "counts": True, "stalled": True, "attempt": attempt}
    assert follow_up(ExitReason.FENCED, ended=False, **given) == replace(GIVEN_UP, uncount=uncount)
    assert not any(
        follow_up(each, ended=False, **given).uncount for each in ExitReason if each is not ExitReason.FENCED
    )
    assert not follow_up(ExitReason.FENCED, ended=True, **given).uncount
