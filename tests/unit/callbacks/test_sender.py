"""The sender of callbacks: its reaction to each answer, its retries, and the number of posts at once."""

from __future__ import annotations

import asyncio
import logging
import math
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpcore2
import pytest

from server import __version__
from server.callbacks import Guard
from server.callbacks import sender as sender_module
from server.callbacks.push_sender import PUSH_SCHEDULE
from server.callbacks.sender import (
    ANSWER_S,
    AT_ONCE,
    EVENTS_AT_ONCE,
    LEASE_S,
    LEAVE_S,
    MOST_ANSWER,
    POLL_S,
    SCHEDULE,
    TIMEOUT_S,
    EventSender,
    PostContent,
    Sender,
)
from server.callbacks.signing import Secrets, signature_headers
from server.errors import Unavailable
from server.metrics import REGISTRY
from server.store.posts import Callback
from tests.parts.wait import PATIENCE_S, until_async

DOCS = Path(__file__).parents[3] / "docs"
UNITS = {"s": 1, "min": 60, "h": 3600}
HOST = "shop.example:8080"
"""A host that the guard trusts: a test stands in for the network between it and the sender."""


def callback(attempt: int = 1, **more: Any) -> Callback:
    known = {
        "id": "cbk_1",
        "session_id": "ses_1",
        "run_id": "run_1",
        "app": "demo",
        "url": "https://a.example/",
    }
    return Callback(**{**known, "body": "{}", "attempt": attempt, "trace_context": None, **more})


class Outbox:
    """Keeps what it is told of a callback."""

    def __init__(self, *due: Callback) -> None:
        self.told: list[Any] = []
        self.due = list(due)
        self.claims: list[tuple[str, float]] = []
        self.faults: list[Exception] = []
        """What the next claims raise."""

    async def claim(self, owner: str, lease_s: float) -> Callback | None:
        self.claims.append((owner, lease_s))
        if self.faults:
            raise self.faults.pop(0)
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


class Away(Outbox):
    """A store that is out of reach when something is to be noted."""

    async def note_delivered(self, given: Callback, answer: int) -> None:
        raise Unavailable

    async def note_failed(self, given: Callback, answer: int | None, again_s: float | None) -> None:
        raise Unavailable

    async def forget_address(self, given: Callback) -> None:
        raise Unavailable


def counts(name: str = "callbacks") -> dict[str, float]:
    """Return how often each result was counted."""
    metric, results = f"loopwire_{name}_total", ("delivered", "refused", "gone")
    return {each: REGISTRY.get_sample_value(metric, {"result": each}) or 0 for each in results}


ANSWERS = [
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
]


@pytest.mark.parametrize(("answer", "told"), ANSWERS)
async def test_status_2xx_is_delivered_410_ends_a_callback_and_others_are_retried(
    answer: int | None, told: Any
) -> None:
    outbox, before = Outbox(), counts()
    await sender(outbox).note_answer(callback(), answer)
    assert outbox.told == [told]
    kind = told if isinstance(told, str) else {"failed": "refused"}.get(told[0], told[0])
    assert {each: counts()[each] - before[each] for each in before} == {each: each == kind for each in before}


@pytest.mark.parametrize(("answer", "kind"), [(200, "delivered"), (410, "gone"), (500, "refused")])
async def test_an_answer_that_cannot_be_noted_is_counted_all_the_same(answer: int, kind: str) -> None:
    before = counts()
    with pytest.raises(Unavailable):
        await sender(Away()).note_answer(callback(), answer)
    assert counts()[kind] == before[kind] + 1


async def test_events_are_counted_by_a_name_of_their_own() -> None:
    before = counts("webhooks"), counts()
    await sender(Outbox(), EventSender).note_answer(callback(), 200)
    assert counts("webhooks")["delivered"] == before[0]["delivered"] + 1
    assert counts() == before[1]


def test_an_attempt_ends_before_another_sender_may_make_it_too() -> None:
    assert 0 < TIMEOUT_S + POLL_S < LEASE_S


def test_a_leaving_sender_waits_at_most_a_second_for_an_answer_and_the_store() -> None:
    assert 0 < ANSWER_S <= 1
    assert 0 < LEAVE_S <= 1


def test_callbacks_of_a_dead_process_are_posted_by_another_within_a_minute() -> None:
    assert LEASE_S + POLL_S < 60


def seconds(told: str) -> list[float]:
    """Return the times of a list as a page writes them: `5 s, 1 and 5 min, 2 h`."""
    found, waiting = [], []
    for number, unit in re.findall(r"(\d+)(?: (s|min|h)\b)?", told):
        waiting.append(float(number))
        if unit:
            found += [each * UNITS[unit] for each in waiting]
            waiting = []
    assert not waiting
    return found


def row(page: str, begins: str) -> str:
    """Return the one row of a table that begins so."""
    (found,) = [line for line in (DOCS / page).read_text().splitlines() if line.startswith(begins)]
    return found


