"""One input is one run: stored before it is acknowledged, executed under a lease, published after its commit."""

from server.runs.commands import RunCommands
from server.runs.conversation.snapshots import NO_EPOCH, ConversationSnapshot

__all__ = ["NO_EPOCH", "ConversationSnapshot", "RunCommands"]
