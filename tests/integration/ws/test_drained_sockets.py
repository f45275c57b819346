"""A leaving server notifies all sockets, and closes them one after the other, also when they are few."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from server.http import hardened_socket
from server.rooms.connection import Connection
from server.rooms.staggered_close import MOST_PAUSE_S, SPREAD_S
from tests.integration.ws.inside import Inside, inside
from tests.integration.ws.visitor import Talk
from tests.parts.wait import until_async

LEAST_S, MOST_S = 2, 5
"""The promise: over this time they are sent away, when there are more than a few."""

A_LITTLE_EARLY = 0.01
"""What a timer may be."""


@pytest.fixture
async def here(tmp_path: Path, parts: dict[str, str]) -> AsyncIterator[Inside]:
    """Yield a server in this loop."""
    async with inside(tmp_path, **parts) as running:
        yield running


async def opened(here: Inside, sockets: int) -> list[Talk]:
    """Open sockets, each of a conversation of its own."""
    tickets = [await asyncio.to_thread(here.visitor.ticket) for _ in range(sockets)]
    return [await here.visitor.open(hello={"ticket": each["ticket"]}) for each in tickets]


async def sent_away(here: Inside, talks: list[Talk], monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Let the server send them away; gives how long after the beginning each was closed."""
    was, clock, moments = Connection.close, asyncio.get_running_loop().time, []

    def close(self: Connection, *how: Any) -> Any:
        if self._closing is None:
            moments.append(clock() - begun)
        return was(self, *how)

    with monkeypatch.context() as patched:
        patched.setattr(Connection, "close", close)
        begun = clock()
        await here.web.rooms.drain()
    assert [await each.closed() for each in talks] == [1012] * len(talks)
    assert len(moments) == len(talks)
    return moments


def reconnect_delays(talks: list[Talk]) -> list[int]:
    """After how many ms they were told to come back, each once."""
    said = [[each["after_ms"] for each in talk.frames if each.get("type") == "reconnect"] for talk in talks]
    assert {len(each) for each in said} == {1}
    return sorted(each[0] for each in said)


@pytest.mark.once
async def test_three_sockets_are_notified_first_and_closed_one_by_one(
    here: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    talks = await opened(here, 3)
    moments = await sent_away(here, talks, monkeypatch)
    assert all(
        moment >= place * MOST_PAUSE_S - A_LITTLE_EARLY for place, moment in enumerate(sorted(moments))
    )
    assert len(set(reconnect_delays(talks))) == 3


@pytest.mark.conformance
@pytest.mark.once
async def test_twelve_sockets_are_closed_over_two_to_five_seconds(
    here: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    talks = await opened(here, 12)
    moments = await sent_away(here, talks, monkeypatch)
    first, last = min(moments), max(moments)
    assert LEAST_S <= last - first <= MOST_S
    pause = SPREAD_S / (len(talks) - 1)
    assert all(moment >= place * pause - A_LITTLE_EARLY for place, moment in enumerate(sorted(moments)))
    said = reconnect_delays(talks)
    assert len(set(said)) == len(talks)
    assert said[-1] - said[0] <= MOST_S * 1000


@pytest.mark.once
async def test_a_socket_that_never_answers_the_close_has_left_the_room(
    here: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardened_socket, "CLOSE_S", 3600)
    (talk,) = await opened(here, 1)
    room = here.web.rooms.by_session[talk.session]
    talk.socket.transport.pause_reading()
    room.members[0].connection.close(1012, "restart")
    await until_async(lambda: not room.members, what="the leaving")
