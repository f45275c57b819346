"""The rooms of this instance: opened by the first socket of a session, closed after the last one."""

from collections.abc import Iterator, Mapping, Set

from server.bus import Bus
from server.errors import NotFound, Unauthorized
from server.protocol.envelope import Reconnect
from server.rooms.member import Member
from server.rooms.room import Room
from server.rooms.room_renderer import FragmentRenderer
from server.rooms.staggered_close import SPREAD_S, take_turns
from server.runs import RunCommands
from server.store import SessionOwner

LEAVING = (1012, "drain")
COME_BACK_MS = 250


class Rooms:
    """Acquired by the application, released by `drain` and `aclose`."""

    def __init__(
        self, *, bus: Bus, runs: RunCommands, fragment_renderer: FragmentRenderer, most_sockets: int
    ) -> None:
        self._bus = bus
        self._runs = runs
        self._fragment_renderer = fragment_renderer
        self._most_sockets = most_sockets
        self.by_session: dict[str, Room] = {}
        bus.on_degraded.append(self._announce_degraded)
        bus.presence.answer_by(self.has_visitor)

    def __len__(self) -> int:
        """Count the sockets."""
        return sum(len(room.members) for room in self.by_session.values())

    def open(self, session: SessionOwner) -> Room:
        """Give the room of a session."""
        room = self.by_session.get(session.id)
        if room is None:
            room = Room(
                session,
                bus=self._bus,
                runs=self._runs,
                fragment_renderer=self._fragment_renderer,
                most_sockets=self._most_sockets,
            )
            self.by_session[session.id] = room
        # Its owner may be another one by now: a user has claimed it from a visitor.
        room.session = session
        return room

    async def remove(self, room: Room, member: Member) -> None:
        """Remove a socket that is gone, and the room when it was the last one."""
        room.remove(member)
        if not room.members and self.by_session.get(room.session.id) is room:
            del self.by_session[room.session.id]
            await room.aclose()

    def has_visitor(self, principal: str) -> bool:
        """Return whether a socket or stream of this principal is open here, and not only an operator's."""
        return any(
            principal in (room.session.principal, member.reader.principal)
            for room in self.by_session.values()
            for member in room.members
            if not member.reader.operator
        )

    async def drain(self, spread_s: float = SPREAD_S) -> None:
        """Send `reconnect` to all members, then close the sockets one after the other."""
        # The endpoint sends away each reader that joins from now on.
        members = list(self._all_members())
        for place, member in enumerate(members):
            after = COME_BACK_MS + round(spread_s * 1000 * place / len(members))
            member.connection.put(Reconnect(after_ms=after).encode())
        async for member in take_turns(members, spread_s):
            member.connection.close(*LEAVING)

    def dismiss(self, member: Member) -> None:
        """Close a connection that was opened while the instance is leaving."""
        member.connection.put(Reconnect(after_ms=COME_BACK_MS).encode())
        member.connection.close(*LEAVING)

    def end_revoked(self, subject: str) -> None:
        """Close, with a final code, each reader of this session, principal, identity or operator key."""
        for room in self.by_session.values():
            for member in room.members:
                if subject == room.session.id:
                    member.connection.refuse(NotFound())
                elif subject == room.session.principal or member.reader.ends_by(subject, room.session.id):
                    member.connection.refuse(Unauthorized())

    def end_expired(self, now: float) -> None:
        """Close the readers whose identity has expired; `now` is the time in seconds since the epoch."""
        for room in self.by_session.values():
            for member in room.members:
                if 0 < member.reader.until <= now:
                    member.connection.refuse(Unauthorized())

    async def aclose(self) -> None:
        """Close what is left."""
        for room in list(self.by_session.values()):
            await room.aclose()
        self.by_session.clear()

    def _all_members(self) -> Iterator[Member]:
        for room in self.by_session.values():
            yield from room.members

    def sessions(self) -> list[str]:
        """Return the sessions that are read here."""
        return list(self.by_session)

    def note_stored(self, reached: Mapping[str, int]) -> None:
        """Send a snapshot to the readers that did not get what is stored since the last look."""
        for session_id, seq in reached.items():
            if room := self.by_session.get(session_id):
                room.note_stored(seq)

    def set_backlogged(self, session_ids: Set[str]) -> None:
        """Send `degraded` to the sessions whose messages no process executes, and its end to those that got it."""
        for room in self.by_session.values():
            room.set_backlogged(room.session.id in session_ids)

    def _announce_degraded(self, _: bool) -> None:
        for room in self.by_session.values():
            room.tell_degraded()
