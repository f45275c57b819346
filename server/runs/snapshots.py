"""A conversation as it stands: what SQL holds of finished runs, and the live log after it.

Reading SQL first and the log afterwards loses nothing, because a run writes all its events to the log before it
commits its end: the stored transcript carries the seq it reaches to, and the log continues from there.
"""

import json
import logging
from dataclasses import dataclass
from typing import Any

from server.agents.context import public_state
from server.bus import Bus, BusDown, Entry
from server.protocol.events import Event
from server.protocol.transcript import Transcript
from server.store import Session, Store

SHOWN = 50
"""Messages in a snapshot; older ones are paged by their cursor."""

NO_EPOCH = "0.0"
"""The epoch of a session that has no live log: no client position can ever match it."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A conversation at one position of its log; folding `events` gives `transcript`."""

    epoch: str
    seq: int
    transcript: Transcript
    events: list[Event]
    before: str | None


class Snapshots:
    """Builds snapshots for sockets and pages, and model histories for runs, cache-aside."""

    def __init__(self, store: Store, bus: Bus) -> None:
        self._store = store
        self._bus = bus

    async def take(self, session_id: str) -> Snapshot:
        """Fold the stored transcript and the log after it.

        With the live log gone or out of reach, what is stored is the whole answer; a run in progress then appends
        its own snapshot to the new log, and the next position check brings it here.
        """
        session = await self._store.sessions.load(session_id)
        transcript, floor = await self._read(session)
        epoch, seq = NO_EPOCH, floor
        for entry in await self._tail(session_id, floor):
            transcript.apply(entry.event)
            epoch, seq = entry.epoch, entry.seq
        if epoch == NO_EPOCH:
            epoch = await self._epoch(session_id, floor)
        events = transcript.snapshot_events(session_id, limit=SHOWN)
        first = next((str(each["id"]) for each in events[1]["messages"]), None)
        hides = first is not None and first != transcript.messages[0]["id"]
        return Snapshot(epoch, seq, transcript, events, first if hides else None)

    async def stored(self, session: Session) -> Transcript:
        """Return the transcript of the finished runs, for the run that continues it."""
        return (await self._read(session))[0]

    async def history(self, session: Session) -> list[dict[str, Any]]:
        """Return the model's input items of the finished runs, oldest first."""
        if session.last_run is None:
            return []
        stamp = f"history:{session.last_run}"
        key = f"{session.id}:history"
        cached = await self._bus.cache.get(key, stamp)
        if cached is not None:
            items: list[dict[str, Any]] = json.loads(cached)
            return items
        items = await self._store.messages.history(session.id)
        await self._bus.cache.put(key, stamp, json.dumps(items).encode())
        return items

    async def _read(self, session: Session) -> tuple[Transcript, int]:
        """Return the finished runs' transcript and the seq it reaches to, both of one moment."""
        if session.last_run is None:
            return Transcript.of([], public_state(session.state)), session.last_seq
        stamp = f"transcript:{session.last_run}"
        cached = await self._bus.cache.get(session.id, stamp)
        if cached is not None:
            return Transcript.of(json.loads(cached), public_state(session.state)), session.last_seq
        stored = await self._store.messages.transcript(session.id)
        value = json.dumps(stored.messages).encode()
        await self._bus.cache.put(session.id, f"transcript:{stored.last_run}", value)
        return Transcript.of(stored.messages, public_state(stored.state)), stored.last_seq

    async def _tail(self, session_id: str, floor: int) -> list[Entry]:
        try:
            return await self._bus.read(session_id, floor) or []
        except BusDown:
            log.warning("snapshot without the live log")
            return []

    async def _epoch(self, session_id: str, floor: int) -> str:
        try:
            position = await self._bus.position(session_id)
        except BusDown:
            position = None
        return position.epoch if position is not None and position.seq == floor else NO_EPOCH
