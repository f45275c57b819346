"""Bodies of refused requests: read to their end and dropped, a few at once and for a short time, then refused."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from server.errors import TooLong
from server.http import body_limits
from server.http.body_limits import (
    DROPPED_BYTES,
    MOST_DROPS,
    MOST_DROPS_OF_ADDRESS,
    SMALL,
    Bodies,
    CountedBody,
    TooSlow,
)
from tests.parts.wait import PATIENCE_S, until_async

MIB = 1024 * 1024


class Sender:
    """A client whose parts are read one after the other; after the last it goes on for ever, or its body ends."""

    def __init__(self, parts: Iterable[bytes], *, ends: bool = True) -> None:
        self.waiting, self.ends = list(parts), ends

    async def receive(self) -> dict[str, Any]:
        """Return the next part."""
        if not self.waiting and not self.ends:
            await asyncio.Event().wait()
        part = self.waiting.pop(0) if self.waiting else b""
        return {"type": "http.request", "body": part, "more_body": bool(self.waiting) or not self.ends}

    def body(self, bodies: Bodies, *, address: str = "a", **head: str) -> CountedBody:
        """Return the body that it sends to a path with small ones."""
        named = {name.replace("_", "-"): value for name, value in head.items()}
        return bodies.body({"path": "/v1/tickets", "client": (address, 1)}, named, self.receive)


@pytest.fixture
def bodies() -> Bodies:
    return Bodies(100 * MIB, 1000 * MIB)


async def refused(body: CountedBody) -> None:
    """Read until the body is refused."""
    with pytest.raises(TooLong):
        while True:
            await body()


@pytest.mark.parametrize("head", [{"content_length": str(3 * MIB)}, {}], ids=["declared", "in chunks"])
async def test_a_body_is_read_to_its_end_before_it_is_refused(bodies: Bodies, head: dict[str, str]) -> None:
    sender = Sender([bytes(64 * 1024)] * 48)
    body = sender.body(bodies, **head)
    await refused(body)
    assert sender.waiting == []
    assert len(bodies.drops) == 0
    with pytest.raises(TooLong):
        await body()
    body.release()
    assert bodies.total == 0


@pytest.mark.parametrize(
    "head",
    [{"content_length": str(DROPPED_BYTES + 1)}, {"content_length": str(3 * MIB), "expect": "100-continue"}],
)
async def test_a_body_that_is_too_long_to_be_dropped_or_not_sent_yet_is_refused_at_once(
    bodies: Bodies, head: dict[str, str]
) -> None:
    sender = Sender([b"x"] * 3)
    await refused(sender.body(bodies, **head))
    assert len(sender.waiting) == 3


async def test_a_body_without_end_is_read_for_so_many_bytes_alone(bodies: Bodies) -> None:
    sender = Sender([bytes(MIB)] * 100, ends=False)
    await refused(sender.body(bodies))
    assert len(sender.waiting) == 100 - DROPPED_BYTES // MIB - 1


async def test_a_silent_client_is_waited_for_so_long_alone(
    bodies: Bodies, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body_limits, "DROP_S", 0.01)
    await refused(Sender([], ends=False).body(bodies, content_length=str(SMALL + 1)))
    assert len(bodies.drops) == 0


async def test_of_a_thousand_slow_clients_all_but_a_few_are_refused_at_once(bodies: Bodies) -> None:
    length = str(SMALL + 1)
    slow = [
        Sender([], ends=False).body(bodies, address=f"a{n % 100}", content_length=length) for n in range(1000)
    ]
    asked = [asyncio.ensure_future(each()) for each in slow]
    await until_async(lambda: sum(each.done() for each in asked) == 1000 - MOST_DROPS, what="the refusals")
    assert all(isinstance(each.exception(), TooLong) for each in asked if each.done())
    waiting = [each for each in asked if not each.done()]
    assert len(waiting) == len(bodies.drops) == MOST_DROPS
    for each in waiting:
        each.cancel()
    await asyncio.wait(waiting)
    assert len(bodies.drops) == 0


async def test_one_address_takes_not_all_places(bodies: Bodies) -> None:
    slow = [Sender([], ends=False).body(bodies, content_length=str(SMALL + 1)) for _ in range(10)]
    asked = [asyncio.ensure_future(each()) for each in slow]
    await until_async(lambda: sum(each.done() for each in asked) == 8, what="the refusals")
    waiting = [each for each in asked if not each.done()]
    assert len(waiting) == MOST_DROPS_OF_ADDRESS
    sender = Sender([b"x"] * 3)
    await refused(sender.body(bodies, address="b", content_length=str(SMALL + 1)))
    assert sender.waiting == []
    for each in waiting:
        each.cancel()
    await asyncio.wait(waiting)


async def test_the_rest_of_a_body_is_dropped_once_and_not_after_its_end_or_an_answer(bodies: Bodies) -> None:
    sender = Sender([b"x"] * 5)
    body = sender.body(bodies, content_length=str(SMALL))
    assert (await body())["more_body"]
    await body.drop_rest()
    assert sender.waiting == []
    sender.waiting = [b"x"]
    await body.drop_rest()
    assert sender.waiting == [b"x"]
    answered = sender.body(bodies, content_length=str(SMALL))
    answered.answered = True
    await answered.drop_rest()
    waits = sender.body(bodies, content_length=str(SMALL), expect="100-continue")
    await waits.drop_rest()
    assert sender.waiting == [b"x"]


async def test_a_body_that_came_too_slowly_is_not_waited_for_once_more(
    bodies: Bodies, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = Sender([], ends=False).body(bodies, content_length=str(SMALL))
    body.seconds = 0.01
    with pytest.raises(TooSlow):
        await body()
    monkeypatch.setattr(body_limits, "DROP_S", 3600.0)
    async with asyncio.timeout(PATIENCE_S):
        await body.drop_rest()
