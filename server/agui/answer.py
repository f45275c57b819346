"""The answer to a request of AG-UI: the lines of one run for one caller, from its start to its end."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence

from server.agui.links import with_addresses
from server.agui.names import Names
from server.agui.run_events import RunEvents
from server.bus import Bus, Entry
from server.errors import Internal, LoopwireError, NotFound, Unauthorized, Unavailable
from server.identity import identities_of
from server.protocol import events as ev
from server.protocol.codec import encode_event
from server.protocol.events import Event, ours
from server.rooms.pending_entries import PendingEntries
from server.runs import RunCommands
from server.store import Store
from server.words import ended_sentence

KEEP_ALIVE_S = 15.0
STILL_HERE = b": still here\n\n"


class RunAnswer:
    """A watcher of the run's session that makes the lines of one response; `gone` and `leave` end it early."""

    def __init__(self, names: Names, *, store: Store, bus: Bus, runs: RunCommands) -> None:
        self._names = names
        self._bus = bus
        self._events = RunEvents(names, store=store, bus=bus, runs=runs)
        self._pending = PendingEntries()
        self._look = True
        """Whether the state of the run has to be read from the database and the log."""
        self._awake = asyncio.Event()
        self._gone = False
        self._ending: LoopwireError | None = None

    @property
    def waiting_bytes(self) -> int:
        """The bytes of the entries that wait until the caller takes them."""
        return self._pending.size

    @property
    def session_id(self) -> str:
        """The session that it is in."""
        return self._names.session_id

    # Calls of the hub.

    def deliver(self, entries: Sequence[Entry]) -> None:
        """Keep entries until the caller can take them; when they are too many, the caller gets a snapshot instead."""
        if not self._pending.add(entries):
            self.resync()
        self._awake.set()

    def control(self, frame: bytes) -> None:
        """Nothing of these is for AG-UI."""

    def resync(self) -> None:
        """Read the state of the run anew, since entries are missing."""
        self._look = self._events.lost = True
        self._pending.clear()
        self._awake.set()

    def drop(self) -> None:
        """End it: nothing comes any more."""
        self.cut(Internal())

    # Calls of the endpoint and of the server.

    def release_reader(self) -> None:
        """The caller went; the run does not care."""
        self._gone = True
        self._awake.set()

    def leave(self) -> None:
        """The server goes; the caller asks another for the same run."""
        self.cut(Unavailable())

    def end(self, subject: str) -> None:
        """End it for good when it is of this principal or session; the run does not care."""
        if subject in (self._names.principal, identities_of(self._names.principal)):
            self.cut(Unauthorized())
        elif subject == self._names.session_id:
            self.cut(NotFound())

    def cut(self, error: LoopwireError) -> None:
        """End the answer with this; the run does not care."""
        self._ending = self._ending or error
        self._awake.set()

    async def lines(self) -> AsyncGenerator[bytes]:
        """The body of the response, from RUN_STARTED to RUN_FINISHED or RUN_ERROR."""
        session_id = self._names.session_id
        try:
            await self._bus.hub.watch(session_id, self)
            while not (self._events.over or self._gone):
                self._awake.clear()
                try:
                    told = self._fail(self._ending) if self._ending else await self._next()
                except LoopwireError as error:
                    told = self._fail(error)
                if told:
                    yield told
                elif not await self._wait_for_wake():
                    # No event for long: read the state of the run, since a signal may be lost.
                    self._look = True
                    yield STILL_HERE
        finally:
            self._bus.hub.unwatch(session_id, self)

    async def _next(self) -> bytes:
        """Return what can be sent now; nothing when the log has nothing new."""
        if self._look:
            self._look = False
            self._pending.clear()
            return lines_of(with_addresses(each, self._names.server) for each in await self._events.look_up())
        return await self._take_next(self._pending.take())

    async def _wait_for_wake(self) -> bool:
        try:
            async with asyncio.timeout(KEEP_ALIVE_S):
                return await self._awake.wait()
        except TimeoutError:
            return False

    async def _take_next(self, entries: Iterable[Entry]) -> bytes:
        """Return the lines of these entries up to a hole, behind which the state is read anew."""
        taken, hole = await self._events.take(entries)
        if hole:
            self.resync()
        return _lines(
            entry.json if each is entry.event else encode_event(each)
            for entry, events in taken
            for each in (with_addresses(event, self._names.server) for event in events)
        )

    def _fail(self, error: LoopwireError) -> bytes:
        """End the answer, not the run: the same request again gets all of it."""
        self._events.over = True
        return lines_of([_failure(error, self._names)])


def _failure(error: LoopwireError, names: Names) -> Event:
    """The last event of an answer that ends before its run."""
    event = ev.run_error(ended_sentence(error.code, names.language) or error.message, error.code)
    event["metadata"] = {"loopwire": {**ours(event), "run_id": names.run_id, "retry": error.retry}}
    return event


def lines_of(events: Iterable[Event]) -> bytes:
    """Write events as server-sent ones."""
    return _lines(encode_event(each) for each in events)


def _lines(events: Iterable[bytes]) -> bytes:
    return b"".join(b"data: " + each + b"\n\n" for each in events)
