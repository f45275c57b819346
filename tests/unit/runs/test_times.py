"""The times that the documents name."""

from pathlib import Path

from server.runs.commands import LATE_S
from server.runs.execution.sweep import SWEEP_S
from server.runs.worker import POLL_S

DOCS = Path(__file__).parents[3] / "docs"


def test_a_process_asks_for_what_is_due_each_second_and_sweeps_every_two() -> None:
    always = (DOCS / "sql.md").read_text()
    assert "one SELECT a second for what is due, one every two for ends that were not told" in always
    assert (POLL_S, SWEEP_S) == (1, 2)


def test_a_message_that_nobody_takes_up_is_told_as_late_after_five_seconds() -> None:
    assert "when no worker has claimed it for 5 s the grey line" in (DOCS / "operations.md").read_text()
    assert LATE_S == 5
