"""One socket: what goes out waits in a bounded outbox that one writer empties; what comes in is handed on."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

from server.protocol.ids import new_id
from server.ws.outbox import Outbox, Slow

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

HTML = "loopwire.v1.html"
JSON = "loopwire.v1"
SUBPROTOCOLS = (JSON, HTML)

SLOW = (1013, "slow")

log = logging.getLogger(__name__)


class Connection:
    """Sends without ever making the sender wait: who cannot keep up is closed and may come back."""

    def __init__(self, send: Send, *, html: bool, language: str) -> None:
        """Take over an accepted socket; `write` must run for anything to be sent."""
        self.id = new_id("con")
        self.html = html
        self.language = language
        self._send = send
        self._outbox = Outbox()
        self._wake = asyncio.Event()
        self._closing: tuple[int, str] | None = None

    @property
    def closing(self) -> bool:
        """Has the end been decided?"""
        return self._closing is not None

    def put(self, frame: bytes) -> None:
        """Send a frame when it is its turn."""
        if self._closing is None:
            with self._patience():
                self._outbox.put(frame)

    def put_whole(self, frame: bytes) -> None:
        """Send a snapshot or a replay, however large."""
        if self._closing is None:
            with self._patience():
                self._outbox.put_whole(frame)

    def put_event(self, frame: bytes, seq: int, event_json: bytes, epoch: str | None = None) -> None:
        """Send the frame of an event, which may be merged with its neighbours; `epoch` as told in the frame."""
        if self._closing is None:
            try:  # The hot path: no context manager here.
                self._outbox.put_event(frame, seq, event_json, epoch)
            except Slow:
                self._give_up()
            self._wake.set()

    def close(self, code: int, reason: str) -> None:
        """Close after what already waits; only the first close counts."""
        if self._closing is None:
            self._closing = (code, reason)
            self._wake.set()

    async def write(self) -> None:
        """Empty the outbox until the close is sent. Ends with the socket."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while (frame := self._outbox.take()) is not None:
                await self._send({"type": "websocket.send", "text": frame.decode()})
            if self._closing is not None:
                code, reason = self._closing
                await self._send({"type": "websocket.close", "code": code, "reason": reason})
                return

    @contextmanager
    def _patience(self) -> Iterator[None]:
        """Let the writer know, or give the reader up."""
        try:
            yield
        except Slow:
            self._give_up()
        self._wake.set()

    def _give_up(self) -> None:
        """Drop what waits, since a reader this slow would not get to its end, and let it come back."""
        log.info("socket %s is too slow, closing it", self.id)
        self._outbox.clear()
        self.close(*SLOW)
