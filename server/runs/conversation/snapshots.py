"""The current state of a conversation: the finished runs from SQL, and the live log after them.

Only its newest part is read, cached and folded, so that a run and a join cost no more in a long
conversation.

Reading SQL first and the log afterwards loses nothing, because a run writes all its events to the log before it
commits its end: the stored transcript carries the seq it reaches to, and the log continues from there. The
conversation after the last run is cached in memory here, and in Redis for other processes; the session's row says if
that run is still the last.
"""

import logging
from dataclasses import dataclass

from server.bus import Bus, BusDown, Entry, epoch_of
from server.bus.cache import MOST_BYTES
from server.protocol.codec import decode_json, encode_json
from server.protocol.events import Event
from server.protocol.order import NEAR
from server.protocol.shown_state import public_state
from server.protocol.transcript import Transcript
from server.runs.conversation.conversation_cache import READ, Conversation, ConversationCache, newest
from server.store import Session, Store

SHOWN = 50
"""Messages in a snapshot; older ones are paged by their cursor."""

JOINED = SHOWN + NEAR
"""Messages that are read for a snapshot: it shows a few more where the first would be a result without its call."""

_NO_LOG = "0"
"""The incarnation of a session that has no live log: no client position can ever match it."""

log = logging.getLogger(__name__)


def epoch_without_log(fence: int) -> str:
    """Return the epoch of what is stored alone: later fences of the session are greater, as in its log."""
    return epoch_of(_NO_LOG, fence)


def cache_key(session_id: str) -> str:
    """Return the key under which Redis keeps the newest part of a conversation."""
    return f"{session_id}:newest"


@dataclass(frozen=True, slots=True)
class ConversationSnapshot:
    """A conversation at one position of its log; folding `events` gives `transcript`."""

    epoch: str
    seq: int
    transcript: Transcript
    events: list[Event]
    before: str | None


class Snapshots:
    """Builds snapshots for sockets and pages, and model histories for runs, cache-aside."""

    def __init__(self, store: Store, bus: Bus, *, most_bytes: int, shared: bool) -> None:
        """Keep conversations in so much memory; in Redis too where it is `shared` with other processes."""
        self._store = store
        self._bus = bus
        self._shared = shared
        self.kept = ConversationCache(most_bytes)

    async def fold_log(self, session_id: str) -> ConversationSnapshot:
        """Fold the stored transcript and the log after it.

        With the live log gone or out of reach, what is stored is the whole answer; a run in progress then appends
        its own snapshot to the new log, and the next position check brings it here.
        """
        session = await self._store.sessions.load(session_id)
        transcript, stored, published = await self._read(session)
        epoch, seq = "", stored
        for entry in await self._tail(session_id, stored):
            transcript.apply(entry.event)
            epoch, seq = entry.epoch, entry.seq
        epoch = epoch or await self._epoch(session_id, stored)
        if not epoch:
            epoch, seq = epoch_without_log(session.fence), published
        events = transcript.snapshot_events(session_id, limit=SHOWN)
        first = next((str(each["id"]) for each in events[1]["messages"]), None)
        hides = first is not None and (transcript.older or first != transcript.messages[0]["id"])
        return ConversationSnapshot(epoch, seq, transcript, events, first if hides else None)

    async def since(self, session_id: str) -> tuple[Transcript, int, list[Entry]]:
        """Return the newest of what the finished runs left, the seq that it reaches to, and the log after it.

        The transcript is the caller's own; without a live log the list is empty.
        """
        transcript, stored, _ = await self._read(await self._store.sessions.load(session_id))
        return transcript, stored, await self._tail(session_id, stored)

    async def read_stored(self, session_id: str) -> Transcript:
        """Return the newest of what the finished runs left; the transcript is the caller's own."""
        return (await self._read(await self._store.sessions.load(session_id)))[0]

    async def conversation(self, session: Session, items: int) -> Conversation:
        """Return what the finished runs left, for the run that continues it and reads so many items."""
        if session.last_run is None:
            return Conversation.read(None, [], [], older=False)
        found = await self._find_cached(session)
        if found is None or found.history is None:
            stored, history = await self._store.messages.conversation(session.id, READ, items + 1)
            kept = newest(history, items)
            found = Conversation.read(stored.last_run, stored.messages, kept, older=stored.older)
            await self.keep(session.id, found)
        return found

    async def keep(self, session_id: str, conversation: Conversation) -> None:
        """Remember what a run left that has just been committed; in Redis too, unless it is too large for that."""
        self.kept.put(session_id, conversation)
        if self._shared and (value := _encode_shared(conversation)) is not None:
            await self._bus.cache.put(cache_key(session_id), f"run:{conversation.last_run}", value)

    async def _read(self, session: Session) -> tuple[Transcript, int, int]:
        """Return the finished runs' transcript, the seq it reaches to, and that of the last end, of one moment."""
        found, state, seq = None, session.state, session.last_seq
        if session.last_run is not None:
            found = await self._find_cached(session)
            if found is None:
                stored = await self._store.messages.transcript(session.id, JOINED)
                found = Conversation.read(stored.last_run, stored.messages, None, older=stored.older)
                state, seq = stored.state, stored.last_seq
                await self.keep(session.id, found)
        messages, older = (found.messages, found.older) if found else ([], False)
        transcript = Transcript.of(messages, public_state(state), older=older)
        return transcript, seq, seq if session.last_run is None else seq + 1

    async def _find_cached(self, session: Session) -> Conversation | None:
        """Return the cached conversation of a session up to a last run, from this process or from Redis."""
        found = self.kept.get(session.id, str(session.last_run))
        if found is not None or not self._shared:
            return found
        value = await self._bus.cache.get(cache_key(session.id), f"run:{session.last_run}")
        if value is None:
            return None
        found = Conversation.read(session.last_run, **decode_json(value))
        self.kept.put(session.id, found)
        return found

    async def _tail(self, session_id: str, floor: int) -> list[Entry]:
        try:
            return await self._bus.reader.read(session_id, floor) or []
        except BusDown:
            log.warning("snapshot without the live log")
            return []

    async def _epoch(self, session_id: str, floor: int) -> str:
        """Return the epoch of a log that ends where what is stored ends; empty where there is none."""
        try:
            position = await self._bus.reader.position(session_id)
        except BusDown:
            position = None
        return position.epoch if position is not None and position.seq == floor else ""


def _encode_shared(conversation: Conversation) -> bytes | None:
    """Return the JSON of what other processes read of a conversation, whose last run is the stamp.

    None where it is too large for Redis: no more than that is encoded, since the loop stands still meanwhile.
    """
    fields, room = list[bytes](), MOST_BYTES
    for values in (conversation.messages, conversation.history or []):
        encoded = list[bytes]()
        for each in values:
            encoded.append(encode_json(each).encode())
            room -= len(encoded[-1])
            if room < 0:
                return None
        fields.append(b"[" + b",".join(encoded) + b"]")
    history = b"null" if conversation.history is None else fields[1]
    older = encode_json(conversation.older).encode()
    return b'{"messages":%b,"history":%b,"older":%b}' % (fields[0], history, older)
