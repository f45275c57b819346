"""The sockets of one session on this instance: each event is encoded once, and all of them get the same order."""

import asyncio
import logging
from collections.abc import Sequence

from server.bus import Bus, Entry
from server.errors import Internal, Replaced
from server.protocol.commands import Hello
from server.protocol.envelope import Degraded, sender_of
from server.protocol.operators import ACTIVITY
from server.rooms.frames import EventFrames
from server.rooms.member import Member
from server.rooms.member_updates import Greet, MemberUpdates
from server.rooms.room_renderer import FragmentRenderer, RoomRenderer
from server.runs import RunCommands
from server.store import SessionOwner

log = logging.getLogger(__name__)

_OF_OPERATOR = f'"activityType":"{ACTIVITY}"'.encode()
"""In the JSON of an event by which an operator joins or leaves; a text has its quotes escaped."""


class Room:
    """Watches a session while it has sockets here; the owner closes it when the last one has left."""

    def __init__(
        self,
        session: SessionOwner,
        *,
        bus: Bus,
        runs: RunCommands,
        fragment_renderer: FragmentRenderer,
        most_sockets: int,
    ) -> None:
        self.session = session
        self._most_sockets = most_sockets
        self.members: list[Member] = []
        self.operated: bool | None = None
        """Whether an operator has taken over; None while the database is to be asked."""
        self._bus = bus
        self._runs = runs
        self.renderer = RoomRenderer(session, runs, fragment_renderer)
        self._updates = MemberUpdates(session, self.members, self.renderer, bus, runs)
        self._watching = asyncio.Lock()
        self._watches = False
        self._late = False  # Whether no worker claims the messages that were written here.
        self._stored = 0  # The seq up to which the session was stored and published at the last look.

    async def aclose(self) -> None:
        """Stop watching."""
        self._bus.hub.unwatch(self.session.id, self)
        await self._updates.aclose()

    async def join(self, member: Member, hello: Hello, greet: Greet) -> None:
        """Bring a socket up to date and keep it so. The oldest goes when there are too many."""
        self.members.append(member)
        surplus = _surplus_member(self.members, member, self._most_sockets)
        if surplus is not None:
            self.members.remove(surplus)
            surplus.connection.close_with_code(Replaced())
        async with self._watching:
            if not self._watches:
                await self._bus.hub.watch(self.session.id, self)
                self._watches = True
        await self._updates.welcome(member, hello, greet)
        member.connection.put((await self._runs.queue(self.session.id)).encode())
        if self._degraded:  # The other members got this frame before this one joined; all get the end.
            member.connection.put(Degraded(on=True).encode())

    def is_full(self, *, operator: bool) -> bool:
        """Return whether one more reader of this kind would send the oldest one away."""
        return sum(bool(each.reader.operator) == operator for each in self.members) >= self._most_sockets

    def remove(self, member: Member) -> None:
        """Remove a socket that is gone."""
        if member in self.members:
            self.members.remove(member)
        if not any(each.html for each in self.members):
            self.renderer.clear()

    def set_backlogged(self, late: bool) -> None:
        """Note whether any process executes the session's runs, and send a change of it to all members."""
        if late != self._late:
            self._late = late
            self.tell_degraded()

    def note_stored(self, seq: int) -> None:
        """Note up to where the session is stored; a reader that has not got it by the next look gets a snapshot.

        What a process could not write to Redis is stored and in no log, for as long as it cannot or for ever.
        """
        before, self._stored = self._stored, seq
        behind = [each for each in self.members if each.live and each.seq < before]
        if behind:
            log.warning("%d readers missed a stored end: they get a snapshot", len(behind))
            self.renderer.clear()
            self.operated = None
            self._updates.covers = before
            for member in behind:
                self._updates.refresh(member)

    def tell_degraded(self) -> None:
        """Send all members whether answers may be late."""
        frame = Degraded(on=self._degraded).encode()
        for member in self.members:
            member.connection.put(frame)

    @property
    def _degraded(self) -> bool:
        return self._bus.degraded or self._late

    # Calls of the hub.

    def deliver(self, entries: Sequence[Entry]) -> None:
        """Give the next events to all members."""
        for entry in entries:
            if _OF_OPERATOR in entry.json:
                self.operated = entry.event["content"]["status"] == "joined"
            frames = self.renderer.frames(entry)
            plain, alike, seq, epoch = frames.plain, frames.alike, entry.seq, entry.epoch
            before = seq - 1
            for member in self.members:
                connection = member.connection
                same = connection.raw if alike else connection.plain
                if member.seq == before and member.live and member.epoch == epoch and same:
                    # The path of nearly every delivery: nothing is missing, drawn or changed.
                    connection.put_event(plain, entry)
                    member.seq = seq
                else:
                    self._tell(member, frames)

    def control(self, frame: bytes) -> None:
        """Pass a control frame on, but not to the socket that caused it."""
        sender = sender_of(frame)
        for member in self.members:
            if member.connection.id != sender:
                member.connection.put(frame)

    def resync(self) -> None:
        """Send a snapshot to all members, since the position in the log is lost."""
        self.operated = None
        self.renderer.clear()
        for member in self.members:
            self._updates.refresh(member)

    def drop(self) -> None:
        """Close all connections: the hub delivers nothing more until the next member joins and watches anew."""
        self._watches, self.operated = False, None
        for member in self.members:
            member.connection.close_with_code(Internal())

    def _tell(self, member: Member, frames: EventFrames) -> None:
        """Give an event to a socket for which it may be too early, too late, or to be drawn."""
        entry = frames.entry
        undrawn = member.html is not None and self.renderer.is_empty
        if not member.live:
            member.wait(entry)
        elif entry.seq > member.seq + 1 or undrawn:
            self._updates.refresh(member)
        elif entry.seq > member.seq:
            member.tell(frames)


def _surplus_member(members: Sequence[Member], joining: Member, most: int) -> Member | None:
    """Return the oldest member that has to go; operators who read along send no socket of the visitor away."""
    alike = [each for each in members if bool(each.reader.operator) == bool(joining.reader.operator)]
    return alike[0] if len(alike) > most else None
