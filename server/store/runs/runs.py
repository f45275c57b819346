"""The runs: a queue whose every state is a row, from the input to the published end."""

from server.store.runs.finish import RunEnds
from server.store.runs.leases import Leases
from server.store.runs.queue import RunQueue


class StoredRuns(RunQueue, Leases, RunEnds):
    """The queue, the leases and the ends of runs in one."""
