"""The subscribed connection: what it confirms, what it takes up again after a loss, and how it ends."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator

import pytest

from server.bus import Bus, EmbeddedValkey
from server.bus.bus import CHECK_S
from server.bus.hub import subscriber as subscriber_module
from server.bus.hub.subscriber import CONFIRM_S, RETRY_FIRST_S, RETRY_MOST_S, SILENCE_S, Subscriber
from server.bus.presence import ANSWER_S
from server.bus.redis.client import TIMEOUT_S, connect_subscriber
from server.tasks import Tasks
from tests.parts.wait import PATIENCE_S, until_async


class Heard:
    """A subscriber that runs, and what it says."""

    def __init__(self, url: str) -> None:
        self.messages: list[tuple[bytes, bytes]] = []
        self.connections = self.losses = self.faults = 0
        self.subscriber = Subscriber(url, self._hear, self._connected, self._lost)
        self.client = connect_subscriber(url.partition("?")[0])
        self.tasks = Tasks()

    def _hear(self, channel: bytes, data: bytes) -> None:
        if self.faults:
            self.faults -= 1
            raise RuntimeError("a bug")
        self.messages.append((channel, data))

    def _connected(self) -> None:
        self.connections += 1

    def _lost(self) -> None:
        self.losses += 1

    async def start(self, *channels: str) -> None:
        """Run, and return once these channels are subscribed."""
        self.tasks.spawn(self.subscriber.run(), name="subscriber")
        assert await self.subscriber.add(channels)

    async def counts(self, *channels: str) -> list[int]:
        return [count for _, count in await self.client.pubsub_numsub(*channels)]

    async def calls(self, command: str) -> int:
        """Return how often the server was given this command."""
        return (await self.client.info("commandstats")).get(f"cmdstat_{command}", {"calls": 0})["calls"]

    async def cut(self) -> None:
        before = self.connections
        await self.client.client_kill_filter(_type="pubsub")
        await until_async(lambda: self.connections > before, what="the next connection")

    async def aclose(self) -> None:
        self.subscriber.close()
        await self.tasks.aclose()
        await self.subscriber.aclose()
        await self.client.aclose()


@pytest.fixture
async def heard(valkey: EmbeddedValkey, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Heard]:
    monkeypatch.setattr(subscriber_module, "CONFIRM_S", PATIENCE_S)
    heard = Heard(valkey.url)
    yield heard
    await heard.aclose()


def test_a_lost_connection_is_replaced_at_once_and_found_before_positions_are_compared() -> None:
    assert 10 * RETRY_FIRST_S < CONFIRM_S < RETRY_MOST_S
    assert max(TIMEOUT_S, ANSWER_S) <= CONFIRM_S, "of all that waits for Redis nothing waits longer"
    assert 2 * SILENCE_S < CHECK_S <= 20


async def test_channels_come_and_go_and_what_is_wanted_is_subscribed_again_after_a_cut(heard: Heard) -> None:
    await heard.start("a", "b")
    assert (heard.connections, heard.subscriber.connected.is_set()) == (1, True)
    assert await heard.subscriber.add(["c"])
    assert heard.connections == 1, "nothing can have been missed"
    await heard.subscriber.remove(["b", "never"])
    await heard.subscriber.remove(["never"])
    await heard.client.publish("a", b"1")
    await heard.client.publish("c", b"2")
    await until_async(lambda: heard.messages == [(b"a", b"1"), (b"c", b"2")], what="the messages")
    assert await heard.counts("a", "b", "c", "never") == [1, 0, 1, 0]
    await heard.cut()
    assert (heard.connections, heard.losses) == (2, 1)
    assert await heard.counts("a", "b", "c", "never") == [1, 0, 1, 0]
    assert heard.subscriber._confirming == {}


async def test_many_channels_are_subscribed_in_parts_and_the_connection_counts_once(heard: Heard) -> None:
    names = [f"channel {number}" for number in range(1200)]
    adding = asyncio.ensure_future(heard.subscriber.add(names))
    await asyncio.sleep(0)
    before = await heard.calls("subscribe")
    await heard.start("one more")
    assert await adding
    assert 3 <= await heard.calls("subscribe") - before <= 5
    assert heard.connections == 1
    assert set(await heard.counts(*names)) == {1}


async def test_a_channel_is_subscribed_although_one_of_two_callers_gives_up(heard: Heard) -> None:
    first, second = (asyncio.ensure_future(heard.subscriber.add(["a"])) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait({first})
    await heard.start("b")
    assert await second
    assert heard.subscriber._confirming == {}


async def test_a_confirmation_that_comes_as_its_caller_gives_up_disturbs_nobody(heard: Heard) -> None:
    await heard.start("b")
    caller = asyncio.ensure_future(heard.subscriber.add(["a"]))
    await asyncio.sleep(0)
    caller.cancel()
    heard.subscriber._confirm(b"a", set())
    assert heard.connections == 1, "it was waited for"
    await asyncio.wait({caller})
    await heard.subscriber.remove(["a"])
    before = heard.connections
    heard.subscriber._confirm(b"a", set())
    assert heard.connections == before, "nobody wants it any more"


async def test_a_subscriber_without_a_channel_logs_no_error_until_one_is_added(
    heard: Heard, caplog: pytest.LogCaptureFixture
) -> None:
    heard.tasks.spawn(heard.subscriber.run(), name="subscriber")
    await until_async(lambda: heard.losses > 1, what="a second attempt")
    adding = asyncio.ensure_future(heard.subscriber.add(["a"]))
    await until_async(adding.done, what="the channel")
    assert (adding.result(), heard.connections) == (True, 1)
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []


async def test_a_connection_that_stood_is_replaced_at_once_however_long_it_took_to_make(heard: Heard) -> None:
    for _ in range(4):
        heard.subscriber._pauses.next_s()
    await heard.start("a")
    assert heard.subscriber._pauses.pause_s == RETRY_FIRST_S


async def test_leaving_a_channel_does_not_wait_for_a_hanging_connection(
    heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    await heard.start("a")
    monkeypatch.setattr(subscriber_module, "CONFIRM_S", 0.01)
    async with heard.subscriber._sending, asyncio.timeout(PATIENCE_S):
        await heard.subscriber.remove(["a"])


async def test_a_subscription_that_nobody_confirms_is_made_later_and_leaves_nobody_waiting(
    heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriber_module, "CONFIRM_S", 0.01)
    assert not await heard.subscriber.add(["a"])
    assert heard.subscriber._confirming == {}
    monkeypatch.setattr(subscriber_module, "CONFIRM_S", PATIENCE_S)
    await heard.start("b")
    assert await heard.counts("a", "b") == [1, 1]


async def test_a_server_that_says_nothing_counts_as_lost(
    heard: Heard, valkey: EmbeddedValkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriber_module, "SILENCE_S", 0.2)
    await heard.start("a")
    for number in range(5):
        await heard.client.publish("a", b"%d" % number)
    await until_async(lambda: len(heard.messages) == 5, what="the messages")
    pid = valkey.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        await until_async(lambda: not heard.subscriber.connected.is_set(), what="the loss to be noticed")
        assert heard.losses
        before = heard.connections
    finally:
        os.kill(pid, signal.SIGCONT)
    await until_async(lambda: heard.connections > before, what="the next connection")


@pytest.mark.conformance
async def test_a_socket_timeout_in_the_address_does_not_end_the_subscription(
    valkey: EmbeddedValkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriber_module, "SILENCE_S", 1.0)
    heard = Heard(f"{valkey.url}?socket_timeout=0.02")
    await heard.start("a")
    before = await heard.calls("ping")

    async def asked() -> bool:
        return await heard.calls("ping") >= before + 2

    await until_async(asked, what="two pings in silence")
    assert (heard.connections, heard.losses) == (1, 0)
    await heard.aclose()


async def test_a_fault_of_whoever_takes_a_message_is_logged_and_costs_one_connection(
    heard: Heard, caplog: pytest.LogCaptureFixture
) -> None:
    await heard.start("a")
    heard.faults = 1
    await heard.client.publish("a", b"1")
    await until_async(lambda: heard.connections == 2, what="the next connection")
    await heard.client.publish("a", b"2")
    await until_async(lambda: heard.messages == [(b"a", b"2")], what="the next message")
    (told,) = [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert (told.name, told.getMessage()) == (
        "server.bus.hub.subscriber",
        "the subscribed connection failed",
    )


async def test_a_closed_subscriber_ends_without_being_cancelled(
    heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriber_module, "SILENCE_S", 0.05)
    await heard.start("a")
    heard.subscriber.close()
    await until_async(lambda: not len(heard.tasks), what="the end")
    assert (heard.connections, heard.losses) == (1, 0)


async def test_each_loss_after_a_success_is_logged_once(
    heard: Heard, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "server.bus")
    await heard.start("a")
    for _ in range(2):
        await heard.cut()
    told = [each for each in caplog.records if "is lost" in each.getMessage()]
    assert [each.levelno for each in told] == [logging.INFO] * 2


class Pinging(Bus):
    """A bus that counts how often it asks after Redis by itself."""

    asked = 0

    def ping(self):
        self.asked += 1
        return super().ping()


async def test_closing_a_bus_counts_as_no_loss_of_the_connection(valkey: EmbeddedValkey) -> None:
    bus = Pinging(valkey.url)
    await bus.start()
    await bus.aclose()
    assert bus.asked == 0