def test_receivers_are_told_the_times_that_hold() -> None:
    again = row("callbacks.md", "| anything else, a redirect too |").partition("again after")[2]
    assert seconds(again) == list(SCHEDULE)
    taken = row("callbacks.md", "| 2xx within ")
    assert f"2xx within {TIMEOUT_S:.0f} seconds" in taken
    assert f"at most {MOST_ANSWER / 1024:.0f} KiB are read" in taken
    assert "within about two seconds" in (DOCS / "webhooks.md").read_text()
    assert 0 < POLL_S <= 2


def test_operators_are_told_when_a_push_is_tried_again() -> None:
    assert seconds(row("operators.md", "| again | after ").partition(";")[0]) == list(PUSH_SCHEDULE)


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


async def test_simultaneous_posts_are_limited_and_each_end_makes_room_for_the_next() -> None:
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


class Failing(Sender):
    """A sender whose first post has a fault."""

    failed = False

    async def post(self, given: Callback, content: PostContent) -> int | None:
        if not self.failed:
            self.failed = True
            raise RuntimeError
        return 204


async def test_a_leaving_sender_claims_no_more_and_cancels_its_posts() -> None:
    outbox = Outbox(*[callback() for _ in range(2 * AT_ONCE)])
    sending = sender(outbox, Held, poll_s=0.01)
    assert isinstance(sending, Held)
    sending.gate = asyncio.Event()
    sending.start()
    await until_async(lambda: sending.under_way == AT_ONCE, what="as many as may be")
    await sending.aclose()
    sending.gate.set()
    assert not sending.claiming
    assert not [each for each in asyncio.all_tasks() if each.get_name().startswith("callback ")]
    assert (sending.under_way, len(outbox.due), outbox.told) == (AT_ONCE, AT_ONCE, [])


class Silent(Outbox):
    """A store that does not answer."""

    async def claim(self, owner: str, lease_s: float) -> Callback | None:
        self.claims.append((owner, lease_s))
        return await asyncio.Future()


async def test_a_leaving_sender_does_not_wait_for_a_silent_store(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sender_module, "LEAVE_S", 0.01)
    outbox = Silent()
    sending = sender(outbox, Kept, poll_s=0.01)
    sending.start()
    await until_async(lambda: outbox.claims, what="a claim that is not answered")
    async with asyncio.timeout(PATIENCE_S):
        await sending.aclose()
    assert not sending.claiming


async def test_claims_without_a_callback_take_no_slot() -> None:
    outbox = Outbox()
    sending = sender(outbox, Held, poll_s=0.001, lease_s=7.0)
    assert isinstance(sending, Held)
    sending.gate = asyncio.Event()
    sending.gate.set()
    sending.start()
    try:
        await until_async(lambda: len(outbox.claims) > 2 * AT_ONCE, what="more looks than posts at once")
        outbox.due.append(callback())
        await until_async(lambda: outbox.told, what="the post")
        assert set(outbox.claims) == {("me", 7.0)}
    finally:
        await sending.aclose()


async def test_faults_of_a_post_and_of_a_claim_are_logged_by_name_and_end_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    outbox = Outbox(*[callback() for _ in range(AT_ONCE + 1)])
    outbox.faults.append(RuntimeError())
    sending = sender(outbox, Failing, poll_s=0.001)
    sending.start()
    try:
        await until_async(lambda: len(outbox.told) == AT_ONCE, what="all posts but the one that failed")
    finally:
        await sending.aclose()
    assert {"callbacks: nothing claimed", "task callback cbk_1 failed"} <= set(caplog.messages)


async def test_each_kind_of_sender_has_room_of_its_own() -> None:
    outbox = Outbox(*[callback() for _ in range(2 * EVENTS_AT_ONCE)])

    class HeldEvents(Held, EventSender):
        pass

    sending = sender(outbox, HeldEvents, poll_s=0.01)
    assert isinstance(sending, Held)
    sending.gate = asyncio.Event()
    sending.start()
    try:
        await until_async(lambda: sending.under_way == EVENTS_AT_ONCE, what="as many events as may be")
        assert len(outbox.due) == EVENTS_AT_ONCE
    finally:
        await sending.aclose()


class Kept(Sender):
    """A sender that keeps what it would post."""

    kept: PostContent

    async def post(self, given: Callback, content: PostContent) -> int | None:
        self.kept = content
        return 204


@pytest.mark.parametrize("traced", [f"00-{'a' * 32}-{'b' * 16}-01", None])
async def test_a_post_is_signed_now_and_goes_on_with_the_trace_of_its_request(traced: str | None) -> None:
    sending = sender(Outbox(), Kept)
    assert isinstance(sending, Kept)
    before = int(time.time())
    await sending.deliver(callback(trace_context=traced, body='{"é":1}'))
    assert sending.kept.body == '{"é":1}'.encode()
    at = int(sending.kept.headers["webhook-timestamp"])
    assert before <= at <= time.time()
    signed = signature_headers(Secrets({}, b"master").of("demo"), "cbk_1", at, sending.kept.body)
    assert signed.items() <= sending.kept.headers.items()
    assert sending.kept.headers["content-type"] == "application/json"
    told = sending.kept.headers.get("traceparent")
    assert told is None if traced is None else told is not None and told.split("-")[1] == "a" * 32


