"""The wire on a clock that jumps: how long it waits for a server, and when it comes back after each kind of loss."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest
from websockets.exceptions import InvalidStatus

from loopwire import connect
from loopwire.errors import Closed, LoopwireError, Refused, Unreachable
from loopwire.wire import MOST_BYTES, Wire
from tests.parts.clock import jump, run_at_once
from tests.unit.sdk.api_server import TICKET
from tests.unit.sdk.plain import accept, never, plain
from tests.unit.sdk.socket_server import Caller, Json, Life, SocketServer, socket_server, welcome

TINY = 1e-6
Bounds = tuple[float, float]

RETRY: Json = {"code": "busy", "message": "Full.", "retry": True}


def after(attempt: int, lasted: float = 0.0) -> Bounds:
    """Return the bounds of the pause after so many tries in vain, behind a connection that lasted so long."""
    full = min(10.0, 0.25 * 2**attempt)
    return lasted + full / 2, lasted + full


def check_pauses(moments: Sequence[float], *bounds: Bounds) -> None:
    """Compare the time from each try to the next with its bounds."""
    waited = [later - earlier for earlier, later in pairwise(moments)][: len(bounds)]
    assert len(waited) == len(bounds)
    for place, (seconds, (least, most)) in enumerate(zip(waited, bounds, strict=True)):
        assert least - TINY <= seconds <= most + TINY, f"pause {place} of {waited}"


async def ticket() -> dict[str, str]:
    return {"ticket": "t"}


def socket_url(server: SocketServer) -> str:
    return "ws" + server.url.removeprefix("http") + "/ws"


@asynccontextmanager
async def reading(
    url: str, credential: Callable[[], Awaitable[dict[str, str]]] = ticket
) -> AsyncIterator[Wire]:
    """Read a wire for as long as the context lasts."""
    wire = Wire(url, credential)

    async def read() -> None:
        while True:
            await wire.next()

    task = asyncio.ensure_future(read())
    try:
        yield wire
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await wire.aclose()


async def stay(caller: Caller) -> None:
    await caller.stay()


async def greet_and_stay(caller: Caller) -> None:
    await caller.greet()
    await caller.stay()


async def garble(caller: Caller) -> None:
    await caller.greet()
    await caller.say("no json")
    await caller.stay()


def lose(*frames: Json, code: int = 1001, reason: str = "") -> Life:
    """Return the life of a connection that is welcomed and closed after these frames."""

    async def life(caller: Caller) -> None:
        await caller.greet()
        await caller.say(*frames)
        await caller.socket.close(code, reason)

    return life


def test_a_server_that_never_answers_a_handshake_is_left_after_half_a_minute() -> None:
    async def wait() -> list[float]:
        async with plain(never) as server, reading(server.socket_url) as wire:
            assert (wire.opened, wire.trouble) == (False, None)
            moments = await server.reached(3)
            assert isinstance(wire.trouble, TimeoutError)
            return moments

    moments = run_at_once(wait())
    assert moments[0] == 0.0
    check_pauses(moments, after(0, 30.0), after(1, 30.0))


def test_a_chat_that_cannot_be_opened_is_given_up_after_fifteen_seconds() -> None:
    async def wait() -> float:
        async with plain(never) as server:
            with pytest.raises(Unreachable):
                async with connect(server.url, token=lambda session: TICKET):
                    raise AssertionError
            return asyncio.get_running_loop().time()

    assert run_at_once(wait()) == pytest.approx(15.0)


def test_a_welcome_is_waited_for_eight_seconds() -> None:
    async def wait() -> list[float]:
        async with socket_server(stay) as server, reading(socket_url(server)) as wire:
            moments = await server.moments(3)
            assert isinstance(wire.trouble, Refused)
            assert (wire.trouble.code, wire.trouble.message, wire.trouble.retry) == ("silent", "silent", True)
            return moments

    check_pauses(run_at_once(wait()), after(0, 8.0), after(1, 8.0))


async def go_deaf(caller: Caller) -> None:
    """Read nothing any more, so that neither a ping nor a close is answered."""
    caller.socket.transport.pause_reading()
    await caller.socket.wait_closed()


def test_a_server_that_does_not_answer_a_close_delays_the_next_try_by_two_seconds() -> None:
    """The reason is known before the socket is gone."""

    async def wait() -> list[float]:
        async with socket_server(go_deaf, stay) as server, reading(socket_url(server)) as wire:
            await jump(9)
            assert isinstance(wire.trouble, Refused) and wire.trouble.code == "silent"
            return await server.moments(2)

    check_pauses(run_at_once(wait()), after(0, 10.0))


def test_a_dead_network_is_noticed_after_35_seconds() -> None:
    async def deaf(caller: Caller) -> None:
        await caller.greet()
        await go_deaf(caller)

    async def wait() -> list[float]:
        async with socket_server(deaf, stay) as server, reading(socket_url(server)) as wire:
            moments = await server.moments(2)
            assert isinstance(wire.trouble, Refused) and wire.trouble.code == "closed_1006"
            return moments

    check_pauses(run_at_once(wait()), (35.0, 38.0))


def test_pauses_grow_while_what_is_sent_cannot_be_read_and_are_short_after_a_life_of_more_than_ten_seconds() -> (
    None
):
    async def age(caller: Caller) -> None:
        await caller.greet()
        await jump(11)
        await caller.say("no json")
        await caller.stay()

    lives = [stay, stay, garble, garble, garble, stay, stay, garble, age, garble, garble]

    async def wait() -> list[float]:
        async with socket_server(*lives, greet_and_stay) as server, reading(socket_url(server)):
            return await server.moments(len(lives) + 1)

    check_pauses(
        run_at_once(wait()),
        *(after(0, 8.0), after(1, 8.0)),
        *(after(0), after(1), after(2)),
        *(after(3, 8.0), after(4, 8.0), after(3)),
        *(after(0, 11.0), after(0), after(1)),
    )


ERROR: Json = {"type": "error", **RETRY}
RECONNECT: Json = {"type": "reconnect", "after_ms": 3000}


@pytest.mark.parametrize(
    ("life", "bounds"),
    [
        (lose(), after(0)),
        (lose(code=1013), (1.0, 1.0)),
        (lose(code=4429), (1.0, 1.0)),
        (lose(RECONNECT, code=1012), (3.0, 3.0)),
        (lose(RECONNECT, code=1013), (3.0, 3.0)),
        (lose({**RECONNECT, "after_ms": 200}), (0.2, 0.25)),
        (lose({**ERROR, "retry_after": 2.5}), (2.5, 2.5)),
        (lose({**ERROR, "retry_after": 2}), (2.0, 2.0)),
        (lose(RECONNECT, ERROR), (3.0, 3.0)),
        (lose({**ERROR, "id": "m1", "retry_after": 5}), after(0)),
        (lose({**ERROR, "type": "of a later version", "retry_after": 5}), after(0)),
    ],
    ids=[
        "lost",
        "later",
        "too often",
        "leaving",
        "leaving for later",
        "leaving for a moment",
        "a time",
        "a whole time",
        "no time of its own",
        "the answer to a frame",
        "something else",
    ],
)
def test_a_socket_that_is_lost_is_followed_by_another_one_when_the_server_says(
    life: Life, bounds: Bounds
) -> None:
    """Once: the pause after the next loss is a short one."""

    async def wait() -> list[float]:
        async with socket_server(life, lose(), greet_and_stay) as server, reading(socket_url(server)):
            return await server.moments(3)

    check_pauses(run_at_once(wait()), bounds, after(0))


def test_the_trouble_of_a_wire_is_the_servers_last_error_or_close_code() -> None:
    words = {"type": "error", "code": "busy", "retry": True}
    lives = [
        (lose({**words, "message": "Full."}, code=1011, reason="busy"), ("busy", "Full.")),
        (lose(code=1011), ("closed_1011", "closed_1011")),
        (lose(words, code=1011, reason="busy"), ("busy", "busy")),
        (garble, ("garbled", "no JSON")),
    ]

    async def wait() -> list[tuple[str, str]]:
        seen = []
        async with (
            socket_server(*(life for life, _ in lives), stay) as server,
            reading(socket_url(server)) as wire,
        ):
            for number in range(len(lives)):
                await server.moments(number + 2)
                assert isinstance(wire.trouble, LoopwireError)
                seen.append((wire.trouble.code, wire.trouble.message))
        return seen

    assert run_at_once(wait()) == [told for _, told in lives]


def test_a_final_code_without_words_is_told_by_its_number() -> None:
    async def wait() -> None:
        async with socket_server(lose(code=4410)) as server:
            wire = Wire(socket_url(server), ticket)
            with pytest.raises(Closed) as closed:
                while True:
                    await wire.next()
            assert (closed.value.code, closed.value.close_code) == ("closed_4410", 4410)
            with pytest.raises(Closed) as again:
                await wire.next()
            assert again.value is closed.value
            await wire.aclose()
            with pytest.raises(Closed, match="closed_4410"):
                await wire.next()

    run_at_once(wait())


@pytest.mark.parametrize(("code", "bounds"), [(4429, (1.0, 1.0)), (1001, after(0))])
def test_a_server_that_closes_before_it_has_read_a_hello_is_understood(code: int, bounds: Bounds) -> None:
    async def close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await accept(reader, writer)
        writer.write(b"\x88\x02" + code.to_bytes(2))

    async def wait() -> list[float]:
        async with plain(close) as server, reading(server.socket_url):
            return await server.reached(2)

    check_pauses(run_at_once(wait()), bounds)


@pytest.mark.parametrize(
    ("status", "bounds"), [(429, (1.0, 1.0)), (503, (1.0, 1.0)), (500, after(0)), (404, after(0))]
)
def test_a_refused_handshake_is_tried_again_later_where_there_are_too_many(
    status: int, bounds: Bounds
) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {status} No\r\ncontent-length: 0\r\n\r\n".encode())

    async def wait() -> list[float]:
        async with plain(refuse) as server, reading(server.socket_url) as wire:
            moments = await server.reached(2)
            assert isinstance(wire.trouble, InvalidStatus)
            return moments

    check_pauses(run_at_once(wait()), bounds)


class Refusing:
    """A credential that is refused, and when it was asked for."""

    def __init__(self, *errors: LoopwireError, count: int) -> None:
        self.moments: list[float] = []
        self.done = asyncio.Event()
        self._errors = errors
        self._count = count

    async def __call__(self) -> dict[str, str]:
        """Raise the next error; the last one for ever."""
        self.moments.append(asyncio.get_running_loop().time())
        if len(self.moments) == self._count:
            self.done.set()
        raise self._errors[min(len(self.moments), len(self._errors)) - 1]


def test_a_ticket_that_is_refused_for_now_is_asked_for_after_pauses_that_grow_to_ten_seconds() -> None:
    async def wait() -> list[float]:
        refusing = Refusing(Refused("busy", retry=True), count=15)
        async with reading("ws://127.0.0.1:1/ws", refusing) as wire:
            await refusing.done.wait()
            assert isinstance(wire.trouble, Refused) and wire.trouble.code == "busy"
        return refusing.moments

    moments = run_at_once(wait())
    assert moments[0] == 0.0
    check_pauses(moments, *(after(attempt) for attempt in range(14)))


def test_a_ticket_that_is_refused_for_good_ends_the_wire() -> None:
    async def wait() -> None:
        refused = Refused("forbidden", "Not here.")
        wire = Wire("ws://127.0.0.1:1/ws", Refusing(refused, count=1))
        for _ in range(2):
            with pytest.raises(Closed) as closed:
                await wire.next()
            assert (closed.value.code, closed.value.message) == ("forbidden", "Not here.")
            assert closed.value.__cause__ is refused is wire.trouble

    run_at_once(wait())


def test_a_ticket_that_is_refused_with_a_time_is_asked_for_then() -> None:
    async def wait() -> list[float]:
        refusing = Refusing(Refused("a", retry=True, retry_after=7), Refused("b", retry=True), count=3)
        async with reading("ws://127.0.0.1:1/ws", refusing):
            await refusing.done.wait()
        return refusing.moments

    check_pauses(run_at_once(wait()), (7.0, 7.0), after(1))


def test_a_frame_has_at_most_64_mib() -> None:
    async def flood(caller: Caller) -> None:
        await caller.greet()
        caller.socket.transport.write(b"\x81\x7f" + (MOST_BYTES + 1).to_bytes(8))
        await caller.socket.wait_closed()

    async def fill(caller: Caller) -> None:
        await caller.say(welcome(0, resumed=True), {"type": "degraded", "on": True, "more": "x" * 2**21})
        await caller.stay()

    async def wait() -> list[float]:
        async with socket_server(flood, fill) as server:
            wire = Wire(socket_url(server), ticket)
            kinds = [(await wire.next())["type"] for _ in range(5)]
            assert kinds == ["welcome", "snapshot", "queue", "welcome", "degraded"]
            await wire.aclose()
            return await server.moments(2)

    assert MOST_BYTES == 64 * 1024 * 1024
    check_pauses(run_at_once(wait()), after(0))


@pytest.mark.parametrize("anew", [True, False])
def test_another_user_connects_at_once_even_after_tries_in_vain(anew: bool) -> None:
    async def wait() -> list[float]:
        async with socket_server(stay) as server, reading(socket_url(server)) as wire:
            await jump(1)
            await wire.renew(anew=anew)
            moments = await server.moments(2)
            assert wire.trouble is None
            return moments

    check_pauses(run_at_once(wait()), (1.0, 1.0))


def test_pauses_grow_while_frames_cannot_be_folded() -> None:
    async def queue_first(caller: Caller) -> None:
        await caller.say({"type": "queue", "items": []})
        await caller.stay()

    async def wait() -> list[float]:
        async with socket_server(
            greet_and_stay, greet_and_stay, greet_and_stay, stay, stay, queue_first, stay
        ) as server:
            wire = Wire(socket_url(server), ticket)
            for _ in range(3):
                assert (await wire.next())["type"] == "welcome"
                await wire.restart()
            assert (await wire.next())["type"] == "queue"
            await wire.restart()
            waiting = asyncio.ensure_future(wire.next())
            moments = await server.moments(7)
            waiting.cancel()
            await wire.aclose()
            return moments

    check_pauses(
        run_at_once(wait()),
        *(after(0), after(1), after(2), after(3, 8.0), after(4, 8.0)),
        after(5),
    )


def test_a_socket_that_opens_when_its_wire_is_closed_is_left() -> None:
    async def wait() -> float:
        ends: list[float] = []
        opening, go, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            opening.set()
            await go.wait()
            await accept(reader, writer)
            try:
                await reader.read()
            finally:
                ends.append(asyncio.get_running_loop().time())
                ended.set()

        async with plain(answer) as server:
            wire = Wire(server.socket_url, ticket)
            waiting = asyncio.ensure_future(wire.next())
            await opening.wait()
            await wire.aclose()
            go.set()
            with pytest.raises(Closed, match="This connection was closed"):
                await waiting
            await ended.wait()
        return ends[0]

    assert run_at_once(wait()) <= 2.0 + TINY
