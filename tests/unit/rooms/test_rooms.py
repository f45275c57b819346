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
from tests.unit.rooms.paper import Paper
from tests.unit.rooms.test_room_order import MOST, NEW, Parts, Socket, welcome

VISITOR = Reader("vis_1")


def session_of(number: int, principal: str = "vis_1") -> SessionOwner:
    return SessionOwner(f"ses_{number}", "loopwire", principal, "chat", "pt")


class House:
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
        paper = Paper()
        member = Member(Connection(paper, html=False, language="pt"), reader)
        await self.rooms.open(session).join(member, NEW, welcome)
        return Socket(member, paper)


async def test_a_conversation_has_one_room_until_its_last_reader_has_left() -> None:
    house = House()
    first, second = await house.enter(session_of(1)), await house.enter(session_of(1, "usr_1"))
    await house.enter(session_of(2))
    room = house.rooms.by_session["ses_1"]
    assert room.members == [first.member, second.member]
    assert room.session.principal == "usr_1", "a user has claimed it meanwhile"
    assert (len(house.rooms), house.rooms.sessions()) == (3, ["ses_1", "ses_2"])
    await house.rooms.leave(room, first.member)
    assert house.rooms.by_session["ses_1"] is room
    await house.rooms.leave(room, first.member)
    assert room.members == [second.member]
    await house.rooms.leave(room, second.member)
    assert house.rooms.sessions() == ["ses_2"]
    assert house.parts.asked[-1] == ("unwatch", "ses_1", room)


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

    house = House(Slow())
    only = await house.enter(session_of(1))
    room = house.rooms.by_session["ses_1"]
    house.parts.seq = 9
    room.resync()
    await until_async(lambda: ("begun",) in house.parts.asked, what="an update without end")
    leaving = asyncio.ensure_future(house.rooms.leave(room, only.member))
    await asyncio.sleep(0)
    assert house.rooms.open(session_of(1)) is not room
    await leaving
    assert house.parts.asked[-2:] == [("unwatch", "ses_1", room), ("ended",)]
    await house.rooms.aclose()


async def test_a_reader_that_leaves_after_all_rooms_are_closed_changes_nothing() -> None:
    house = House()
    only, other = await house.enter(session_of(1)), await house.enter(session_of(2))
    room = house.rooms.by_session["ses_1"]
    await house.rooms.aclose()
    assert [each[0] for each in house.parts.asked].count("unwatch") == 2
    assert house.rooms.sessions() == []
    fresh = house.rooms.open(session_of(1))
    await house.rooms.leave(room, only.member)
    assert house.rooms.by_session == {"ses_1": fresh}
    assert other.paper.closed is None


async def test_a_person_is_here_by_its_conversation_or_its_name_and_an_operator_is_none() -> None:
    house = House()
    (is_here,) = house.visitors
    assert not is_here("vis_1")
    operator = await house.enter(session_of(1), Reader("", operator="key_a"))
    assert not is_here("vis_1")
    await house.enter(session_of(1), Reader("usr_1"))
    assert is_here("vis_1")
    assert is_here("usr_1")
    assert not is_here("vis_2")
    assert not is_here("")
    assert operator.paper.closed is None


async def test_readers_of_a_leaving_server_come_back_one_after_the_other() -> None:
    house = House()
    sockets = [await house.enter(session_of(number)) for number in (1, 1, 2)]
    leaving = asyncio.ensure_future(house.rooms.drain(spread_s=6))
    await until_async(lambda: sockets[0].paper.closed is not None, what="the first to be sent away")
    told = [each.paper.frames()[-1] for each in sockets]
    assert [each["type"] for each in told] == ["reconnect"] * 3
    assert [each["after_ms"] for each in told] == [250, 2250, 4250]
    assert [each.paper.closed for each in sockets] == [(1012, "drain"), None, None]
    leaving.cancel()


async def test_a_reader_that_comes_to_a_leaving_server_is_told_to_come_back() -> None:
    house = House()
    socket = await house.enter(session_of(1))
    house.rooms.dismiss(socket.member)
    assert (socket.told()[-1], socket.paper.frames()[-1]["after_ms"]) == ("reconnect", 250)
    assert socket.paper.closed == (1012, "drain")


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
    house = House()
    sockets = [
        await house.enter(session_of(1), Reader("vis_1")),
        await house.enter(session_of(1), Reader("usr_1", identity="jti_1")),
        await house.enter(session_of(1), Reader("", operator="key_a")),
        await house.enter(session_of(2, "vis_2"), Reader("usr_1", identity="jti_2")),
    ]
    house.rooms.end(subject)
    assert [each.paper.closed and each.paper.closed[0] for each in sockets] == ended
    codes = {4404: "not_found", 4401: "unauthorized", None: None}
    assert [each.paper.frames()[-1].get("code") for each in sockets] == [codes[each] for each in ended]


async def test_an_identity_ends_at_its_time_and_one_without_an_end_does_not() -> None:
    house = House()
    sockets = [
        await house.enter(session_of(number), reader)
        for number, reader in enumerate((VISITOR, *(Reader("usr_1", until=each) for each in (1, 1000, 1001))))
    ]
    house.rooms.end_expired(1000)
    closed = [each.paper.closed for each in sockets]
    assert closed == [None, (4401, "unauthorized"), (4401, "unauthorized"), None]
    assert sockets[1].paper.frames()[-1]["code"] == "unauthorized"


async def test_all_are_told_when_redis_goes_and_when_it_is_back() -> None:
    house = House()
    sockets = [await house.enter(session_of(number)) for number in (1, 1, 2)]
    (announce,) = house.bus.on_degraded
    for away in (True, False):
        house.bus.degraded = away
        announce(away)
    assert [each.told()[3:] for each in sockets] == [[("degraded", True), ("degraded", False)]] * 3


async def test_what_waits_and_what_is_stored_is_told_in_its_own_conversation() -> None:
    house = House()
    first, second = await house.enter(session_of(1)), await house.enter(session_of(2))
    house.rooms.set_backlogged({"ses_1", "ses_9"})
    assert (first.told()[3:], second.told()[3:]) == ([("degraded", True)], [])
    house.rooms.set_backlogged(frozenset())
    for _ in range(2):
        house.rooms.note_stored({"ses_2": 7, "ses_9": 7})
    await until_async(lambda: second.told()[-1] == "queue" and len(second.told()) == 5, what="a snapshot")
    assert first.told()[3:] == [("degraded", True), ("degraded", False)]
    assert second.paper.frames()[-2]["seq"] == 7
