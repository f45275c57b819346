"""A run that has ended: its stored messages, and its log while Redis has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from server.agui.names import Names
from server.bus import Bus, BusDown, Entry
from server.protocol.events import Event
from server.protocol.order import is_result
from server.protocol.transcript import Transcript
from server.runs import RunCommands
from server.runs.conversation.snapshots import JOINED
from server.runs.execution.ending import end_event
from server.store import Run, Store


class StoredRun:
    """Reads what one answer needs of its run once that is over."""

    def __init__(self, names: Names, store: Store, bus: Bus, runs: RunCommands) -> None:
        self._names = names
        self._store = store
        self._bus = bus
        self._runs = runs

    async def messages(self, first: Run, run: Run) -> list[dict[str, Any]]:
        """Return the messages of the run, and before them those of the run that it answers."""
        ids = dict.fromkeys((first.id, run.id))
        return [each for id in ids for each in await self._store.messages.of_run(id)]

    async def transcript(self, own: Sequence[dict[str, Any]]) -> Transcript:
        """Return the newest of the conversation with these messages of a run and some before them."""
        stored = await self._runs.snapshots.read_stored(self._names.session_id)
        if stored.older and own and not _is_within(own, stored.messages):
            last, most = own[-1]["id"], len(own) + JOINED
            messages, older = await self._store.messages.until(self._names.session_id, last, most)
            stored = Transcript.of(messages, stored.state, older=older)
        return stored

    async def find_outcome(self, run: Run) -> Event:
        """Return the end as it is stored; what was asked for may be asked by a later run now."""
        asked = await self._store.interrupts.of_run(run.id) if run.outcome == "interrupt" else []
        outcome = run.outcome if run.outcome != "interrupt" or asked else "success"
        return end_event(
            run.session_id, run.id, outcome or "error", run.code, language=run.language, interrupts=asked
        )

    async def log(self, run: Run) -> list[Entry]:
        """Return the log from the run's first event on; nothing when it does not reach back."""
        try:
            entries = await self._bus.reader.read(run.session_id, max(0, run.first_seq - 1)) or []
        except BusDown:
            return []
        return entries if entries and entries[0].event.get("runId") == run.id else []


def _is_within(own: Sequence[dict[str, Any]], messages: Sequence[dict[str, Any]]) -> bool:
    """Return whether a run and the message just before it are among these messages; its result of an old call need not
    be.
    """
    ids = {each["id"] for each in own}
    missing = ids - {each["id"] for each in messages[1:]}
    return messages[0]["id"] not in ids and not any(
        each["id"] in missing for each in own if not is_result(each)
    )
