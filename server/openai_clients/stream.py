"""One response as a stream: its run followed on the session's log, from its beginning or after a number."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from server.bus import Bus, BusDown, Entry, entries_of_run, parse_epoch
from server.errors import LoopwireError
from server.openai_clients.refusals import openai_error
from server.openai_clients.response import ResponseReader, end_type
from server.openai_clients.translate import IN_PROGRESS, ResponseTranslator
from server.protocol.codec import encode_json
from server.protocol.event_kinds import kind_of
from server.rooms.run_stream import RunStream
from server.store import Run, Session, Store

Json = dict[str, Any]

FROM_THE_START = -1
"""The cursor of a stream that has sent nothing yet."""


class ResponseStream(RunStream):
    """The events of one response, from `response.created` or the next event to the last one."""

    def __init__(
        self, run: Run, session: Session, after: int, *, store: Store, bus: Bus, reader: ResponseReader
    ) -> None:
        """Go on `after` the event that has this number."""
        super().__init__(session.id, session.principal, bus)
        self._run = run
        self._session = session
        self._store = store
        self._reader = reader
        self._sent = after
        """The number of the last event that the client has."""
        self._translator = ResponseTranslator(run.id, session.language)
        self._incarnation = ""
        self._seq = 0
        self._over = False

    def _is_over(self) -> bool:
        return self._over

    def _opening(self) -> bytes:
        created = {"type": "response.created", "response": self._outline(), "sequence_number": 0}
        return self._lines([created])

    async def _next(self) -> bytes:
        events = await self._look_up() if self._look else self._take(self._pending.pop_all())
        if self._translator.is_over:
            events.append(await self._end())
        return self._lines(events)

    def _take(self, entries: Sequence[Entry]) -> list[Json]:
        """Translate the next entries; before a hole, read the log again."""
        told: list[Json] = []
        for entry in entries:
            if self._seq and entry.seq <= self._seq:
                continue
            if self._seq and entry.seq != self._seq + 1:
                self.resync()
                break
            told += self._feed([entry])
            if kind_of(entry.event).ends_run and not self._translator.is_over:
                self._look = True
        return told

    def _feed(self, entries: Sequence[Entry]) -> list[Json]:
        told: list[Json] = []
        for entry in entries:
            self._seq = entry.seq
            told += self._translator.translate(entry)
        return told

    # The state of the run.

    async def _look_up(self) -> list[Json]:
        """Read the run and its log, and translate what was not translated."""
        self._look = False
        self._pending.clear()
        self._run, entries = await _read_run(self._run.id, self._store, self._bus)
        events: list[Json] = []
        if entries:
            incarnation = _incarnation(entries[0])
            if _is_whole(entries) and self._incarnation in ("", incarnation):
                # The same numbers again: those that the client has are left out.
                self._translator = ResponseTranslator(self._run.id, self._session.language)
                self._incarnation = incarnation
                events = self._feed(entries)
            elif self._translator.has_begun:
                events = self._feed(entries)
        elif not self._translator.has_begun:
            self._seq = 0
        if self._run.status == "finished" and self._run.published and not self._translator.is_over:
            events += await self._read_end()
        return events

    async def _read_end(self) -> list[Json]:
        """Return the rest of a run that has ended, and whose log has no end.

        A client that has a part of the response gets the last event alone, which holds all of its texts.
        """
        if self._translator.has_begun:
            return self._translator.finish()
        if self._sent > IN_PROGRESS:
            self._translator.number, self._translator.is_over = self._sent, True
            return []
        return self._translator.replay(await self._store.messages.of_run(self._run.id))

    async def _end(self) -> Json:
        """Return the last event: the response as it is stored."""
        self._over = True
        run = await self._store.runs.get(self._run.id)
        response = await self._reader.read(run, self._session)
        number = self._translator.number + 1
        return {"type": end_type(response["status"]), "response": response, "sequence_number": number}

    def _fail(self, error: LoopwireError) -> bytes:
        """End with an error: a client that comes back goes on after what it has."""
        self._over = True
        return _error_line(error, max(0, self._sent))

    def _lines(self, events: list[Json]) -> bytes:
        """Frame the events that the client does not have."""
        lines = []
        for each in events:
            if each["sequence_number"] <= self._sent:
                continue
            self._sent = each["sequence_number"]
            lines.append(
                f"event: {each['type']}\ndata: {encode_json(self._complete_event(each))}\n\n".encode()
            )
        return b"".join(lines)

    def _complete_event(self, event: Json) -> Json:
        """Return an event; `response.in_progress` gets the response as it began, which the log does not have."""
        if event["type"] != "response.in_progress":
            return event
        return {**event, "response": {**self._outline(), "status": "in_progress"}}

    def _outline(self) -> Json:
        """Return the response as it was before its end, so that a stream begins the same whenever it is read."""
        run = self._run
        if run.status == "finished":
            run = replace(run, status="running", outcome=None, code=None, ended_at=None)
        return self._reader.outline(run, self._session)


def _error_line(error: LoopwireError, number: int) -> bytes:
    told = openai_error(error)
    event = {"type": "error", "code": told["code"], "message": told["message"], "param": None}
    event["sequence_number"] = number
    return b"event: error\ndata: " + encode_json(event).encode() + b"\n\n"


async def _read_run(run_id: str, store: Store, bus: Bus) -> tuple[Run, list[Entry]]:
    """Return a run, and its events if the log has them."""
    while True:
        run = await store.runs.get(run_id)
        session = await store.sessions.load(run.session_id)
        after = max(0, run.first_seq - 1) if run.status == "finished" else session.last_seq
        if run.status != "finished" and session.last_run == run.id:
            continue  # The run ended between the two readings.
        try:
            entries = await bus.reader.read(run.session_id, after) or []
        except BusDown:
            entries = []
        return run, _of_run(run.id, entries)


def _of_run(run_id: str, entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries of one run, with its first one and its last one."""
    mine = entries_of_run(run_id, entries)
    end = next((place for place, each in enumerate(mine) if kind_of(each.event).ends_run), len(mine))
    return mine[: end + 1]


def _is_whole(entries: Sequence[Entry]) -> bool:
    """Return whether a log has a run from its first event on, and not a snapshot of it that begins a new log."""
    return len(entries) < 2 or (  # noqa: PLR2004
        entries[1].event["type"] != "MESSAGES_SNAPSHOT" and entries[0].seq != entries[1].seq
    )


def _incarnation(entry: Entry) -> str:
    parsed = parse_epoch(entry.epoch)
    return parsed[0] if parsed is not None else ""
