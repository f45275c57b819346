"""The live path: the log of a session, its fan-out to every instance, and the embedded server behind it."""

from server.bus.bus import Bus
from server.bus.cache import Cache
from server.bus.hub.hub import Hub, Watcher
from server.bus.log.entries import BusDown, Entry, Position, entries_of_run, epoch_of, parse_epoch
from server.bus.log.idle_proof import IdleProof
from server.bus.redis.client import require_address
from server.bus.redis.embedded import EmbeddedBusy, EmbeddedValkey
from server.bus.writer.writer import LogWriter
from server.errors import Fenced

__all__ = [
    "Bus",
    "BusDown",
    "Cache",
    "EmbeddedBusy",
    "EmbeddedValkey",
    "Entry",
    "Fenced",
    "Hub",
    "IdleProof",
    "LogWriter",
    "Position",
    "Watcher",
    "entries_of_run",
    "epoch_of",
    "parse_epoch",
    "require_address",
]
