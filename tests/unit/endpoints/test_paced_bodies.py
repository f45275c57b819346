"""Bodies that end at once are judged in a turn of the loop each, so that sockets wait for one of them at most."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.requests import ClientDisconnect, Request

from server.api.tickets import TicketBody
from server.endpoints.bodies import body_of
from server.errors import BadJson
from server.pacing import Pace

MANY = 20
HEAD = [(b"content-type", b"application/json")]


class Held:
    """Requests whose bodies all end when `end` is called."""

    def __init__(self, last: dict[str, Any], pace: Pace | None) -> None:
        self._last = last
        self._over = asyncio.Event()
        self._pace = pace
        self._loop = asyncio.get_running_loop()
        self.turn = 0
        self.judged_in: list[int] = []

    async def _receive(self) -> dict[str, Any]:
        await self._over.wait()
        return self._last

    async def judge(self) -> None:
        """Read one body and note the turn of the loop in which its fault is told."""
        scope = {"type": "http", "method": "POST", "headers": HEAD, "state": {"pace": self._pace}}
        with pytest.raises((BadJson, ClientDisconnect)):
            await body_of(Request(scope, self._receive), TicketBody)
        self.judged_in.append(self.turn)

    def _count(self) -> None:
        self.turn += 1
        self._loop.call_soon(self._count)

    async def end(self) -> list[int]:
        """Let all bodies end in one turn; return the turn of each fault."""
        held = [asyncio.ensure_future(self.judge()) for _ in range(MANY)]
        await asyncio.sleep(0)
        self._count()
        self._over.set()
        await asyncio.gather(*held)
        return self.judged_in


ENDS = [
    pytest.param({"type": "http.request", "body": b"  x", "more_body": False}, id="a fault"),
    pytest.param({"type": "http.disconnect"}, id="a disconnect"),
]


@pytest.mark.parametrize("last", ENDS)
async def test_bodies_that_end_at_once_are_judged_in_a_turn_each(last: dict[str, Any]) -> None:
    turns = await Held(last, Pace()).end()
    assert len(set(turns)) == MANY


@pytest.mark.parametrize("last", ENDS)
async def test_bodies_that_end_at_once_are_judged_in_one_turn_without_a_pace(last: dict[str, Any]) -> None:
    turns = await Held(last, None).end()
    assert len(set(turns)) == 1


async def test_each_part_of_a_body_after_the_first_waits_for_a_turn() -> None:
    """Otherwise many bodies that come at once take the loop together, part by part."""
    parts = [{"type": "http.request", "body": b" " * 9, "more_body": more} for more in (True, True, False)]
    turns: list[int] = []

    class Counted(Pace):
        async def wait_for_turn(self) -> None:
            turns.append(len(parts))
            await super().wait_for_turn()

    async def receive() -> dict[str, Any]:
        return parts.pop(0)

    scope = {"type": "http", "method": "POST", "headers": HEAD, "state": {"pace": Counted()}}
    with pytest.raises(BadJson):
        await body_of(Request(scope, receive), TicketBody)
    assert turns == [1, 0, 0]
