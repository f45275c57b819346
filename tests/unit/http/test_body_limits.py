"""The bytes of unfinished bodies: counted by address and in all, released, and refused beyond the limits."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest
from starlette.requests import Request

from server.api.sessions import SessionChange
from server.endpoints.bodies import body_of
from server.errors import RateLimited, TooLong, Unavailable
from server.http import body_limits
from server.http.body_limits import FREE, LARGE, Bodies, CountedBody, TooSlow, declared_bytes

MIB = 1024 * 1024


def sent(
    bodies: Bodies, parts: Iterable[bytes], *, address: str = "a", path: str = "/agui/x", **head: str
) -> CountedBody:
    """Return the body of a request whose parts come at once, and whose end never comes."""
    waiting = list(parts)

    async def receive() -> dict[str, Any]:
        if not waiting:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": waiting.pop(0), "more_body": True}

    return bodies.body({"path": path, "client": (address, 1)}, head, receive)


async def test_body_bytes_of_an_address_are_limited_without_effect_on_other_addresses() -> None:
    bodies = Bodies(most_of_caller=2 * MIB, most=100 * MIB)
    held = [sent(bodies, [b"x" * MIB]) for _ in range(2)]
    for each in held:
        await each()
    with pytest.raises(RateLimited) as refused:
        await sent(bodies, [b"x" * MIB])()
    assert refused.value.retry_after
    await sent(bodies, [b"x" * MIB], address="b")()
    held[0].release()
    await sent(bodies, [b"x" * (MIB - FREE)])()


async def test_body_bytes_of_the_process_are_limited_and_a_small_body_is_accepted() -> None:
    bodies = Bodies(most_of_caller=MIB, most=2 * MIB)
    for address in ("a", "b"):
        await sent(bodies, [b"x" * MIB], address=address)()
    with pytest.raises(Unavailable) as refused:
        await sent(bodies, [b"x" * MIB], address="c")()
    assert refused.value.retry_after
    await sent(bodies, [b"x" * FREE], address="c")()


async def test_body_bytes_are_released_once() -> None:
    bodies = Bodies(8 * MIB, 48 * MIB)
    every = [sent(bodies, [b"x" * MIB], address=str(number % 5)) for number in range(20)]
    for each in every:
        await each()
    assert bodies.total == 20 * (MIB - FREE)
    for each in every * 2:
        each.release()
    assert bodies.total == 0
    assert bodies.callers == 0


async def test_a_body_that_is_complete_holds_nothing() -> None:
    bodies = Bodies(8 * MIB, 48 * MIB)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"x" * 50_000, "more_body": False}

    body = bodies.body({"path": "/v1/tickets", "client": None}, {}, receive)
    assert len((await body())["body"]) == 50_000
    assert bodies.total == 0


@pytest.mark.parametrize(
    ("path", "most"), [("/v1/tickets", 65_536), ("/preferences", 65_536), ("/agui/chat", 1_048_576)]
)
async def test_a_body_has_its_size(path: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_limits, "DROP_S", 0.01)
    bodies = Bodies(8 * MIB, 48 * MIB)
    await sent(bodies, [b"x" * most], path=path)()
    body = sent(bodies, [b"x" * most, b"x"], path=path)
    await body()
    with pytest.raises(TooLong):
        await body()
    with pytest.raises(TooLong):
        await sent(bodies, [b""], path=path, **{"content-length": str(most + 1)})()


async def test_a_body_has_its_time_and_no_part_begins_it_anew() -> None:
    body = sent(Bodies(8 * MIB, 48 * MIB), [b"x"])
    body.seconds = 0.05
    await body()
    with pytest.raises(TooSlow):
        await body()


async def test_a_bad_body_after_the_answer_began_is_a_disconnect() -> None:
    body = sent(Bodies(8 * MIB, 48 * MIB), [b"x" * (LARGE + 1)])
    body.answered = True
    assert await body() == {"type": "http.disconnect"}


async def test_a_body_is_not_kept_with_its_request() -> None:
    """An answer over AG-UI may take minutes, and its request lives as long."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b'{"title": "ol\xc3\xa1"}', "more_body": False}

    scope = {"type": "http", "method": "POST", "headers": [(b"content-type", b"application/json")]}
    request = Request(scope, receive)
    assert (await body_of(request, SessionChange)).title == "ol\u00e1"
    assert not [each for each in vars(request).values() if isinstance(each, bytes) and each]


@pytest.mark.parametrize(
    ("said", "size"),
    [("", 0), ("0", 0), ("5 ", 5), ("0" * 5000, 0), ("0" * 5000 + "70", 70), ("1" * 15, int("1" * 15))],
)
def test_a_declared_size_is_read_whatever_zeros_it_begins_with(said: str, size: int) -> None:
    assert declared_bytes({"content-length": said}) == size
    assert declared_bytes({}) == 0


@pytest.mark.parametrize("said", ["9" * 20, "9" * 5000, "-1", "1_0", "5,6", "\xb2"])
async def test_a_declared_size_that_no_body_has_is_too_long(said: str) -> None:
    with pytest.raises(TooLong):
        await sent(Bodies(MIB, MIB), [b"x"], **{"content-length": said})()