class Stream(httpcore2.AsyncNetworkStream):
    """A connection whose other side says these parts, then nothing more, bytes without an end, or breaks off."""

    def __init__(self, parts: Sequence[bytes], more: bytes | Exception) -> None:
        self.parts, self.more = list(parts), more
        self.reads, self.closed = 0, False
        self.sent = bytearray()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        self.reads += 1
        await asyncio.sleep(0)
        if self.parts:
            return self.parts.pop(0)
        if not self.more:
            await asyncio.Event().wait()
        if isinstance(self.more, Exception):
            raise self.more
        return self.more

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        self.sent += buffer

    async def aclose(self) -> None:
        self.closed = True


class Network(httpcore2.AsyncNetworkBackend):
    """A network with one receiver."""

    def __init__(self, *parts: bytes, more: bytes | Exception = b"") -> None:
        self.stream = Stream(parts, more)
        self.asked: list[tuple[Any, ...]] = []

    async def connect_tcp(self, *values: Any, **_options: Any) -> httpcore2.AsyncNetworkStream:
        self.asked.append(values[:2])
        return self.stream


def to_receiver(network: Network, *, timeout_s: float = 60) -> Sender:
    """Return a sender whose guard reaches this receiver."""
    guard = Guard([HOST])
    guard.network = network
    return Sender(Outbox(), Secrets({}, b"master"), guard, owner="me", timeout_s=timeout_s)


HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n"
CONTENT = PostContent({"x-kind": "test"}, b"{}")


async def test_a_post_goes_to_the_address_that_the_guard_lets_through_with_the_headers_of_its_content() -> (
    None
):
    network = Network(b"HTTP/1.1 204 No Content\r\n\r\n")
    assert await to_receiver(network).post(callback(url=f"http://{HOST}/hook?x=1"), CONTENT) == 204
    assert network.asked == [("shop.example", 8080)]
    assert network.stream.closed
    head, _, body = bytes(network.stream.sent).partition(b"\r\n\r\n")
    first, *lines = head.decode().lower().split("\r\n")
    assert (first, body) == ("post /hook?x=1 http/1.1", b"{}")
    assert dict(line.split(": ", 1) for line in lines) == {
        "host": HOST,
        "user-agent": f"loopwire/{__version__}",
        "connection": "close",
        "content-length": "2",
        "x-kind": "test",
    }


@pytest.mark.parametrize("part", [1024, 1365, 4095, 4096])
async def test_of_an_answer_without_an_end_no_more_than_the_bound_is_read(part: int) -> None:
    network = Network(HEAD, more=b"x" * part)
    assert await to_receiver(network).post(callback(url=f"http://{HOST}/"), CONTENT) == 200
    assert network.stream.reads == 1 + math.ceil(MOST_ANSWER / part)


async def test_an_answer_whose_body_does_not_come_counts_by_its_status(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sender_module, "ANSWER_S", 0.01)
    network = Network(HEAD)
    assert await to_receiver(network).post(callback(url=f"http://{HOST}/"), CONTENT) == 200
    assert network.stream.closed


@pytest.mark.parametrize(
    "network",
    [Network(HEAD, b"x", more=httpcore2.ReadError()), Network(HEAD, b"x", b"")],
    ids=["with an error", "in the middle"],
)
async def test_an_answer_whose_body_breaks_off_counts_by_its_status(network: Network) -> None:
    assert await to_receiver(network).post(callback(url=f"http://{HOST}/"), CONTENT) == 200


async def test_a_post_that_cannot_be_noted_is_left_to_its_lease(caplog: pytest.LogCaptureFixture) -> None:
    outbox = Away(*[callback() for _ in range(AT_ONCE + 1)])
    sending = sender(outbox, Kept, poll_s=0.001)
    sending.start()
    try:
        await until_async(lambda: len(outbox.claims) > AT_ONCE + 1, what="all of them and a look for more")
    finally:
        await sending.aclose()
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


async def test_a_post_that_is_not_made_is_logged_with_its_conversation(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, logger=sender_module.__name__)
    silent = to_receiver(Network(), timeout_s=0.01)
    assert await silent.post(callback(url=f"http://{HOST}/"), CONTENT) is None
    assert await silent.post(callback(url="http://127.0.0.1/"), CONTENT) is None
    assert [each.getMessage() for each in caplog.records] == [
        "the receiver of callback cbk_1 did not answer in time",
        "the guard refuses the address of callback cbk_1: it is not sent",
    ]
    assert {vars(each)["session_id"] for each in caplog.records} == {"ses_1"}
