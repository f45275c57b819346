"""One input becomes one run: stored before it is acknowledged, executed under a lease, told after it is committed."""

from server.runs.commands import Runs
from server.runs.snapshots import NO_EPOCH, ConversationSnapshot

__all__ = ["NO_EPOCH", "ConversationSnapshot", "Runs"]
