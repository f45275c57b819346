"""The log of a session in Redis: its keys, and the scripts that claim, append and read in one step each."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from server.bus.log.entries import Position, epoch_of
from server.bus.log.view import LogView
from server.bus.redis.client import Script, failures_as_down
from server.bus.redis.pipeline import Caller, Word
from server.errors import Fenced

LOG_TTL_S = 3600
"""Seconds for which an idle session can still be resumed by replay."""

META_TTL_S = 86_400
"""Seconds for which the numbering outlives the log, so that a page left open does not start over."""

KEPT_EVENTS = 4096
"""Events kept before the active run's first one."""

KEPT_FENCES = 32
"""Beginnings of fences beside the log, for events that it no longer has; of those it has it knows the fence itself."""

HOLD_S = 60
"""Seconds after a note that an input will wait: no process claims the opposite, since its commit may be under way."""

NOWHERE = 2**53
"""A seq after which no log has anything: for reading the position alone."""

RUNS_CHANNEL = "lw:runs"
CANCEL_CHANNEL = "lw:cancel"
REVOKED_CHANNEL = "lw:revoked"
WORKERS_CHANNEL = "lw:workers"
"""No message is ever sent on this channel: its subscribers are the processes that claim runs."""
PRESENCE_CHANNEL = "lw:presence"
"""Tells that a visitor has come or gone, for the operators who read the session."""


def log_key(session_id: str) -> str:
    """Return the key of the stream of batches; the session is the hash tag."""
    return f"lw:{{{session_id}}}:log"


def meta_key(session_id: str) -> str:
    """Return the key of the meta of a log: a hash with these fields, which the scripts read and write.

    | field | content |
    |---|---|
    | e | the incarnation, the first part of an epoch |
    | n | the seq of the last event |
    | f | the fence of the holder; a smaller one is refused |
    | b | the seq before the first event of the incarnation |
    | c | the seq up to which SQL has the events that the log lacks |
    | s | where fences begin, as `fence:seq` parted by blanks, the `KEPT_FENCES` last |
    | p | the fence of the events before the first of these |
    | h | the name of the holder: two claims with one fence differ by it |
    | g | the grant, "incarnation fence start holder", after the holder's first write; empty after a claim |
    | w | the Redis server that proves an empty queue (`IdleProof`), or `!` with the notes of runs that wait |
    """
    return f"lw:{{{session_id}}}:head"


def log_channel(session_id: str) -> str:
    """Return the channel that carries what is appended."""
    return f"lw:{{{session_id}}}"


def control_channel(session_id: str) -> str:
    """Return the channel of control frames, which an instance receives even while it writes the session itself."""
    return f"lw:{{{session_id}}}:ctl"


@dataclass(frozen=True, slots=True)
class ClaimedLog:
    """The state that a holder starts from. `start` is the first seq of its fence; `born` marks a new log."""

    incarnation: str
    fence: int
    last: int
    start: int
    covers: int
    born: bool
    holder: str


@dataclass(slots=True)
class Batch:
    """The entries that one session writes in one flush; empty to ask whether this holder still has the log.

    `touch` begins the log's time to live anew, which need not be done with every batch.
    """

    keys: tuple[str, str]
    incarnation: str
    fence: int
    start: int
    holder: str
    first: int
    lines: list[bytes]
    covers: int
    birth: bool
    touch: bool

    def words(self) -> tuple[Word, ...]:
        """Return the words for the script: grant, before, last, special, message."""
        before, last = self.first - 1, self.first - 1 + len(self.lines)
        head = f"{self.incarnation} {self.fence} {self.start}"
        special = ""
        if not self.lines or self.touch or self.first == self.start:
            special = f"{self.covers} {self.birth:d} {self.touch:d}"
        message = b""
        if self.lines:
            message = f"{head} {self.first} {last}\n".encode() + b"\n".join(self.lines)
        return f"{head} {self.holder}", before, last, special, message


@dataclass(slots=True)
class AppendOutcome:
    """The outcome of a batch: OK, FENCED, GAP or LOST, and its number."""

    word: str
    number: int


def _answer(raw: Any) -> AppendOutcome:
    """Read the result of writing a batch: where the log ends now, or what is wrong."""
    if isinstance(raw, int):
        return AppendOutcome("OK", raw)
    word, number = raw
    return AppendOutcome(word.decode(), int(number))


class Log:
    """The logs of all sessions, by way of the scripts. Every method raises BusDown."""

    def __init__(self, link: Caller) -> None:
        self._link = link
        self._append, self._claim, self._read = (Script(link, each) for each in ("append", "claim", "read"))

    async def claim(
        self,
        session_id: str,
        *,
        fence: int,
        floor: int,
        reaches: int,
        fresh: str,
        holder: str,
        alone: str | None = None,
    ) -> ClaimedLog:
        """Take the session's log for this fence; raises Fenced when a younger holder has it.

        A log that ends before `reaches` has lost something and begins anew, after that seq. What is stored
        reaches to `floor`.

        `alone` names the run's input when nothing else waited in the session's queue as its fence was committed.
        """
        args: list[Word] = [
            fence,
            floor,
            fresh,
            META_TTL_S,
            KEPT_EVENTS,
            KEPT_FENCES,
            holder,
            int(alone is not None),
            HOLD_S,
            alone or "",
            max(floor, reaches),
        ]
        reply = await self._claim([log_key(session_id), meta_key(session_id)], args)
        if reply[0] == b"FENCED":
            raise Fenced
        return ClaimedLog(
            incarnation=reply[1].decode(),
            fence=fence,
            last=int(reply[2]),
            start=int(reply[3]),
            covers=int(reply[4]),
            born=bool(reply[5]),
            holder=holder,
        )

    async def append(self, batches: Sequence[Batch]) -> list[AppendOutcome]:
        """Write the batches of many sessions in one step, and signal their readers; one answer each, in order."""
        keys: list[Word] = []
        args: list[Word] = [LOG_TTL_S, META_TTL_S]
        for each in batches:
            keys += each.keys
            args += each.words()
        return [_answer(each) for each in await self._append(keys, args)]

    async def read(self, session_id: str, after: int) -> LogView | None:
        """Return position, the entries after one seq and that one's writer, all of one moment; None without a log."""
        after = min(max(after, 0), NOWHERE)
        reply = await self._read([log_key(session_id), meta_key(session_id)], [after])
        return LogView.of(reply, after) if reply else None

    async def ping(self) -> None:
        """Return when Redis takes a write: one that is full, or a replica, answers a PING all the same."""
        with failures_as_down():
            await self._link.call("SET", "lw:ping", 1, "PX", 1000)

    async def positions(self, session_ids: Sequence[str]) -> list[Position | None]:
        """Return where many logs end, in one round trip."""
        with failures_as_down():
            asked = (self._link.call("HMGET", meta_key(each), "e", "n", "f") for each in session_ids)
            replies = await asyncio.gather(*asked)
        return [Position(epoch_of(e.decode(), int(f)), int(n)) if e else None for e, n, f in replies]
