"""The watches on the database notice what Redis did not bring: revocations, runs that wait, unpublished ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from server.auth.tokens import LEEWAY_SECONDS, RESUME_SECONDS
from server.errors import Unavailable
from server.rooms import revocation_watch
from server.rooms.backlog_watch import BacklogWatch
from server.rooms.revocation_watch import ASK_S, KNOWN_S, RevocationWatch
from tests.parts.wait import until_async
from tests.unit.rooms.test_rooms import ProcessRooms, session_of


class Revoked:
    """The revocations in a database, the clock, and what a watch asks and says of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 1000.0
        self.looks: list[Any] = []
        """What the database gives at each look, the next one first."""
        self.asked: list[int] = []
        self.withdrawn: list[str] = []
        self.ended: list[str] = []
        self.expired: list[float] = []
        self.signal: Any = None
        clock = SimpleNamespace(monotonic=lambda: self.now_s, time=lambda: self.now_s + 7)
        monkeypatch.setattr(revocation_watch, "time", clock)
        bus: Any = SimpleNamespace(
            idle_proof=SimpleNamespace(withdraw=self._withdraw),
            signals=SimpleNamespace(on_revoked=lambda told: setattr(self, "signal", told)),
        )
        revocations: Any = self
        self.watch = RevocationWatch(
            [self.ended.append, lambda subject: self.ended.append(f"also {subject}")],
            revocations,
            bus,
            expire=self.expired.append,
            ask_s=0.001,
        )

    async def _withdraw(self, subject: str) -> None:
        self.withdrawn.append(subject)

    async def now(self) -> int:
        return 5_000_000_000

    async def since(self, at: int) -> tuple[list[str], int]:
        self.asked.append(at)
        look = self.looks.pop(0) if self.looks else []
        if isinstance(look, Exception):
            raise look
        return look, 6_000_000_000 + len(self.asked)

    async def look(self, *found: Any) -> None:
        """Let the watch find this, look by look, and then nothing once."""
        self.looks += found
        before = len(self.asked)
        self.watch.start()
        await until_async(lambda: len(self.asked) > before + len(found), what="the looks")
        await self.watch.aclose()


async def test_the_first_look_at_revocations_goes_as_far_back_as_a_token_lives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    revoked = Revoked(monkeypatch)
    assert revoked.watch.may_be_revoked("vis_3"), "nothing is known yet"
    await revoked.look(["vis_1"], ["vis_2"])
    assert revoked.asked[0] == 5_000_000_000 - KNOWN_S * 1000
    assert revoked.asked[1:3] == [6_000_000_001, 6_000_000_002]
    assert RESUME_SECONDS + LEEWAY_SECONDS < KNOWN_S < 2 * RESUME_SECONDS
    assert revoked.ended == ["vis_1", "also vis_1", "vis_2", "also vis_2"]
    assert revoked.withdrawn == ["vis_2"], (
        "those of the others are withdrawn already, or no token of theirs is valid"
    )
    assert set(revoked.expired) == {1007.0}
    assert not revoked.watch.may_be_revoked("vis_3", "vis_4")
    assert revoked.watch.may_be_revoked("vis_3", "vis_1")
    assert 1 < ASK_S * 1.2 < 60


async def test_a_revoked_name_is_suspected_until_no_older_token_is_valid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    revoked = Revoked(monkeypatch)
    await revoked.look()
    for seconds, subject in ((0, "a"), (10, "b"), (20, "a"), (30, "c")):
        revoked.now_s = 1000.0 + seconds
        revoked.signal(subject)
    assert revoked.ended == ["a", "also a", "b", "also b", "a", "also a", "c", "also c"]

    def suspected(seconds: float) -> list[str]:
        revoked.now_s = 1000.0 + KNOWN_S + seconds
        revoked.signal("now")
        return [each for each in "abc" if revoked.watch.may_be_revoked(each)]

    assert suspected(9) == ["a", "b", "c"]
    assert suspected(10) == ["a", "c"]
    assert suspected(20) == ["c"]
    assert suspected(31) == []
    assert revoked.watch.may_be_revoked("now")


