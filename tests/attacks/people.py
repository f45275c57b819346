"""People who write, read and ask while a server is attacked, with the times that they waited."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from tests.integration.conversation.seller import Seller, ended, new_frame_id, text_parts
from tests.parts.server import Served
from tests.parts.wait import paced

BETWEEN_S = 0.02
LINE = "Olá, o que é que posso vender aqui e como funciona?"


@dataclass
class Waits:
    """The durations of one kind of act, in seconds."""

    times: list[float] = field(default_factory=list)
    since: float | None = None
    """When what is waited for now was asked for."""

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Measure a wait; one that fails or is given up stays open."""
        self.since = time.monotonic()
        yield
        self.times.append(time.monotonic() - self.since)
        self.since = None

    def forget(self) -> None:
        """Measure from now on."""
        self.times.clear()
        self.since = None if self.since is None else time.monotonic()

    @property
    def worst(self) -> float:
        """Return the longest of them, or what is waited for now."""
        open_s = 0.0 if self.since is None else time.monotonic() - self.since
        return max([*self.times, open_s])

    def __str__(self) -> str:
        """Say how many, and the two numbers in milliseconds."""
        return f"{len(self.times)} × p99 {p99(self.times) * 1000:.0f} ms, worst {self.worst * 1000:.0f} ms"


def p99(times: list[float]) -> float:
    """Return what 99 of 100 of these times did not exceed; 0 for none."""
    return sorted(times)[int(len(times) * 0.99)] if times else 0.0


@dataclass
class Person:
    """A person with a socket and a browser; the conversation is folded and compared with what is stored."""

    served: Served
    seller: Seller = field(init=False)
    requests: Waits = field(default_factory=Waits)
    pings: Waits = field(default_factory=Waits)
    acks: Waits = field(default_factory=Waits)
    broken: list[str] = field(default_factory=list)
    """What a person would complain about."""
    over: bool = False
    hurt: bool = False
    """Has there been a complaint?"""

    async def begin(self) -> None:
        """Open a conversation."""
        self.seller = Seller(self.served)
        await self.seller.begin()

    def forget(self) -> None:
        """Measure from now on."""
        for each in (self.requests, self.pings, self.acks):
            each.forget()

    @property
    def lives(self) -> bool:
        """Return whether this person has been answered since the last `forget`."""
        return bool(self.requests.times and self.pings.times)

    async def live(self) -> None:
        """Talk, ask and ping until `over`."""
        await asyncio.gather(self._guard(self._talk()), self._guard(self._ask()), self._guard(self._ping()))

    def complaints(self) -> list[str]:
        """Give what is broken since the last time."""
        found, self.broken = self.broken, []
        self.hurt = self.hurt or bool(found)
        return found

    async def leave(self) -> None:
        """Compare what was seen with what is stored, and go."""
        if not (self.hurt or self.broken):
            stored = await asyncio.to_thread(self.seller.stored)
            seen = self.seller.talk.transcript.messages
            snapshots = [each for each in self.seller.talk.frames if each.get("type") == "snapshot"]
            if snapshots and snapshots[-1].get("before"):
                stored = stored[
                    -len(seen) :
                ]  # The snapshot has the newest messages, and says that there are older ones.
            if found := first_difference(stored, seen):
                self.broken.append(
                    f"what a person saw is not what is stored, {len(snapshots)} snapshots: {found}"
                )
        await self.seller.aclose()

    async def _guard(self, doing: object) -> None:
        try:
            await doing  # type: ignore[misc]
        except Exception as error:
            self.broken.append(f"{type(error).__name__}: {error}")
            self.over = True

    async def _talk(self) -> None:
        """Say something, wait for the whole answer, say the next; the talk fails at a hole in the numbers."""
        while not self.over:
            frame = {"type": "message", "id": new_frame_id(), "content": text_parts(LINE)}
            with self.acks.waiting():
                await self.seller.talk.send(frame)
                ack = await self.seller.talk.until(lambda each, id=frame["id"]: each.get("id") == id)
            if ack["type"] == "ack":
                await ended(self.seller.talk, ack["run_id"])
            elif ack.get("code") != "rate_limited":
                self.broken.append(f"a message was refused: {ack}")
            await paced(1.0)

    async def _ask(self) -> None:
        """Ask over HTTP on one connection that is kept."""
        host, port = self.served.url.rpartition("/")[2].split(":")
        head = (
            f"GET /v1/sessions HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {self.seller.cookie}\r\n"
            f"X-Forwarded-For: {self.seller.address}\r\n\r\n"
        ).encode()
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            while not self.over:
                with self.requests.waiting():
                    writer.write(head)
                    answer = await reader.readuntil(b"\r\n\r\n")
                    length = int(answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
                    await reader.readexactly(length)
                if not answer.startswith(b"HTTP/1.1 200 "):
                    self.broken.append(f"a request got {answer[:12]!r}")
                await paced(BETWEEN_S)
        finally:
            writer.close()

    async def _ping(self) -> None:
        """Ping the socket."""
        while not self.over:
            with self.pings.waiting():
                await (await self.seller.talk.socket.ping())
            await paced(BETWEEN_S)


def first_difference(stored: list[Any], seen: list[Any]) -> str:
    """Describe where two lists of messages differ first, in some 1,000 characters; empty when they are alike."""
    if stored == seen:
        return ""
    pairs = enumerate(zip_longest(stored, seen))
    place, both = next((place, both) for place, both in pairs if both[0] != both[1])
    one, other = (json.dumps(each)[:500] for each in both)
    return (
        f"of {len(stored)} stored and {len(seen)} seen, number {place} is stored as {one} and seen as {other}"
    )


@asynccontextmanager
async def crowd(served: Served, count: int) -> AsyncIterator[list[Person]]:
    """So many people, who live as long as the context lasts."""
    people = [Person(served) for _ in range(count)]
    for each in people:
        await each.begin()
    living = asyncio.gather(*(each.live() for each in people))
    try:
        yield people
    finally:
        for each in people:
            each.over = True
        await living
        for each in people:
            await each.leave()
