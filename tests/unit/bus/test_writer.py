"""A writer between its flusher and its hub: what it refuses, what it waits for, and how it ends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from server.bus.log.entries import Entry
from server.bus.log.log import AppendOutcome, ClaimedLog
from server.bus.writer.writer import LogWriter
from server.errors import Fenced


class Around:
    """The flusher and the hub of one writer: they keep what they are told, and write nothing by themselves."""

    def __init__(self) -> None:
        self.down = False
        self.shown: list[int] = []
        self.removed = 0
        self.waits = 0
        self.incarnations: list[str] = []
        self.followed: list[bool] = []

    def mark(self, writer: Any, *, urgent: bool = False) -> None:
        """Do nothing: the test writes."""

    def patience(self, most_s: float, now: float) -> float:
        """Wait for ever where a second is asked for."""
        assert most_s == 1.0
        return 3600.0

    def remove(self, writer: Any) -> None:
        self.removed += 1

    def wait(self, writer: Any, entries: list[Entry]) -> None:
        self.waits += 1

    def deliver(self, session_id: str, entries: list[Entry]) -> None:
        assert entries
        self.shown += [each.seq for each in entries]

    def begin_incarnation(self, writer: LogWriter) -> None:
        self.incarnations.append(writer.cursor.incarnation)

    def follow_log_again(self, writer: LogWriter, *, resync: bool) -> None:
        self.followed.append(resync)

    async def release(self, writer: LogWriter) -> None:
        """Do nothing."""


def claimed(last: int = 0, *, incarnation: str = "log", fence: int = 1) -> ClaimedLog:
    return ClaimedLog(incarnation, fence, last, last + 1, 0, False, "me")


@pytest.fixture
async def around() -> Around:
    return Around()


@pytest.fixture
async def writer(around: Around) -> LogWriter:
    parts: Any = around
    return LogWriter("ses_1", claimed(), floor=0, reaches=5, flusher=parts, hub=parts)


def item(number: int = 1) -> dict[str, Any]:
    return {"type": "ITEM", "i": number}


def answer(writer: LogWriter, word: str, number: int) -> bool:
    """Answer the next batch."""
    batch = writer.batch()
    assert batch is not None
    return writer.take_answer(batch, AppendOutcome(word, number))


async def test_a_fenced_writer_refuses_and_whoever_waits_for_it_hears_it(
    writer: LogWriter, around: Around
) -> None:
    target = writer.begin_publishing(item())
    waiting = asyncio.ensure_future(writer.wait_until_published(target))
    await asyncio.sleep(0)
    batch = writer.batch()
    assert batch is not None
    for _ in range(2):
        writer.fence_off()
    assert (around.removed, around.followed, writer.cursor.tail) == (1, [True], [])
    for refused in (waiting, writer.wait_until_published(target), writer.wait_for_room(), writer.publish()):
        with pytest.raises(Fenced):
            await refused
    with pytest.raises(Fenced):
        writer.append(item())
    assert writer.batch() is None
    assert not writer.take_answer(batch, AppendOutcome("LOST", 0)), "an answer that comes too late"
    assert (writer.cursor.incarnation, around.shown) == ("log", [])
    await writer.aclose()


@pytest.mark.parametrize(
    ("following", "written", "resync"),
    [
        (claimed(1, fence=2), True, False),
        (claimed(0, fence=2), True, True),
        (claimed(1, fence=2), False, True),
        (claimed(1, fence=2, incarnation="other"), True, True),
    ],
)
async def test_a_writer_gives_way_unnoticed_when_the_next_log_begins_where_its_own_ends(
    writer: LogWriter, around: Around, following: ClaimedLog, written: bool, resync: bool
) -> None:
    writer.append(item())
    if written:
        assert not answer(writer, "OK", 1)
    writer.stop_for_next_holder(following)
    assert (writer.fenced, around.followed) == (True, [resync])


async def test_a_writer_waits_for_room_behind_1024_events_and_not_while_redis_is_away(
    writer: LogWriter, around: Around
) -> None:
    for number in range(1024):
        writer.append(item(number))
    await writer.wait_for_room()
    writer.append(item())
    around.down = True
    await writer.wait_for_room()
    around.down = False
    waiting = asyncio.ensure_future(writer.wait_for_room())
    for _ in range(3):
        await asyncio.sleep(0)
    assert not waiting.done()
    assert answer(writer, "OK", 16)
    await waiting


async def test_an_end_elsewhere_is_gone_on_from_at_once(writer: LogWriter, around: Around) -> None:
    for number in range(3):
        writer.append(item(number))
    assert not answer(writer, "OK", 3)
    writer.append(item())
    assert answer(writer, "GAP", 1), "what is missing there is written now"
    assert [each.seq for each in writer.cursor.tail] == [2, 3, 4]
    assert around.incarnations == []


async def test_a_lost_log_of_which_nothing_was_said_begins_after_all_that_is_told(
    writer: LogWriter, around: Around
) -> None:
    writer.recover = lambda: [item()]
    writer.verify()
    asked = writer.batch()
    assert asked is not None and asked.lines == []
    assert writer.take_answer(asked, AppendOutcome("LOST", 0))
    assert (writer.seq, writer.cursor.birth) == (5, True)
    made = writer.batch()
    assert made is not None, "the log is made though nothing is to be written"
    assert (made.birth, made.first, made.lines) == (True, 6, [])
    # The answer to the batch of the old log.
    assert not writer.take_answer(asked, AppendOutcome("LOST", 0))
    assert around.incarnations == [writer.cursor.incarnation]
    assert not writer.take_answer(made, AppendOutcome("OK", 5))
    assert writer.batch() is None


async def test_a_writer_that_is_fenced_as_it_is_closed_is_closed_without_an_error(
    writer: LogWriter, around: Around
) -> None:
    writer.append(item())
    closing = asyncio.ensure_future(writer.aclose())
    await asyncio.sleep(0)
    writer.fence_off()
    await closing
    assert (around.waits, writer.cursor.tail, around.followed) == (0, [], [True])


async def test_a_writer_logs_a_lost_tail_and_a_lost_log(
    writer: LogWriter, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(2):
        writer.append(item(number))
    assert not answer(writer, "OK", 2)
    writer.verify()
    assert answer(writer, "GAP", 1)
    assert answer(writer, "LOST", 0)
    assert [each.getMessage().partition(":")[0] for each in caplog.records] == [
        "the log of ses_1 lost its tail",
        "the log of ses_1 is gone",
    ]
    assert {each.name for each in caplog.records} == {"server.bus.writer.writer"}


async def test_a_closed_writer_leaves_when_all_of_its_events_are_written(
    writer: LogWriter, around: Around
) -> None:
    writer.recover = list
    for number in range(100):
        writer.append(item(number))
    closing = asyncio.ensure_future(writer.aclose())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert (around.waits, writer.recover) == (1, None)
    for last in (30, 60, 90):
        assert answer(writer, "OK", last)
    assert (around.removed, around.followed) == (0, [])
    assert not answer(writer, "OK", 100)
    assert (around.removed, around.followed) == (1, [False])
