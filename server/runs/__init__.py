"""One input becomes one run: stored before it is acknowledged, executed under a lease, told after it is committed."""

from server.runs.runs import Runs
from server.runs.snapshots import Snapshot

__all__ = ["Runs", "Snapshot"]
