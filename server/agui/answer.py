"""One run as it happens, for one caller: followed on the session's log wherever it is executed, to its end."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from typing import Any

from server.agui.earlier import read_earlier
from server.agui.links import with_addresses
from server.agui.names import Names
from server.agui.stored_run import StoredRun
from server.agui.translate import AnswerTranslator
from server.bus import Bus, Entry
from server.errors import Internal, LoopwireError, NotFound, Unauthorized, Unavailable
from server.identity import identities_of
from server.protocol import events as ev
from server.protocol.codec import encode_event
from server.protocol.events import Event, ours
from server.protocol.folds import OlderMessage, kind_of
from server.protocol.transcript import Transcript
from server.rooms.pending_entries import PendingEntries
from server.runs import RunCommands
from server.runs.conversation.older_messages import recall
from server.store import Run, Store
from server.words import ended_sentence

KEEP_ALIVE_S = 15.0
STILL_HERE = b": still here\n\n"


class RunAnswer:
    """A watcher of the run's session that makes the lines of one response; `gone` and `leave` end it early."""

    def __init__(self, names: Names, *, store: Store, bus: Bus, runs: RunCommands) -> None:
        self._names = names
        self._store = store
        self._bus = bus
        self._runs = runs
        self._stored = StoredRun(names, store, bus, runs)
        self._translator = AnswerTranslator(names, Transcript())
        self._seq = 0
        self._pending = PendingEntries()
        self._look = True
        """Does it have to be seen where the run stands?"""
        self._lost = True
        """Is our place in the log no longer true?"""
        self._awake = asyncio.Event()
        self._gone = False
        self._ending: LoopwireError | None = None

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
        """Look where the run stands."""
        self._look = self._lost = True
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
            while not (self._translator.over or self._gone):
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
            return lines_of(with_addresses(each, self._names.server) for each in await self._look_up())
        return await self._take_next(self._pending.take())

    async def _wait_for_wake(self) -> bool:
        try:
            async with asyncio.timeout(KEEP_ALIVE_S):
                return await self._awake.wait()
        except TimeoutError:
            return False

    async def _take_next(self, entries: Iterable[Entry]) -> bytes:
        """Return the next entries; before a hole, look again."""
        told: list[bytes] = []
        for entry in entries:
            if entry.seq <= self._seq:
                continue
            if entry.seq != self._seq + 1:
                self.resync()
                break
            self._seq = entry.seq
            taken = await self._take(self._translator, entry.event)
            events = [with_addresses(each, self._names.server) for each in taken]
            told += [entry.json if each is entry.event else encode_event(each) for each in events]
        return _lines(told)

    async def _take(self, translator: AnswerTranslator, event: Event) -> list[Event]:
        """Take an event, after reading what of the older conversation it needs."""
        await self._recall(translator.folded, event)
        if translator.lacks_earlier(event):
            await self._complete(translator, translator.folded)
        return translator.take(event)

    async def _recall(self, folded: Transcript, event: Event) -> None:
        if kind_of(event).older is OlderMessage.CHANGED:
            session_id, bodies = self._names.session_id, self._store.messages.bodies
            await recall([event], folded, lambda ids: bodies(session_id, ids))

    async def _complete(self, translator: AnswerTranslator, folded: Transcript) -> None:
        """Give a stretch the messages before these: it is about to send the whole conversation."""
        older = folded.older and folded.messages
        first = folded.messages[0]["id"] if older else None
        translator.complete(await read_earlier(self._store, self._names, first) if first else {})

    # The state of the run.

    async def _look_up(self) -> list[Event]:
        """Find the run in the database and in the log, and send what was not sent of it."""
        self._look = False
        self._pending.clear()
        while True:
            run = await self._store.runs.get(self._names.run_id)
            if run.status == "finished":
                return await self._over(run)
            before, floor, entries = await self._runs.snapshots.since(run.session_id)
            if not before.run_messages(run.id):  # Otherwise the run has finished between the two readings.
                return await self._going_on(before, floor, entries)

    async def _going_on(self, before: Transcript, floor: int, entries: list[Entry]) -> list[Event]:
        now = Transcript.of(before.messages, before.state, older=before.older)
        for entry in entries:
            await self._recall(now, entry.event)
            now.apply(entry.event)
        seq, moved = entries[-1].seq if entries else floor, self._lost
        here = now.run is not None and self._names.covers(now.run.id)
        if self._translator.begun and not here:
            return []  # The log is unavailable. It comes back, or the run ends.
        told = seq == self._seq
        self._seq, self._lost = seq, False
        if self._translator.begun and told and not moved:
            return []
        if not self._translator.begun:
            self._translator = AnswerTranslator(self._names, before)
            if not self._knows(now.run_messages(self._names.run_id)):
                return await self._replay(self._translator, entries)
        await self._complete(self._translator, now)
        return self._translator.jump(now) if self._translator.begun else self._translator.begin(now)

    async def _replay(self, translator: AnswerTranslator, entries: Iterable[Entry]) -> list[Event]:
        return [each for entry in entries for each in await self._take(translator, entry.event)]

    def _knows(self, own: list[dict[str, Any]]) -> bool:
        """Has the caller read some of the run before, so that the same events would be sent twice?"""
        return any(self._names.has_read(each) for each in own)

    async def _over(self, run: Run) -> list[Event]:
        """The run is over: its events from the log, or what is stored of it."""
        first = await self._store.runs.get(self._names.first_run) if self._names.first_run else run
        own = await self._stored.messages(first, run)
        stored = await self._stored.transcript(own)
        before = open_before(own, stored.messages)
        if not self._translator.begun:
            self._translator = AnswerTranslator(self._names, _of(before, stored), state_known=False)
            entries = [] if self._knows(own) else await self._stored.log(first)
            replay = AnswerTranslator(self._names, _of(before, stored), state_known=False)
            events = await self._replay(replay, entries)
            if replay.over:
                self._translator = replay
                return events
        last = await self._stored.end(run)
        ids = {each["id"] for each in (*before, *own)}
        whole = _of([each for each in stored.messages if each["id"] in ids], stored)
        await self._complete(self._translator, whole)
        return self._translator.end(whole, last)

    def _fail(self, error: LoopwireError) -> bytes:
        """End the answer, not the run: the same request again gets all of it."""
        self._translator.over = True
        return lines_of([_failure(error, self._names)])


def _failure(error: LoopwireError, names: Names) -> Event:
    """The last event of an answer that ends before its run."""
    event = ev.run_error(ended_sentence(error.code, names.language) or error.message, error.code)
    event["metadata"] = {"loopwire": {**ours(event), "run_id": names.run_id, "retry": error.retry}}
    return event


def _of(messages: list[dict[str, Any]], stored: Transcript) -> Transcript:
    """A conversation with these of the stored messages."""
    return Transcript.of(messages, stored.state, older=stored.older)


def open_before(own: Sequence[dict[str, Any]], messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give what the runs before some run left: a result stands behind its call, so theirs may follow its own."""
    ids = {each["id"] for each in own}
    first = next((place for place, each in enumerate(messages) if each["id"] in ids), len(messages))
    earlier = {ours(each).get("run_id") for each in messages[:first]}
    return [each for each in messages if each["id"] not in ids and ours(each).get("run_id") in earlier]


def lines_of(events: Iterable[Event]) -> bytes:
    """Write events as server-sent ones."""
    return _lines(encode_event(each) for each in events)


def _lines(events: Iterable[bytes]) -> bytes:
    return b"".join(b"data: " + each + b"\n\n" for each in events)
