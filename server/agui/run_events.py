"""The AG-UI events of one run for one caller: from the session's log while it runs, from the database after that."""

from collections.abc import Iterable, Sequence
from typing import Any

from server.agui.earlier_messages import read_earlier
from server.agui.names import Names
from server.agui.stored_run import StoredRun
from server.agui.translate import AnswerTranslator
from server.bus import Bus, Entry
from server.protocol.events import Event, ours
from server.protocol.transcript import Transcript
from server.runs import RunCommands
from server.runs.conversation.older_messages import recall
from server.store import Run, Store


class RunEvents:
    """Translates the entries of a run, and reads its state where entries are missing."""

    def __init__(self, names: Names, *, store: Store, bus: Bus, runs: RunCommands) -> None:
        self._names = names
        self._store = store
        self._runs = runs
        self._stored = StoredRun(names, store, bus, runs)
        self._translator = AnswerTranslator(names, Transcript())
        self._seq = 0
        self.lost = True
        """Whether the position in the log is no longer true."""

    @property
    def over(self) -> bool:
        """Return whether the last event of the answer was returned."""
        return self._translator.over

    @over.setter
    def over(self, value: bool) -> None:
        self._translator.over = value

    async def translate(self, entries: Iterable[Entry]) -> tuple[list[tuple[Entry, list[Event]]], bool]:
        """Return each new entry with what the caller gets for it, and whether a hole ended that before the last one."""
        taken: list[tuple[Entry, list[Event]]] = []
        for entry in entries:
            if entry.seq <= self._seq:
                continue
            if entry.seq != self._seq + 1:
                return taken, True
            self._seq = entry.seq
            taken.append((entry, await self._take(self._translator, entry.event)))
        return taken, False

    async def _take(self, translator: AnswerTranslator, event: Event) -> list[Event]:
        """Take an event, after reading what of the older conversation it needs."""
        await self._recall(translator.folded, event)
        if translator.lacks_earlier(event):
            await self._complete(translator, translator.folded)
        return translator.translate(event)

    async def _recall(self, folded: Transcript, event: Event) -> None:
        """Read the old message that the event may change: the holder may know more of the conversation than this."""
        await recall([event], folded, self._older_bodies)

    async def _older_bodies(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return stored messages by their ids, without those of the run itself, which its events make."""
        found = await self._store.messages.bodies(self._names.session_id, ids)
        return {
            id: each for id, each in found.items() if not self._names.covers(str(ours(each).get("run_id")))
        }

    async def _complete(self, translator: AnswerTranslator, folded: Transcript) -> None:
        """Give the translator the messages before these, since it is about to send the whole conversation."""
        older = folded.older and folded.messages
        first = folded.messages[0]["id"] if older else None
        translator.complete(await read_earlier(self._store, self._names, first) if first else {})

    async def look_up(self) -> list[Event]:
        """Find the run in the database and in the log, and send what was not sent of it."""
        while True:
            run = await self._store.runs.get(self._names.run_id)
            if run.status == "finished":
                return await self._over(run)
            before, floor, entries = await self._runs.snapshots.since(run.session_id)
            if not before.run_messages(run.id):  # Otherwise the run has finished between the two readings.
                return await self._going_on(before, floor, entries)

    async def _going_on(self, before: Transcript, floor: int, entries: list[Entry]) -> list[Event]:
        now = await self._fold(before, entries)
        seq, moved = entries[-1].seq if entries else floor, self.lost
        here = now.run is not None and self._names.covers(now.run.id)
        if self._translator.begun and not here:
            return []  # The log is unavailable. It comes back, or the run ends.
        told = seq == self._seq
        self._seq, self.lost = seq, False
        if self._translator.begun and told and not moved:
            return []
        if not self._translator.begun:
            self._translator = AnswerTranslator(self._names, before)
            if not self._knows(now.run_messages(self._names.run_id)):
                return await self._replay_valid(before, entries)
        await self._complete(self._translator, now)
        return self._translator.jump(now) if self._translator.begun else self._translator.begin(now)

    async def _fold(self, before: Transcript, entries: Iterable[Entry]) -> Transcript:
        """Return the conversation after these entries."""
        now = Transcript.of(before.messages, before.state, older=before.older)
        for entry in entries:
            await self._recall(now, entry.event)
            now.apply(entry.event)
        return now

    async def _replay_valid(self, before: Transcript, entries: list[Entry]) -> list[Event]:
        """Send the run from its last withdrawal on, with what it left: some clients take nothing back in mid-answer."""
        first = max((place for place, each in enumerate(entries, 1) if _withdraws(each.event)), default=0)
        now = await self._fold(before, entries[:first])
        if now.run is None or not self._names.covers(now.run.id):
            return await self._replay(self._translator, entries)
        await self._complete(self._translator, now)
        begun = self._translator.begin(now)
        return [*begun, *await self._replay(self._translator, entries[first:])]

    async def _replay(self, translator: AnswerTranslator, entries: Iterable[Entry]) -> list[Event]:
        return [each for entry in entries for each in await self._take(translator, entry.event)]

    def _knows(self, own: list[dict[str, Any]]) -> bool:
        """Return whether the caller has read a part of the run before, so that it would get the same events twice."""
        return any(self._names.has_read(each) for each in own)

    async def _over(self, run: Run) -> list[Event]:
        """Return the events of a run that is over, from the log, or what is stored of it."""
        first = await self._store.runs.get(self._names.first_run) if self._names.first_run else run
        own = await self._stored.messages(first, run)
        stored = await self._stored.transcript(own)
        before = open_before(own, stored.messages)
        if not self._translator.begun:
            self._translator = AnswerTranslator(self._names, _of(before, stored), state_known=False)
            entries = [] if self._knows(own) else await self._stored.log(first)
            if any(_withdraws(entry.event) for entry in entries):
                entries = []
            replay = AnswerTranslator(self._names, _of(before, stored), state_known=False)
            events = await self._replay(replay, entries)
            if replay.over:
                self._translator = replay
                return events
        last = await self._stored.find_outcome(run)
        ids = {each["id"] for each in (*before, *own)}
        whole = _of([each for each in stored.messages if each["id"] in ids], stored)
        await self._complete(self._translator, whole)
        return self._translator.translate_rest(whole, last)


def _withdraws(event: Event) -> bool:
    """Return whether an attempt of the run ends here, and another one begins with what it left."""
    return event["type"] == "MESSAGES_SNAPSHOT" and ours(event).get("scope") == "run"


def _of(messages: list[dict[str, Any]], stored: Transcript) -> Transcript:
    """Return a conversation with these of the stored messages."""
    return Transcript.of(messages, stored.state, older=stored.older)


def open_before(own: Sequence[dict[str, Any]], messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages of the runs before some run: a result follows its call, so theirs may follow its own."""
    ids = {each["id"] for each in own}
    first = next((place for place, each in enumerate(messages) if each["id"] in ids), len(messages))
    earlier = {ours(each).get("run_id") for each in messages[:first]}
    return [each for each in messages if each["id"] not in ids and ours(each).get("run_id") in earlier]
