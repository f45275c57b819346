"""One input is one run: stored before it is acknowledged, executed under a lease, published after its commit."""

from server.runs.commands import RunCommands
from server.runs.conversation.snapshots import ConversationSnapshot, epoch_without_log

__all__ = ["ConversationSnapshot", "RunCommands", "epoch_without_log"]
