"""A cache of the steps of jobs: a second request reads only the events since the first one instead of the whole log."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from server.api.requests.job_steps import JobSteps
from server.bus import Entry

MOST_KEPT = 1_000
"""Jobs whose steps are kept; beyond it the one that was asked for longest ago is read anew."""


@dataclass
class FoldedJob:
    """The steps of a run up to one event of its log."""

    steps: JobSteps
    seq: int
    is_over: bool = False
    """The run has ended, and so have its steps."""
    _mine: bool = True
    """The events at this place of the log are the run's, and not those of the next one."""

    def follow(self, run_id: str, entries: Sequence[Entry]) -> bool:
        """Fold the entries after the last event; another request may have folded a part of them meanwhile.

        Returns False when the entries do not follow: the log has begun anew, and the steps are read anew.
        """
        for each in entries:
            if each.seq <= self.seq:
                continue
            if each.seq != self.seq + 1:
                return False
            self.seq = each.seq
            if each.event["type"] == "RUN_STARTED":
                self._mine = each.event["runId"] == run_id
            if self._mine:
                self.steps.apply(each.event)
        return True


class StepCache:
    """Keeps the folded jobs and the plans by run, the latest asked for at the end."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, FoldedJob] = OrderedDict()
        self._plans: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def plan_of(self, run_id: str, read: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
        """Return the agents that a request asks. They are read once: that judges the whole request again."""
        if run_id not in self._plans:
            self._plans[run_id] = read()
            if len(self._plans) > MOST_KEPT:
                self._plans.popitem(last=False)
        self._plans.move_to_end(run_id)
        return self._plans[run_id]

    def get(self, run_id: str) -> FoldedJob | None:
        """Return what is kept of a job."""
        kept = self._jobs.get(run_id)
        if kept is not None:
            self._jobs.move_to_end(run_id)
        return kept

    def keep(self, run_id: str, folded: FoldedJob) -> None:
        """Keep a job."""
        self._jobs[run_id] = folded
        self._jobs.move_to_end(run_id)
        if len(self._jobs) > MOST_KEPT:
            self._jobs.popitem(last=False)

    def forget(self, run_id: str) -> None:
        """Read this job anew the next time."""
        self._jobs.pop(run_id, None)
