"""The reader of a session's log, from Redis and from what its writer here has in memory."""

from __future__ import annotations

import asyncio

from server.bus.hub.hub import Hub
from server.bus.log.entries import BusDown, Entry, Position
from server.bus.log.log import Log
from server.bus.log.view import LogView
from server.bus.writer.writer import LogWriter
from server.protocol.codec import encode_event

AHEAD_WAIT_S = 1.0
AHEAD_STEP_S = 0.025


class LogReader:
    """Reads the log of a session, as this process sees it."""

    def __init__(self, logs: Log, hub: Hub) -> None:
        """Ask `hub` which sessions are written here."""
        self._log = logs
        self._hub = hub

    async def position(self, session_id: str) -> Position | None:
        """Return how far the session's log reaches, seen from here; None without a log. Raises BusDown."""
        writer = self._hub.writer(session_id)
        if writer is not None:
            return Position(writer.cursor.epoch, writer.cursor.delivered)
        return (await self._log.positions([session_id]))[0]

    async def read(self, session_id: str, after: int, *, until: int | None = None) -> list[Entry] | None:
        """Return every event after one, up to what was shown here; None when the log does not reach back.

        For a session that is written here this is the log and what its writer has shown since; with Redis down,
        what the writer has in memory, if need be the run so far in short (then all at one seq). Raises BusDown;
        readers of the session here then get a resync when Redis is back, for what was shown without the log.
        """
        view: LogView | None = None
        try:
            view = await self._log.read(session_id, after)
        except BusDown:
            if self._hub.writer(session_id) is None:
                self._hub.resync_when_readable(session_id)
                raise
        writer = self._hub.writer(session_id)
        entries = view.after(after) if view is not None else None
        if writer is not None:
            entries = _with_writer(writer, view, entries, after)
        if entries is None or until is None:
            return entries
        return [each for each in entries if each.seq <= until]

    async def replay(self, session_id: str, epoch: str, last_seq: int) -> list[Entry] | None:
        """Return what a client missed that saw everything up to `last_seq` under `epoch`; None: send a snapshot.

        A client that sat on a dead holder may have seen events that never reached the log; the end of its fence
        tells. One that is ahead of the log in the present fence is waited for, a second at most. Watch first.
        """
        deadline = asyncio.get_running_loop().time() + AHEAD_WAIT_S
        while True:
            try:
                view = await self._log.read(session_id, last_seq)
            except BusDown:
                return self._from_memory(session_id, epoch, last_seq)
            writer = self._hub.writer(session_id)
            if writer is not None and (view is None or view.incarnation != writer.cursor.incarnation):
                return self._from_memory(session_id, epoch, last_seq)
            if view is None:
                return None
            if writer is not None and writer.cursor.epoch == epoch and last_seq > view.last:
                return writer.cursor.memory(last_seq) if last_seq <= writer.cursor.delivered else None
            ahead = epoch == view.position.epoch and last_seq > view.last
            if not ahead or asyncio.get_running_loop().time() > deadline:
                found = view.follow(epoch, last_seq)
                rest = writer.cursor.memory(max(last_seq, view.last)) if writer is not None else []
                return None if found is None or rest is None else found + rest
            await asyncio.sleep(AHEAD_STEP_S)

    def _from_memory(self, session_id: str, epoch: str, last_seq: int) -> list[Entry] | None:
        writer = self._hub.writer(session_id)
        if writer is None or writer.cursor.epoch != epoch or last_seq > writer.cursor.delivered:
            return None
        held = writer.cursor.memory(last_seq)
        return None if held and held[0].seq != last_seq + 1 else held


def _with_writer(
    writer: LogWriter, view: LogView | None, entries: list[Entry] | None, after: int
) -> list[Entry] | None:
    """Add to the log's entries those that its writer here has shown since."""
    if view is None or view.incarnation != writer.cursor.incarnation:
        found = writer.cursor.memory(after)
        return found if found is not None else _run_so_far(writer)
    if entries is None:
        return None
    last = max(after, view.last)
    rest = writer.cursor.memory(last)
    return _run_so_far(writer) if rest is None else entries + rest


def _run_so_far(writer: LogWriter) -> list[Entry] | None:
    """Return the run so far as the events of a snapshot, all at the seq they reach; None where it is unknown."""
    if writer.recover is None:
        return None
    return [Entry(writer.seq, writer.cursor.epoch, encode_event(each)) for each in writer.recover()]
