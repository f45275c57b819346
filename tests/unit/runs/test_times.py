"""The times that the documents name."""

from pathlib import Path

from server.runs.commands import LATE_S
from server.runs.execution.follow_up import HOPELESS_ATTEMPTS
from server.runs.execution.sweep import SWEEP_S
from server.runs.worker import POLL_S
from server.settings import Settings

DOCS = Path(__file__).parents[3] / "docs"


def test_a_process_asks_for_what_is_due_each_second_and_sweeps_every_two() -> None:
    always = (DOCS / "sql.md").read_text()
    assert "one SELECT a second for what is due, one every two for ends that are unpublished" in always
    assert (POLL_S, SWEEP_S) == (1, 2)


def test_a_message_that_nobody_takes_up_is_told_as_late_after_five_seconds() -> None:
    assert "when no worker has claimed it for 5 s the grey line" in (DOCS / "operations.md").read_text()
    assert LATE_S == 5


def test_a_run_that_cannot_be_read_is_shown_as_late_from_its_fifth_attempt_on() -> None:
    """Each attempt puts it off for a lease more than the one before."""
    sentence = "its conversation waits, from the fifth attempt on, after 100 s, with the grey line"
    assert sentence in (DOCS / "operations.md").read_text()
    lease_s = Settings.model_fields["lease_seconds"].default
    assert (HOPELESS_ATTEMPTS, lease_s * sum(range(1, HOPELESS_ATTEMPTS + 1))) == (4, 100)
