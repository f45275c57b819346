"""The rooms of a process: who is in one, who is sent away from it and how, and when it is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from server.identity import claimed_from, identities_of
from server.rooms.connection import Connection
from server.rooms.member import Member, Reader
from server.rooms.rooms import Rooms
from server.runs import ConversationSnapshot
from server.store import SessionOwner
from tests.parts.wait import until_async
from tests.unit.rooms.recording_writer import RecordingWriter
from tests.unit.rooms.test_room_order import MOST, NEW, Parts, Socket, welcome

VISITOR = Reader("vis_1")


def session_of(number: int, principal: str = "vis_1") -> SessionOwner:
    return SessionOwner(f"ses_{number}", "loopwire", principal, "chat", "pt")


class ProcessRooms:
    """The rooms of a process over the parts of a test, and what the bus asks of them."""

    def __init__(self, parts: Parts | None = None) -> None:
        self.parts = parts or Parts()
        self.bus = self.parts.bus()
        self.bus.on_degraded = []
        self.visitors: list[Callable[[str], bool]] = []
        self.bus.presence = SimpleNamespace(answer_by=self.visitors.append)
        runs: Any = self.parts
        self.rooms = Rooms(bus=self.bus, runs=runs, fragment_renderer=self.parts, most_sockets=MOST)

    async def enter(self, session: SessionOwner, reader: Reader = VISITOR) -> Socket:
        writer = RecordingWriter()
        member = Member(Connection(writer, html=False, language="pt"), reader)
        await self.rooms.open(session).join(member, NEW, welcome)
        return Socket(member, writer)


async def test_a_conversation_has_one_room_until_its_last_reader_has_left() -> None:
    process = ProcessRooms()
    first, second = await process.enter(session_of(1)), await process.enter(session_of(1, "usr_1"))
    await process.enter(session_of(2))
    room = process.rooms.by_session["ses_1"]
    assert room.members == [first.member, second.member]
    assert room.session.principal == "usr_1", "a user has claimed it meanwhile"
    assert (len(process.rooms), process.rooms.sessions()) == (3, ["ses_1", "ses_2"])
    await process.rooms.remove(room, first.member)
    assert process.rooms.by_session["ses_1"] is room
    await process.rooms.remove(room, first.member)
    assert room.members == [second.member]
    await process.rooms.remove(room, second.member)
    assert process.rooms.sessions() == ["ses_2"]
    assert process.parts.asked[-1] == ("unwatch", "ses_1", room)


async def test_a_reader_that_enters_while_a_room_is_closed_gets_a_new_one() -> None:
    class Slow(Parts):
        async def snapshot(self, session_id: str) -> ConversationSnapshot:
            if self.seq == 3:
                return await super().snapshot(session_id)
            self.asked.append(("begun",))
            try:
                return await asyncio.get_running_loop().create_future()
            finally:
                self.asked.append(("ended",))

    process = ProcessRooms(Slow())
    only = await process.enter(session_of(1))
    room = process.rooms.by_session["ses_1"]
    process.parts.seq = 9
    room.resync()
    await until_async(lambda: ("begun",) in process.parts.asked, what="an update without end")
    leaving = asyncio.ensure_future(process.rooms.remove(room, only.member))
    await asyncio.sleep(0)
    assert process.rooms.open(session_of(1)) is not room
    await leaving
    assert process.parts.asked[-2:] == [("unwatch", "ses_1", room), ("ended",)]
    await process.rooms.aclose()


async def test_a_reader_that_leaves_after_all_rooms_are_closed_changes_nothing() -> None:
    process = ProcessRooms()
    only, other = await process.enter(session_of(1)), await process.enter(session_of(2))
    room = process.rooms.by_session["ses_1"]
    await process.rooms.aclose()
    assert [each[0] for each in process.parts.asked].count("unwatch") == 2
    assert process.rooms.sessions() == []
    fresh = process.rooms.open(session_of(1))
    await process.rooms.remove(room, only.member)
    assert process.rooms.by_session == {"ses_1": fresh}
    assert other.writer.closed is None


async def test_a_person_is_here_by_its_conversation_or_its_name_and_an_operator_is_none() -> None:
    process = ProcessRooms()
    (is_here,) = process.visitors
    assert not is_here("vis_1")
    operator = await process.enter(session_of(1), Reader("", operator="key_a"))
    assert not is_here("vis_1")
    await process.enter(session_of(1), Reader("usr_1"))
    assert is_here("vis_1")
    assert is_here("usr_1")
    assert not is_here("vis_2")
    assert not is_here("")
    assert operator.writer.closed is None


async def test_readers_of_a_leaving_server_come_back_one_after_the_other() -> None:
    process = ProcessRooms()
    sockets = [await process.enter(session_of(number)) for number in (1, 1, 2)]
    leaving = asyncio.ensure_future(process.rooms.drain(spread_s=6))
    await until_async(lambda: sockets[0].writer.closed is not None, what="the first to be sent away")
    told = [each.writer.frames()[-1] for each in sockets]
    assert [each["type"] for each in told] == ["reconnect"] * 3
    assert [each["after_ms"] for each in told] == [250, 2250, 4250]
    assert [each.writer.closed for each in sockets] == [(1012, "drain"), None, None]
    leaving.cancel()


async def test_a_reader_that_comes_to_a_leaving_server_is_told_to_come_back() -> None:
    process = ProcessRooms()
    socket = await process.enter(session_of(1))
    process.rooms.dismiss(socket.member)
    assert (socket.told()[-1], socket.writer.frames()[-1]["after_ms"]) == ("reconnect", 250)
    assert socket.writer.closed == (1012, "drain")


@pytest.mark.parametrize(
    ("subject", "ended"),
    [
        ("ses_1", [4404, 4404, 4404, None]),
        ("vis_1", [4401, 4401, 4401, None]),
        ("usr_1", [None, 4401, None, 4401]),
        ("jti_1", [None, 4401, None, None]),
        (identities_of("usr_1"), [None, 4401, None, 4401]),
        (claimed_from("ses_1", "vis_1"), [4401, None, None, None]),
        (claimed_from("ses_2", "vis_1"), [None, None, None, None]),
        ("key_a", [None, None, 4401, None]),
        ("vis_2", [None, None, None, 4401]),
    ],
)
async def test_a_revoked_name_ends_its_own_readers_with_the_reason(
    subject: str, ended: list[int | None]
) -> None:
    process = ProcessRooms()
    sockets = [
        await process.enter(session_of(1), Reader("vis_1")),
        await process.enter(session_of(1), Reader("usr_1", identity="jti_1")),
        await process.enter(session_of(1), Reader("", operator="key_a")),
        await process.enter(session_of(2, "vis_2"), Reader("usr_1", identity="jti_2")),
    ]
    process.rooms.end_revoked(subject)
    assert [each.writer.closed and each.writer.closed[0] for each in sockets] == ended
    codes = {4404: "not_found", 4401: "unauthorized", None: None}
    assert [each.writer.frames()[-1].get("code") for each in sockets] == [codes[each] for each in ended]


async def test_an_identity_ends_at_its_time_and_one_without_an_end_does_not() -> None:
    process = ProcessRooms()
    sockets = [
        await process.enter(session_of(number), reader)
        for number, reader in enumerate((VISITOR, *(Reader("usr_1", until=each) for each in (1, 1000, 1001))))
    ]
    process.rooms.end_expired(1000)
    closed = [each.writer.closed for each in sockets]
    assert closed == [None, (4401, "unauthorized"), (4401, "unauthorized"), None]
    assert sockets[1].writer.frames()[-1]["code"] == "unauthorized"


async def test_every_socket_is_told_when_redis_goes_and_when_it_returns() -> None:
    process = ProcessRooms()
    sockets = [await process.enter(session_of(number)) for number in (1, 1, 2)]
    (announce,) = process.bus.on_degraded
    for away in (True, False):
        process.bus.degraded = away
        announce(away)
    assert [each.told()[3:] for each in sockets] == [[("degraded", True), ("degraded", False)]] * 3


async def test_backlog_and_stored_ends_are_told_to_their_own_conversation_alone() -> None:
    process = ProcessRooms()
    first, second = await process.enter(session_of(1)), await process.enter(session_of(2))
    process.rooms.set_backlogged({"ses_1", "ses_9"})
    assert (first.told()[3:], second.told()[3:]) == ([("degraded", True)], [])
    process.rooms.set_backlogged(frozenset())
    for _ in range(2):
        process.rooms.note_stored({"ses_2": 7, "ses_9": 7})
    await until_async(lambda: second.told()[-1] == "queue" and len(second.told()) == 5, what="a snapshot")
    assert first.told()[3:] == [("degraded", True), ("degraded", False)]
    assert second.writer.frames()[-2]["seq"] == 7
