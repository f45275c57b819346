"""A TCP proxy that a test breaks while it runs: refusal, silence one way or both, delay, a trickle, a cut, a reset."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.parts.wait import paced

Address = tuple[str, int]

_CHUNK = 64 * 1024
_CONNECT_S = 2.0
_LOOK_S = 0.02


@dataclass
class Weather:
    """The fault of the line. Bytes that arrive while it is silent are delivered afterwards."""

    refuse: bool = False
    silent_up: bool = False
    silent_down: bool = False
    latency_s: float = 0.0
    bytes_a_second: int = 0
    """0 is as fast as it goes."""
    cut_after: int = 0
    """Reset each connection after so many bytes of answers; 0 is never."""


@dataclass(eq=False)
class Pair:
    """One connection: from a client to us, and from us to the target."""

    client: asyncio.StreamWriter
    target: asyncio.StreamWriter
    address: Address
    frozen: bool = False
    """Nothing passes and nobody is told, as when a laptop is closed."""
    answered: int = 0
    asked: bool = False
    """The last word was the client's."""
    over: bool = False
    opened_with: bytes = b""
    """The first bytes that the client said."""

    def reset(self) -> None:
        """End both halves with RST."""
        self.over = True
        for each in (self.client, self.target):
            raw = each.get_extra_info("socket")
            if raw is not None and raw.fileno() >= 0:
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            each.transport.abort()


@dataclass
class Proxy:
    """`await proxy.start()` listens; every connection goes to the next target, nobody sticks to one.

    A target that does not let us in is passed over, as every balancer does. `listening` is where clients connect.
    """

    targets: Callable[[], list[Address]]
    host: str = "127.0.0.1"
    weather: Weather = field(default_factory=Weather)
    pairs: set[Pair] = field(default_factory=set)
    trips: int = 0
    """How often clients said something new after an answer."""
    _server: asyncio.Server | None = None
    _turn: int = 0

    @property
    def port(self) -> int:
        """Return where it listens."""
        assert self._server is not None, "not started"
        return int(self._server.sockets[0].getsockname()[1])

    async def start(self) -> None:
        """Listen on a port of its own."""
        self._server = await asyncio.start_server(self._serve, self.host, 0, backlog=512)

    async def aclose(self) -> None:
        """Close every connection, and return when they have ended."""
        assert self._server is not None, "not started"
        self._server.close()
        self.clear()
        while self.pairs:
            self.cut()
            await paced(_LOOK_S)
        await self._server.wait_closed()

    def cut(self) -> None:
        """Reset every connection."""
        for each in tuple(self.pairs):
            each.reset()

    def clear(self) -> None:
        """Nothing is wrong any more."""
        self.weather = Weather()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        found = None if self.weather.refuse else await self._connected()
        if found is None:
            Pair(writer, writer, ("", 0)).reset()
            return
        answers, target, address = found
        pair = Pair(writer, target, address)
        self.pairs.add(pair)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pump(reader, target, pair, down=False))
                group.create_task(self._pump(answers, writer, pair, down=True))
        except* (OSError, _Ended):
            pass
        finally:
            self.pairs.discard(pair)
            for each in (writer, target):
                each.close()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Address] | None:
        targets = self.targets()
        self._turn += 1
        for place in range(len(targets)):
            address = targets[(self._turn + place) % len(targets)]
            try:
                async with asyncio.timeout(_CONNECT_S):
                    return *await asyncio.open_connection(*address), address
            except (OSError, TimeoutError):
                continue
        return None

    async def _pump(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, pair: Pair, *, down: bool
    ) -> None:
        while True:
            data = await source.read(_CHUNK)
            if not down and not pair.opened_with:
                pair.opened_with = data[:200]
            while pair.frozen or (self.weather.silent_down if down else self.weather.silent_up):
                if pair.over:
                    raise _Ended
                await paced(_LOOK_S)
            if not data:
                raise _Ended
            self.trips += not down and not pair.asked
            pair.asked = not down
            weather = self.weather
            if weather.latency_s:
                await paced(weather.latency_s)
            if down and weather.cut_after:
                pair.answered += len(data)
                if pair.answered > weather.cut_after:
                    pair.reset()
                    raise _Ended
            if weather.bytes_a_second:
                await paced(len(data) / weather.bytes_a_second)
            sink.write(data)
            await sink.drain()


class _Ended(Exception):
    """One side has hung up."""
