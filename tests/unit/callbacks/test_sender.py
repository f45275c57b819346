"""The sender of callbacks: its reaction to each answer, its retries, and the number of posts at once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from server.callbacks import Guard
from server.callbacks.sender import AT_ONCE, LEASE_S, POLL_S, SCHEDULE, TIMEOUT_S, PostContent, Sender
from server.callbacks.signing import Secrets
from server.metrics import REGISTRY
from server.store.posts import Callback
from tests.parts.wait import until_async


def callback(attempt: int = 1) -> Callback:
    known = {
        "id": "cbk_1",
        "session_id": "ses_1",
        "run_id": "run_1",
        "app": "demo",
        "url": "https://a.example/",
    }
    return Callback(**known, body="{}", attempt=attempt, trace_context=None)


class Outbox:
    """Keeps what it is told of a callback."""

    def __init__(self, *due: Callback) -> None:
        self.told: list[Any] = []
        self.due = list(due)

    async def claim(self, owner: str, lease_s: float) -> Callback | None:
        return self.due.pop(0) if self.due else None

    async def release(self, given: Callback) -> None:
        self.told.append("release")

    async def note_delivered(self, given: Callback, answer: int) -> None:
        self.told.append(("delivered", answer))

    async def note_failed(self, given: Callback, answer: int | None, again_s: float | None) -> None:
        self.told.append(("failed", answer, again_s is not None))

    async def forget_address(self, given: Callback) -> None:
        self.told.append("gone")


def sender(outbox: Outbox, kind: type[Sender] = Sender, **more: Any) -> Sender:
    return kind(outbox, Secrets({}, b"master"), Guard(), owner="me", **more)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (199, ("failed", 199, True)),
        (200, ("delivered", 200)),
        (299, ("delivered", 299)),
        (300, ("failed", 300, True)),
        (404, ("failed", 404, True)),
        (409, ("failed", 409, True)),
        (410, "gone"),
        (411, ("failed", 411, True)),
        (500, ("failed", 500, True)),
        (None, ("failed", None, True)),
    ],
)
async def test_two_hundreds_are_delivered_gone_ends_it_and_all_else_is_tried_again(
    answer: int | None, told: Any
) -> None:
    outbox, results = Outbox(), ("delivered", "refused", "gone")

    def counts() -> list[float]:
        name = "loopwire_callbacks_total"
        return [REGISTRY.get_sample_value(name, {"result": each}) or 0 for each in results]

    before = counts()
    await sender(outbox).note_answer(callback(), answer)
    assert outbox.told == [told]
    kind = told if isinstance(told, str) else {"failed": "refused"}.get(told[0], told[0])
    assert [now - then for now, then in zip(counts(), before, strict=True)] == [
        each == kind for each in results
    ]


def test_an_attempt_ends_before_another_sender_may_make_it_too() -> None:
    assert 0 < TIMEOUT_S + POLL_S < LEASE_S


def test_each_attempt_waits_as_long_as_its_place_in_the_schedule_or_a_fifth_longer() -> None:
    sending = sender(Outbox())
    for attempt, pause in enumerate(SCHEDULE, 1):
        waits = [sending.pause_s(attempt) or 0 for _ in range(200)]
        assert pause <= min(waits) <= max(waits) <= pause * 1.2
        assert max(waits) > min(waits), "not all come at once to who was down"
    assert sending.pause_s(len(SCHEDULE) + 1) is None
    assert sending.pause_s(len(SCHEDULE)) is not None


class Held(Sender):
    """A sender whose posts end when a test says so."""

    gate: asyncio.Event
    under_way = 0

    async def post(self, given: Callback, content: PostContent) -> int | None:
        self.under_way += 1
        await self.gate.wait()
        return 204


async def test_so_many_posts_are_made_at_once_and_each_makes_room_for_the_next() -> None:
    outbox = Outbox(*[callback() for _ in range(2 * AT_ONCE)])
    sending = sender(outbox, Held, poll_s=0.01)
    assert isinstance(sending, Held)
    sending.gate = asyncio.Event()
    sending.start()
    try:
        await until_async(lambda: sending.under_way == AT_ONCE, what="as many as may be")
        for _ in range(20):
            await asyncio.sleep(0)
        assert (sending.under_way, len(outbox.due)) == (AT_ONCE, AT_ONCE)
        sending.gate.set()
        await until_async(lambda: len(outbox.told) == 2 * AT_ONCE, what="all of them")
        assert outbox.told == [("delivered", 204)] * (2 * AT_ONCE)
    finally:
        await sending.aclose()
