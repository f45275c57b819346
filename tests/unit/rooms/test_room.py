"""A room sends a snapshot with its seq to each member that missed a stored end."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from server.protocol.commands import Hello
from server.protocol.envelope import FeedbackNotice, Queue
from server.protocol.transcript import Transcript
from server.rooms.connection import Connection
from server.rooms.member import Member, Reader
from server.rooms.room import Room
from server.rooms.rooms import Rooms
from server.runs import ConversationSnapshot, epoch_without_log
from tests.parts.wait import until_async
from tests.unit.rooms.recording_writer import RecordingWriter


class Unwritten:
    """Runs whose log stands at 3, since Redis did not take what came after it."""

    async def snapshot(self, session_id: str) -> ConversationSnapshot:
        return ConversationSnapshot("log.1", 3, Transcript(), [], None)

    async def queue(self, session_id: str) -> Queue:
        return Queue(items=[])


async def quiet(*_: Any) -> None:
    """Nothing comes here."""


def empty_room(most_sockets: int = 5) -> Room:
    """Return a room in which nothing happens."""
    hub = SimpleNamespace(watch=quiet, unwatch=lambda *_: None)
    bus: Any = SimpleNamespace(hub=hub, degraded=False, on_degraded=[])
    session: Any = SimpleNamespace(id="ses_1", principal="vis_1")
    runs: Any = Unwritten()
    fragment_renderer: Any = None
    return Room(session, bus=bus, runs=runs, fragment_renderer=fragment_renderer, most_sockets=most_sockets)


async def joined(room: Room, operator: str = "") -> RecordingWriter:
    """Return a reader of the room."""
    writer = RecordingWriter()
    member = Member(Connection(writer, html=False, language="pt"), Reader("", operator=operator))
    await room.join(member, Hello(type="hello", v=1, ticket="t"), lambda *_: b'{"type":"welcome"}')
    return writer


async def test_a_new_socket_replaces_the_oldest_of_its_own_kind_of_reader_alone() -> None:
    room = empty_room(most_sockets=2)
    visitors = [await joined(room) for _ in range(2)]
    operators = [await joined(room, f"key_{n}") for n in range(3)]
    assert [each.closed for each in visitors] == [None, None]
    assert [each.closed for each in operators] == [(4409, "replaced"), None, None]
    visitors.append(await joined(room))
    assert [each.closed for each in visitors] == [(4409, "replaced"), None, None]
    assert [each.closed for each in operators[1:]] == [None, None]
    await room.aclose()


async def test_a_revoked_key_ends_what_it_opened_and_nothing_else() -> None:
    room = empty_room()
    own, first, second = await joined(room), await joined(room, "key_a"), await joined(room, "key_b")
    presence = SimpleNamespace(answer_by=lambda _: None)
    bus: Any = SimpleNamespace(on_degraded=[], presence=presence)
    rooms = Rooms(bus=bus, runs=Unwritten(), fragment_renderer=None, most_sockets=5)  # type: ignore[arg-type]
    rooms.by_session["ses_1"] = room
    rooms.end_revoked("key_a")
    assert [each.closed for each in (own, first, second)] == [None, (4401, "unauthorized"), None]
    rooms.end_revoked("vis_1")
    assert [each.closed and each.closed[0] for each in (own, second)] == [4401, 4401]
    await room.aclose()


async def test_a_snapshot_of_what_no_log_has_covers_all_that_is_stored() -> None:
    hub = SimpleNamespace(watch=quiet, unwatch=lambda *_: None)
    bus: Any = SimpleNamespace(hub=hub, degraded=False)
    session: Any = SimpleNamespace(id="ses_1")
    runs: Any = Unwritten()
    fragment_renderer: Any = None
    room = Room(session, bus=bus, runs=runs, fragment_renderer=fragment_renderer, most_sockets=5)
    writer = RecordingWriter()
    member = Member(Connection(writer, html=False, language="pt"))
    await room.join(member, Hello(type="hello", v=1, ticket="t"), lambda *_: b'{"type":"welcome"}')

    def snapshots() -> list[tuple[str, int]]:
        return [(each["epoch"], each["seq"]) for each in writer.frames() if each["type"] == "snapshot"]

    assert snapshots() == [("log.1", 3)]
    room.note_stored(5)
    assert snapshots() == [("log.1", 3)], "one look is no reason: the events may be on their way"
    room.note_stored(5)
    await until_async(lambda: len(snapshots()) == 2, what="the snapshot of what is stored")
    assert snapshots()[1] == (epoch_without_log(1), 5)
    room.note_stored(5)
    await asyncio.sleep(0)
    assert len(snapshots()) == 2
    await room.aclose()


async def test_a_control_frame_goes_to_all_but_the_socket_that_caused_it() -> None:
    room = empty_room()
    writers = [await joined(room) for _ in range(3)]
    before = [len(each.sent) for each in writers]
    by = room.members[1].connection.id
    assert by.startswith("con_")
    room.control(FeedbackNotice(message_id="msg_1", from_tab=by).model_dump_json().encode())
    assert [len(each.sent) - had for each, had in zip(writers, before, strict=True)] == [1, 0, 1]
