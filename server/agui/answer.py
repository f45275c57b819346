"""The answer to a request of AG-UI: the lines of one run for one caller, from its start to its end."""

from collections.abc import Iterable

from server.agui.links import with_addresses
from server.agui.names import Names
from server.agui.run_events import RunEvents
from server.bus import Bus, Entry
from server.errors import LoopwireError
from server.protocol import events as ev
from server.protocol.codec import encode_event
from server.protocol.events import Event, ours
from server.rooms.run_stream import RunStream
from server.runs import RunCommands
from server.store import Store
from server.words import ended_sentence


class RunAnswer(RunStream):
    """The events of one run as its caller reads them, from RUN_STARTED to RUN_FINISHED or RUN_ERROR."""

    def __init__(self, names: Names, *, store: Store, bus: Bus, runs: RunCommands) -> None:
        super().__init__(names.session_id, names.principal, bus)
        self._names = names
        self._events = RunEvents(names, store=store, bus=bus, runs=runs)

    def resync(self) -> None:
        """Read the state of the run anew, and send a snapshot, since entries are missing."""
        self._events.lost = True
        super().resync()

    def _is_over(self) -> bool:
        return self._events.over

    async def _next(self) -> bytes:
        """Return what can be sent now; nothing when the log has nothing new."""
        if self._look:
            self._look = False
            self._pending.clear()
            return lines_of(with_addresses(each, self._names.server) for each in await self._events.look_up())
        return await self._take_next(self._pending.pop_all())

    async def _take_next(self, entries: Iterable[Entry]) -> bytes:
        """Return the lines of these entries up to a hole, behind which the state is read anew."""
        taken, hole = await self._events.translate(entries)
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
    """Return the last event of an answer that ends before its run."""
    event = ev.run_error(ended_sentence(error.code, names.language) or error.message, error.code)
    event["metadata"] = {"loopwire": {**ours(event), "run_id": names.run_id, "retry": error.retry}}
    return event


def lines_of(events: Iterable[Event]) -> bytes:
    """Write events as server-sent ones."""
    return _lines(encode_event(each) for each in events)


def _lines(events: Iterable[bytes]) -> bytes:
    return b"".join(b"data: " + each + b"\n\n" for each in events)
