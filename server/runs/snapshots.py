"""A conversation as it stands: what SQL holds of finished runs, and the live log after it.

Reading SQL first and the log afterwards loses nothing, because a run writes all its events to the log before it
commits its end: the stored transcript carries the seq it reaches to, and the log continues from there. What the
last run left is kept in memory here, and in Redis where other processes may need it; the session's row says if it is
still the last.
"""

import logging
from dataclasses import dataclass
from typing import Any

from server.agents.context import public_state
from server.bus import Bus, BusDown, Entry
from server.protocol.codec import decode_json, encode_json
from server.protocol.events import Event
from server.protocol.transcript import Transcript
from server.runs.kept import Conversation, Kept
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
        self._kept = Kept()

    async def take(self, session_id: str) -> Snapshot:
        """Fold the stored transcript and the log after it.

        With the live log gone or out of reach, what is stored is the whole answer; a run in progress then appends
        its own snapshot to the new log, and the next position check brings it here.
        """
        transcript, stored, told = await self._read(await self._store.sessions.load(session_id))
        epoch, seq = NO_EPOCH, stored
        for entry in await self._tail(session_id, stored):
            transcript.apply(entry.event)
            epoch, seq = entry.epoch, entry.seq
        if epoch == NO_EPOCH:
            epoch = await self._epoch(session_id, stored)
            seq = told if epoch == NO_EPOCH else stored
        events = transcript.snapshot_events(session_id, limit=SHOWN)
        first = next((str(each["id"]) for each in events[1]["messages"]), None)
        hides = first is not None and first != transcript.messages[0]["id"]
        return Snapshot(epoch, seq, transcript, events, first if hides else None)

    async def since(self, session_id: str) -> tuple[Transcript, int, list[Entry]]:
        """Return what the finished runs left, the seq that it reaches to, and the log after it.

        The transcript is the caller's own; without a live log the list is empty.
        """
        transcript, stored, _ = await self._read(await self._store.sessions.load(session_id))
        return transcript, stored, await self._tail(session_id, stored)

    async def conversation(self, session: Session) -> Conversation:
        """Return what the finished runs left, for the run that continues it."""
        if session.last_run is None:
            return Conversation(None, [], [])
        kept = self._kept.get(session.id, session.last_run) or await self._cached(session)
        if kept is None:
            kept = (await self._stored(session.id))[0]
        return kept

    async def keep(self, session_id: str, conversation: Conversation) -> None:
        """Remember what a run left that has just been committed."""
        value = encode_json({"messages": conversation.messages, "history": conversation.history}).encode()
        self._kept.put(session_id, conversation, len(value))
        await self._bus.cache.put(session_id, f"run:{conversation.last_run}", value)

    async def _read(self, session: Session) -> tuple[Transcript, int, int]:
        """Return the finished runs' transcript, the seq it reaches to, and that of the last end, of one moment."""
        found, state, seq = None, session.state, session.last_seq
        if session.last_run is not None:
            found = self._kept.get(session.id, session.last_run) or await self._cached(session)
            if found is None:
                found, state, seq = await self._stored(session.id)
        transcript = Transcript.of(found.messages if found else [], public_state(state))
        return transcript, seq, seq if session.last_run is None else seq + 1

    async def _cached(self, session: Session) -> Conversation | None:
        value = await self._bus.cache.get(session.id, f"run:{session.last_run}")
        if value is None:
            return None
        conversation = Conversation(session.last_run, **decode_json(value))
        self._kept.put(session.id, conversation, len(value))
        return conversation

    async def _stored(self, session_id: str) -> tuple[Conversation, dict[str, Any], int]:
        stored, history = await self._store.messages.conversation(session_id)
        conversation = Conversation(stored.last_run, stored.messages, history)
        await self.keep(session_id, conversation)
        return conversation, stored.state, stored.last_seq

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
