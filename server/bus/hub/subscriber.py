"""The one subscribed connection of a process: channels come and go, and a lost connection is replaced."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from server.bus.redis.client import connect_subscriber
from server.bus.redis.drain_parser import beyond
from server.tasks import Backoff, FailureLog, repeat

SILENCE_S = 5.0
"""After this long without a word the server is asked; after as long again the connection counts as dead."""

RETRY_FIRST_S = 0.02
RETRY_MOST_S = 2.0
CONFIRM_S = 1.0
CHANNELS_PER_COMMAND = 500

log = logging.getLogger(__name__)


class Subscriber:
    """Receives every channel that it was given, for as long as its `run` runs.

    Messages published while the connection is down are lost without a sign: `on_connected` is called whenever the
    channels are subscribed again, so that positions are compared.
    """

    def __init__(
        self,
        url: str,
        on_message: Callable[[bytes, bytes], None],
        on_connected: Callable[[], None],
        on_lost: Callable[[], None],
    ) -> None:
        """`on_message` gets channel and data of each message; `on_lost` is called when the connection is lost."""
        self.connected = asyncio.Event()
        self._on_message = on_message
        self._on_connected = on_connected
        self._on_lost = on_lost
        self._client = connect_subscriber(url)
        self._wanted: set[str] = set()
        self._confirming: dict[str, list[asyncio.Future[None]]] = defaultdict(list)
        self._pubsub: PubSub | None = None
        self._sending = asyncio.Lock()
        self._messages: int
        """The number of messages since the silence was last measured."""
        self._pauses = Backoff(RETRY_FIRST_S, RETRY_MOST_S)
        self._closed = False
        self._loss_level = logging.INFO
        """The level at which a lost connection is logged. The command connection warns once that Redis is unavailable:
        further attempts are DEBUG."""

    async def add(self, channels: Iterable[str]) -> bool:
        """Subscribe; true once Redis confirmed it, false when it did not in a second (it will, later)."""
        futures = {name: self._expect(name) for name in channels}
        self._wanted.update(futures)
        try:
            async with asyncio.timeout(CONFIRM_S):
                await self._send(True, list(futures))
                await asyncio.gather(*futures.values())
        except (RedisError, OSError, TimeoutError):
            return False
        finally:
            for name, future in futures.items():
                self._forget(name, future)
        return True

    async def remove(self, channels: Iterable[str]) -> None:
        """Unsubscribe; a failure means that there is no connection to be subscribed on."""
        names = [each for each in channels if each in self._wanted]
        self._wanted.difference_update(names)
        try:
            async with asyncio.timeout(CONFIRM_S):
                await self._send(False, names)
        except (RedisError, OSError, TimeoutError):
            log.debug("unsubscribing failed")

    async def run(self) -> None:
        """Receive for ever; every loss of the connection is followed by a new one."""
        await repeat(
            self._connect_once,
            every_s=self._pauses.next_s,
            failures=FailureLog(log, "the subscribed connection"),
            is_over=lambda: self._closed,
        )

    async def _connect_once(self) -> None:
        """Subscribe to everything wanted, and receive until the connection is lost."""
        pubsub = self._client.pubsub()
        try:
            await self._open(pubsub)
            self._loss_level = logging.INFO
            self._pauses.reset()
            await self._receive(pubsub)
        except (RedisError, OSError, TimeoutError) as exc:
            log.log(self._loss_level, "the subscribed connection is lost: %s", type(exc).__name__)
            self._loss_level = logging.DEBUG
        finally:
            self._pubsub = None
            self.connected.clear()
            if not self._closed:
                self._on_lost()
            await pubsub.aclose()  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """Note that `run` is to end; it is cancelled right after."""
        self._closed = True

    async def aclose(self) -> None:
        """Close the connection, once `run` has ended."""
        await self._client.aclose()

    async def _open(self, pubsub: PubSub) -> None:
        async with self._sending:
            names = sorted(self._wanted)
            for at in range(0, len(names), CHANNELS_PER_COMMAND):
                await pubsub.subscribe(*names[at : at + CHANNELS_PER_COMMAND])
            self._pubsub = pubsub

    async def _receive(self, pubsub: PubSub) -> None:
        """Receive until the connection is lost, or does not answer a ping."""
        fresh: set[bytes] = set(pubsub.channels)
        asked = False
        # Check `_closed` too: a wait below may swallow a cancellation that arrives together with a message.
        while not self._closed:
            self._messages = 0
            try:
                async with asyncio.timeout(SILENCE_S):
                    await self._listen(pubsub, fresh)
            except TimeoutError:
                if self._messages:
                    asked = False
                    continue
                if asked:
                    raise
                asked = True
                async with self._sending:
                    await pubsub.ping()

    async def _listen(self, pubsub: PubSub, fresh: set[bytes]) -> None:
        """Take what comes. For each message redis-py's own way takes three times the CPU of what we do with it."""
        while not self._closed:
            connection: Any = pubsub.connection
            if connection is None or not connection.is_connected:
                raise ConnectionError
            # No time limit here: `_receive` has one for many messages.
            said = await connection.read_response(disconnect_on_error=False, timeout=math.inf)
            self._messages += 1
            for each in chain((said,), beyond(connection)):
                if type(each) is list and each[0] == b"message":
                    self._on_message(each[1], each[2])
                else:
                    await self._take_reply(pubsub, each, fresh)

    async def _take_reply(self, pubsub: PubSub, said: Any, fresh: set[bytes]) -> None:
        """Take what is no message: a channel that is subscribed or not any more, an answer to a ping, a refusal."""
        if isinstance(said, Exception):
            raise said
        message = await pubsub.handle_message(said)  # type: ignore[no-untyped-call]
        if message["type"] == "subscribe":
            self._confirm(message["channel"], fresh)

    def _confirm(self, channel: bytes, fresh: set[bytes]) -> None:
        """Note that a channel is subscribed: by us, or by redis-py, which reconnects without a word."""
        name = channel.decode()
        waiting = self._confirming.pop(name, [])
        for each in waiting:
            if not each.done():
                each.set_result(None)
        if channel in fresh:
            fresh.discard(channel)
            if fresh:
                return
            self.connected.set()
        elif waiting or name not in self._wanted:
            return
        self._on_connected()

    async def _send(self, subscribe: bool, names: list[str]) -> None:
        async with self._sending:
            link = self._pubsub.connection if self._pubsub is not None else None
            if self._pubsub is None or link is None or not link.is_connected or not names:
                # The reader is about to reconnect with all channels; two tasks must not connect at once.
                return
            if subscribe:
                await self._pubsub.subscribe(*names)
            else:
                await self._pubsub.unsubscribe(*names)

    def _expect(self, name: str) -> asyncio.Future[None]:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._confirming[name].append(future)
        return future

    def _forget(self, name: str, future: asyncio.Future[None]) -> None:
        waiting = self._confirming.get(name)
        if waiting and future in waiting:
            waiting.remove(future)
            if not waiting:
                del self._confirming[name]
