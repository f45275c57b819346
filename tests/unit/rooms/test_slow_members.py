"""A slow reader of a room waits for one snapshot at a time, however often another tab changes the path."""

from __future__ import annotations

from typing import Any

from server.bus import Entry
from server.protocol import events as ev
from server.protocol.codec import encode_event
from server.protocol.envelope import Fragment
from server.rooms.outbox import MAX_BYTES
from tests.parts.wait import until_async
from tests.unit.rooms.test_room_order import Parts, joined

LARGE = 200_000
SWITCHES = 100


class LargeParts(Parts):
    """A conversation whose page is large."""

    def fragments(self, transcript: Any, event: Any, *about: Any) -> Fragment:
        return Fragment("x" * LARGE, "#x", "outerHTML")


def switched(seq: int) -> Entry:
    """Return the event by which another tab shows another path."""
    return Entry(seq, "log.1", encode_event(ev.messages_snapshot([], scope="path")))


async def test_switches_queue_one_snapshot_for_a_page_that_reads_slowly_and_it_ends_with_the_stored_state() -> (
    None
):
    parts = LargeParts()
    room = parts.room()
    page, plain = await joined(room, html=True), await joined(room)
    page.writer.full = True
    before = len(page.writer.sent)
    for _ in range(SWITCHES):
        parts.seq += 1
        room.deliver([switched(parts.seq)])
        await until_async(lambda: page.member.live, what="the snapshot")
    parts.seq += 1
    room.deliver([Entry(parts.seq, "log.1", encode_event(ev.step_started("s")))])
    assert page.writer.closed is None
    page.writer.resume()
    waited = page.writer.sent[before:]
    assert sum(len(each) for each in waited) < 2 * LARGE + MAX_BYTES
    numbered = [each for each in page.writer.frames()[before:] if "seq" in each]
    assert [(each.get("type"), each["seq"]) for each in numbered] == [
        ("snapshot", parts.seq - 1),
        (None, parts.seq),
    ]
    assert [each["seq"] for each in plain.writer.frames() if "event" in each] == list(range(4, parts.seq + 1))
