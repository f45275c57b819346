"""How a pair is spoken to: conversations on the side that runs them, sockets on the side that watches."""

import asyncio
import itertools
import json
from typing import Any, Protocol

from bench.dialects import FloorDialect, LoopwireDialect, Talk
from bench.wire import Wire

_channels = itertools.count(1)
_AT_ONCE = 32
READY = b"\x00ready"
ORIGIN = "http://loopwire.bench"


class PairDialect(Protocol):
    """One way to speak."""

    async def open(self, port: int, count: int) -> list[Talk]:
        """Open so many conversations on the side that runs them."""
        ...

    async def watch(self, port: int, talk: Talk, count: int) -> list[Wire]:
        """Watch one of them with so many sockets; they hear everything from now on."""
        ...

    def asking(self, talk: Talk, prompt: str) -> str:
        """Make the frame that asks for an answer."""
        ...

    def ends(self, payload: bytes) -> bool:
        """Return whether this is the last frame of an answer."""
        ...

    def refused(self, payload: bytes) -> bool:
        """Return whether the answer ended because the server would not, or could not, go on."""
        ...

    def text(self, payload: bytes) -> str:
        """Give the model's text in a frame."""
        ...


class RelayDialect(FloorDialect):
    """Channels of a relay; its frames are bare text."""

    async def open(self, port: int, count: int, *, deflate: bool = False) -> list[Talk]:
        """Open sockets, each with a channel of its own."""
        talks = await super().open(port, count, deflate=deflate)
        return [Talk(each.wire, f"c{next(_channels)}") for each in talks]

    async def watch(self, port: int, talk: Talk, count: int) -> list[Wire]:
        """Subscribe."""
        return [await self._watch(f"ws://127.0.0.1:{port}/{talk.key}") for _ in range(count)]

    async def _watch(self, url: str) -> Wire:
        wire = await Wire.open(url)
        if not any(payload == READY for _, payload in wire.frames):  # It may have come with the handshake.
            await wire.expect(lambda payload: payload == READY)
        return wire

    def asking(self, talk: Talk, prompt: str) -> str:
        """Return the channel and the prompt."""
        return f"{talk.key} {prompt}"

    def text(self, payload: bytes) -> str:
        """Return all but the marks."""
        return "" if payload[:1] == b"\x00" else payload.decode()


class SessionDialect(LoopwireDialect):
    """Sessions of Loopwire, which any instance knows behind one public address."""

    origin = ORIGIN

    def asking(self, _talk: Talk, prompt: str) -> str:
        """Return a message."""
        return self.question(prompt)

    async def resume(self, ports: list[int], standing: list[tuple[str, dict[str, Any]]]) -> int:
        """Come back all at once, to the instances in turn; returns how many were resumed without a snapshot.

        `standing` has a resume token and a position (`last_seq`, `epoch`) for each.
        """
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(number: int, token: str, position: dict[str, Any]) -> bool:
            async with gate:
                port = ports[number % len(ports)]
                wire = await self.hello(port, self.from_somewhere(port), resume_token=token, **position)
                return any(b'"resumed":true' in payload for _, payload in wire.frames)

        every = (one(number, *each) for number, each in enumerate(standing))
        return sum(await asyncio.gather(*every))

    @staticmethod
    def standing(talk: Talk) -> tuple[str, dict[str, Any]]:
        """Return where a conversation's socket stands after its answer."""
        seq, epoch = 0, talk.epoch
        for _, payload in talk.wire.frames:
            frame = json.loads(payload)
            for each in frame.get("batch", [frame]):
                seq, epoch = each.get("seq", seq), each.get("epoch", epoch)
        return talk.key, {"last_seq": seq, "epoch": epoch}