async def test_a_database_that_is_away_is_a_warning_and_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    revoked = Revoked(monkeypatch)
    await revoked.look(Unavailable(), ["vis_1"])
    assert revoked.asked[0] == revoked.asked[1] == 5_000_000_000 - KNOWN_S * 1000
    assert revoked.ended == ["vis_1", "also vis_1"]
    (said,) = [each for each in caplog.records if each.levelno >= logging.WARNING]
    assert (said.levelno, said.getMessage()) == (logging.WARNING, "reading revocations failed: Unavailable")


class Backlog:
    """What waits in a database, and what a watch asks of it."""

    def __init__(self, *waiting: Any) -> None:
        self.waiting = list(waiting)
        """What is late at each look, the next one first."""
        self.unpublished: list[Any] = []
        """Failures of the looks for ends, the next one first."""
        self.asked: list[Any] = []

    async def late(self) -> frozenset[str]:
        self.asked.append("late")
        found = self.waiting.pop(0) if self.waiting else frozenset()
        if isinstance(found, Exception):
            raise found
        return found  # type: ignore[no-any-return]

    async def reached_seqs(self, session_ids: Sequence[str]) -> dict[str, int]:
        self.asked.append(list(session_ids))
        if self.unpublished:
            raise self.unpublished.pop(0)
        return dict.fromkeys(session_ids, 7)

    async def watch(self, process: ProcessRooms, looks: int) -> None:
        """Look so many times."""
        runs: Any = self
        watch = BacklogWatch(process.rooms, runs, ask_s=0.001)
        watch.start()
        await until_async(lambda: self.asked.count("late") > looks, what="the looks")
        await watch.aclose()


def said_by_watch(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what an operator reads of the watch."""
    records = [each for each in caplog.records if each.name == "server.rooms.backlog_watch"]
    return [each.getMessage() for each in records if each.levelno >= logging.WARNING]


async def test_a_process_without_readers_asks_the_database_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    process, backlog = ProcessRooms(), Backlog()
    process.rooms.open(session_of(1))
    turns = 0

    def count() -> int:
        nonlocal turns
        turns += 1
        return 0

    monkeypatch.setattr(type(process.rooms), "__len__", lambda _: count())
    runs: Any = backlog
    watch = BacklogWatch(process.rooms, runs, ask_s=0.001)
    watch.start()
    assert "backlog watch" in {each.get_name() for each in asyncio.all_tasks()}
    await until_async(lambda: turns > 5, what="the turns")
    await watch.aclose()
    assert backlog.asked == []


async def test_every_third_look_is_for_ends_too_of_five_hundred_conversations_at_once() -> None:
    process, backlog = ProcessRooms(), Backlog()
    await process.enter(session_of(0))
    for number in range(1, 501):
        process.rooms.open(session_of(number))
    await backlog.watch(process, 6)
    ids = process.rooms.sessions()
    assert backlog.asked[:5] == ["late", "late", "late", ids[:500], ids[500:]]
    assert backlog.asked[5:10] == ["late", "late", "late", ids[:500], ids[500:]]


async def test_conversations_that_wait_are_told_and_logged_once_until_none_does(
    caplog: pytest.LogCaptureFixture,
) -> None:
    process = ProcessRooms()
    socket = await process.enter(session_of(1))
    late = frozenset({"ses_1", "ses_2"})
    await Backlog(late, late, frozenset(), frozenset({"ses_1"})).watch(process, 5)
    degraded = [each for each in socket.told() if isinstance(each, tuple)]
    assert degraded == [("degraded", True), ("degraded", False)] * 2
    said = said_by_watch(caplog)
    assert [each[:15] for each in said] == ["2 conversations", "1 conversations"]


async def test_failed_looks_are_told_apart_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    process, backlog = ProcessRooms(), Backlog(KeyError("late"))
    backlog.unpublished = [KeyError("stored")]
    await process.enter(session_of(1))
    await backlog.watch(process, 6)
    said = said_by_watch(caplog)
    assert said == ["reading late runs failed", "reading unpublished ends failed"]
