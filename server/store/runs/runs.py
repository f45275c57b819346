"""The runs: a queue whose every state is a row, from the input to the told end."""

from server.store.runs.finish import Ends
from server.store.runs.leases import Leases
from server.store.runs.queue import Queue


class Runs(Queue, Leases, Ends):
    """The way in, the lease and the end in one."""
