"""A member of a room: its position in the session's log, and the entries that it must still get."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from server.bus import Entry
from server.identity import claimed_from, identities_of
from server.protocol.envelope import batch, durable
from server.rooms.connection import Connection
from server.rooms.frames import EventFrames
from server.rooms.pending_entries import PendingEntries


def durable_frames(entries: Iterable[Entry], epoch: str) -> list[bytes]:
    """Frame entries for a reader at this epoch: each names its own epoch where that changes."""
    frames: list[bytes] = []
    for entry in entries:
        frames.append(durable(entry.seq, entry.json, epoch=entry.epoch if entry.epoch != epoch else None))
        epoch = entry.epoch
    return frames


@dataclass(frozen=True, slots=True)
class Reader:
    """The reader of a session: its principal, by an identity where an app named it, or an operator by its key."""

    principal: str = ""
    identity: str = ""
    until: int = 0
    """The time at which the identity ends, in seconds since the epoch; 0 where it does not."""
    operator: str = ""

    def ends_by(self, subject: str, session_id: str) -> bool:
        """Return whether the revocation of this subject ends the reader of a session."""
        if self.operator:
            return subject == self.operator
        return (
            subject in (self.principal, self.identity)
            or subject == identities_of(self.principal)
            or subject == claimed_from(session_id, self.principal)
        )


class Member:
    """A socket of a room. Until it is brought up to date, new entries wait for it."""

    __slots__ = ("_pending", "connection", "epoch", "live", "lost", "reader", "seq")

    def __init__(self, connection: Connection, reader: Reader = Reader()) -> None:
        self.connection = connection
        self.reader = reader
        self.seq = 0
        self.epoch = ""
        self.live = False
        self.lost = False
        """More happened than could wait: only a snapshot helps."""
        self._pending = PendingEntries()

    @property
    def html(self) -> str | None:
        """Return the language of the fragments that this socket wants; None when it wants none."""
        return self.connection.language if self.connection.html else None

    @property
    def waits(self) -> bool:
        """Return whether an event waits that was not sent to this socket yet."""
        return bool(self._pending) or self.lost

    def set_position(self, seq: int, epoch: str) -> None:
        """Note that everything up to here has been sent to the socket."""
        self.seq, self.epoch = seq, epoch

    def pause(self) -> None:
        """Let what happens wait."""
        self.live, self.lost = False, False
        self._pending.clear()

    def wait(self, entry: Entry) -> None:
        """Keep an entry for later."""
        if not self._pending.add([entry]):
            self.lost = True

    def resume(self) -> bool:
        """Send what waited, and be live; False when something is missing before it."""
        fresh = [each for each in self._pending.pop_all() if each.seq > self.seq]
        if self.lost or (fresh and fresh[0].seq != self.seq + 1):
            return False
        self.replay(fresh)
        self.live = True
        return True

    def replay(self, entries: Sequence[Entry]) -> None:
        """Send many events in one frame, which the client applies in one go."""
        if entries:
            frames = durable_frames(entries, self.epoch)
            self.set_position(entries[-1].seq, entries[-1].epoch)
            self.connection.put_replay(batch(frames), self.epoch, self.seq)

    def tell(self, frames: EventFrames) -> None:
        """Send the next event."""
        entry = frames.entry
        changed = entry.epoch != self.epoch
        frame = frames.frame(html=self.html, with_epoch=changed, framing=self.connection.framing)
        epoch = entry.epoch if changed else None
        self.connection.put_event(frame, entry, epoch, drawn=frames.is_drawn(self.html))
        self.set_position(entry.seq, entry.epoch)
