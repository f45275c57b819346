"""A run as the body of one response: the code shared by all dialects that follow the session's log to the run's end."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence

from server.bus import Bus, Entry
from server.errors import Internal, LoopwireError, NotFound, Unauthorized, Unavailable
from server.identity import identities_of
from server.rooms.pending_entries import PendingEntries
from server.tasks import happens_within

KEEP_ALIVE_S = 15.0
STILL_HERE = b": still here\n\n"


class RunStream(ABC):
    """A watcher of a session that makes the lines of one response; `cut` and `release_reader` end it early.

    However it ends, the run goes on.
    """

    def __init__(self, session_id: str, principal: str, bus: Bus) -> None:
        self.session_id = session_id
        """The session that it is in."""
        self._principal = principal
        self._bus = bus
        self._pending = PendingEntries()
        self._look = True
        """Whether the state of the run has to be read from the database and the log."""
        self._gone = False
        self._awake = asyncio.Event()
        self._ending: LoopwireError | None = None

    @property
    def waiting_bytes(self) -> int:
        """Return the bytes of the entries that wait until the client takes them."""
        return self._pending.size

    # Calls of the hub.

    def deliver(self, entries: Sequence[Entry]) -> None:
        """Keep entries until the client can take them; when they are too many, look again instead."""
        if not self._pending.add(entries):
            self.resync()
        self._awake.set()

    def control(self, frame: bytes) -> None:  # noqa: B027 - no dialect overrides it.
        """Ignore these: no dialect but ours has them."""

    def resync(self) -> None:
        """Look where the run stands."""
        self._look = True
        self._pending.clear()
        self._awake.set()

    def drop(self) -> None:
        """End it: nothing comes any more."""
        self.cut(Internal())

    # Calls of the endpoint and of the server.

    def release_reader(self) -> None:
        """End it without a word: the client went."""
        self._gone = True
        self._awake.set()

    def close_for_shutdown(self) -> None:
        """End it, since the server leaves: the client asks another for the rest."""
        self.cut(Unavailable())

    def end_if_revoked(self, subject: str) -> None:
        """End it for good when it is of this principal or session."""
        if subject in (self._principal, identities_of(self._principal)):
            self.cut(Unauthorized())
        elif subject == self.session_id:
            self.cut(NotFound())

    def cut(self, error: LoopwireError) -> None:
        """End it with this error; the first one counts."""
        self._ending = self._ending or error
        self._awake.set()

    async def lines(self) -> AsyncGenerator[bytes]:
        """Yield the body of the response, some lines at a time."""
        try:
            await self._bus.hub.watch(self.session_id, self)
            if opening := self._opening():
                yield opening
            while not (self._is_over() or self._gone):
                self._awake.clear()
                try:
                    part = self._fail(self._ending) if self._ending else await self._next()
                except LoopwireError as error:
                    part = self._fail(error)
                if part:
                    yield part
                elif not self._is_over() and not await happens_within(self._awake, KEEP_ALIVE_S):
                    # No event for long: read the state of the run, since a signal may be lost.
                    self._look = True
                    yield STILL_HERE
        finally:
            self._bus.hub.unwatch(self.session_id, self)

    # Methods that a dialect adds.

    def _opening(self) -> bytes:
        """Return the lines that begin the body before the run is read."""
        return b""

    @abstractmethod
    def _is_over(self) -> bool:
        """Return whether the last line was made."""

    @abstractmethod
    async def _next(self) -> bytes:
        """Return the lines that can be sent now; none when nothing has come."""

    @abstractmethod
    def _fail(self, error: LoopwireError) -> bytes:
        """Return the last lines of a body that ends with an error."""
