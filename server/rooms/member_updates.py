"""The updates of a room's members: a member gets the events that it missed, or a snapshot."""

import logging
from collections.abc import Callable, Sequence

from server.bus import Bus, parse_epoch
from server.errors import Internal, LoopwireError, Unavailable
from server.protocol.commands import Hello
from server.protocol.envelope import Snapshot
from server.rooms.member import Member
from server.rooms.room_renderer import RoomRenderer
from server.runs import RunCommands, epoch_without_log
from server.store import SessionOwner
from server.tasks import Tasks

log = logging.getLogger(__name__)

Greet = Callable[[bool, int, str], bytes]
"""Makes the welcome of a socket: resumed or not, seq and epoch."""


class MemberUpdates:
    """Brings the members of one room up to date; the room delivers the events after that."""

    def __init__(
        self,
        session: SessionOwner,
        members: Sequence[Member],
        renderer: RoomRenderer,
        bus: Bus,
        runs: RunCommands,
    ) -> None:
        """`members` is the room's list: a member that has left it gets no snapshot."""
        self._session = session
        self._members = members
        self._renderer = renderer
        self._bus = bus
        self._runs = runs
        self._tasks = Tasks()
        self.covers = 0
        """Every snapshot has at least this seq: SQL holds the events up to it, even if no log does."""

    async def aclose(self) -> None:
        """Stop all updates."""
        await self._tasks.aclose()

    async def welcome(self, member: Member, hello: Hello, greet: Greet) -> None:
        """Bring a new member up to date, from the position in its hello or by a snapshot."""
        if not await self._try_to_resume(member, hello, greet):
            await self._send_snapshot(member, greet)

    def refresh(self, member: Member) -> None:
        """Begin to send a snapshot; a member that is being brought up to date already starts over."""
        if member.live:
            member.pause()
            self._tasks.spawn(self._bring_up_to_date(member), name="room refresh")
        else:
            member.lost = True

    async def _bring_up_to_date(self, member: Member) -> None:
        """Send a snapshot to a socket that was live, and the queue, whose last frame may be lost as well."""
        try:
            await self._send_snapshot(member)
            member.connection.put((await self._runs.queue(self._session.id)).encode())
        except Unavailable:
            log.warning("socket %s gets no queue, database unavailable", member.connection.id)
        except Exception:
            # This task has no caller: a socket whose snapshot failed would stay silent for ever.
            log.exception("bringing socket %s up to date failed", member.connection.id)
            member.connection.close_with_code(Internal())

    async def _try_to_resume(self, member: Member, hello: Hello, greet: Greet) -> bool:
        """Send what was missed since the client's position; return whether that was possible.

        HTML is drawn from the present only, so an HTML socket is resumed when it has missed nothing at all.
        """
        if hello.last_seq is None or hello.epoch is None:
            return False
        missed = await self._bus.reader.replay(self._session.id, hello.epoch, hello.last_seq)
        if missed is None or (missed and member.html is not None):
            return False
        if member.html is not None:
            await self._renderer.begin()
            if member.waits:
                return False
        member.set_position(hello.last_seq, hello.epoch)
        at = missed[-1] if missed else member
        member.connection.put(greet(True, at.seq, at.epoch))
        member.replay(missed)
        if not member.resume():
            await self._send_snapshot(member)
        return True

    async def _send_snapshot(self, member: Member, greet: Greet | None = None) -> None:
        """Give a snapshot, as often as it takes until nothing is missing after it."""
        while member in self._members and not member.connection.closing:
            try:
                snapshot = await self._snapshot(member)
            except LoopwireError as error:
                member.connection.refuse(error)
                return
            if greet is not None:
                member.connection.put(greet(False, snapshot.seq, snapshot.epoch))
                greet = None
            member.connection.put_snapshot(snapshot.encode(), snapshot.epoch, snapshot.seq)
            member.set_position(snapshot.seq, snapshot.epoch)
            if member.resume():
                return
            member.pause()

    async def _snapshot(self, member: Member) -> Snapshot:
        if member.html is not None:
            snapshot = await self._renderer.snapshot(member.html)
        else:
            taken = await self._runs.snapshot(self._session.id)
            snapshot = Snapshot(epoch=taken.epoch, seq=taken.seq, events=taken.events, before=taken.before)
        if snapshot.seq >= self.covers:
            return snapshot
        known = parse_epoch(snapshot.epoch)
        epoch = epoch_without_log(known[1] if known else 0)
        return snapshot.model_copy(update={"epoch": epoch, "seq": self.covers})
