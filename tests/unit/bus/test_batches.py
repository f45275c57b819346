"""The batches of a writer: when there is one, what it asks, and how often it begins the log's time to live anew."""

from __future__ import annotations

from server.bus.log.log import ClaimedLog
from server.bus.writer.batches import Batches
from server.bus.writer.cursor import LogCursor


def of_a_log() -> tuple[Batches, LogCursor]:
    cursor = LogCursor(ClaimedLog("log", 1, 0, 1, 0, False, "me"), floor=0, reaches=0)
    return Batches("ses_1", "me", cursor), cursor


def test_a_batch_exists_only_when_something_is_to_be_written_or_asked() -> None:
    batches, cursor = of_a_log()
    assert batches.next(0.0) is None
    batches.asks = True
    asked = batches.next(0.0)
    assert asked is not None and asked.lines == []
    batches.note_answer(asked, 0.0, taken=True)
    assert batches.next(0.0) is None, "it was answered"
    cursor.append({"type": "ITEM"})
    written = batches.next(0.0)
    assert written is not None and (written.first, len(written.lines), batches.more) == (1, 1, False)


def test_the_time_to_live_begins_anew_with_the_first_batch_that_is_taken_and_a_minute_later() -> None:
    batches, cursor = of_a_log()
    cursor.append({"type": "ITEM"})
    touched = []
    for now, taken in ((0.0, False), (0.0, True), (1.0, True), (59.0, True), (60.0, True), (61.0, True)):
        batch = batches.next(now)
        assert batch is not None
        touched.append(batch.touch)
        batches.note_answer(batch, now, taken=taken)
    assert touched == [True, True, False, False, True, False]
