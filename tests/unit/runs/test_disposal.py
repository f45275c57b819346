"""The table of what becomes of a claim that was left: each way to leave, with and without a committed end."""

import pytest

from server.runs.disposal import MAX_ATTEMPTS, Disposal, Left, disposal

USUAL = {"begun": True, "counts": False, "attempt": 1, "queued": True, "posted": False}
GIVEN_UP = Disposal(charge=True, release=True, look=True)
KEPT = Disposal(charge=True, look=True)


@pytest.mark.parametrize("left", Left)
@pytest.mark.parametrize(("queued", "posted"), [(True, True), (True, False), (False, True), (False, False)])
def test_a_run_whose_end_is_committed_has_no_lease_to_give_up(left: Left, queued: bool, posted: bool) -> None:
    what = disposal(left, ended=True, **{**USUAL, "queued": queued, "posted": posted})
    assert what == Disposal(announce=posted, look=queued)


@pytest.mark.parametrize(
    ("left", "what"),
    [
        (Left.DONE, GIVEN_UP),
        (Left.FENCED, GIVEN_UP),
        (Left.DRAINED, GIVEN_UP),
        (Left.AWAY, KEPT),
        (Left.FAILED, KEPT),
    ],
)
@pytest.mark.parametrize("queued", [True, False])
def test_what_was_not_ended_is_given_up_unless_it_failed_here(
    left: Left, what: Disposal, queued: bool
) -> None:
    assert disposal(left, ended=False, **{**USUAL, "queued": queued}) == what


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
    assert disposal(Left.AWAY, ended=False, **given).uncount is uncount
    assert not any(disposal(each, ended=False, **given).uncount for each in Left if each is not Left.AWAY)
