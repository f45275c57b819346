"""The writer of a response that streams: it takes events at once, and sends them as fast as the client reads."""

import asyncio
from collections.abc import Callable

from server.asgi import Send
from server.protocol.envelope import Close
from server.tasks import happens_within

KEEP_ALIVE_S = 15.0
ENOUGH = 64 * 1024
RETRY_MS = 1000
FOR_GOOD = 4000
"""From this close code on, coming back as before would not help."""

_ALIVE = b":\n\n"


def event_frame(payload: bytes, epoch: str = "", seq: int = 0) -> bytes:
    """Frame a text as one event. JSON has no line breaks; what is no place to resume from has no id."""
    if not epoch:
        return b"data: %b\n\n" % payload
    return b"id: %b-%d\ndata: %b\n\n" % (epoch.encode(), seq, payload)


class SseWriter:
    """The frame writer of a stream: full while the response's transport does not take what is there."""

    def __init__(self) -> None:
        self.full = False
        self._ready: list[bytes] = []
        self._size = 0
        self._over = False
        self._on_writable: Callable[[], None] | None = None
        self._wake = asyncio.Event()

    def send_frame(self, frame: bytes) -> bool:
        """Hand over an event; false when there is enough already."""
        if self.full:
            return False
        if not self._over:
            self._add(frame)
        return True

    def send_close(self, code: int, reason: str) -> None:
        """End the stream after what is there: the last event says why, and whether to come back."""
        if self._over:
            return
        if code < FOR_GOOD:
            self._add(b"retry: %d\n" % RETRY_MS)
        self._add(event_frame(Close(code=code, reason=reason).encode()))
        self._over = True

    def follow(self, on_writable: Callable[[], None] | None) -> None:
        """Call `on_writable` whenever the transport takes frames again."""
        self._on_writable = on_writable

    def drop(self) -> None:
        """Note that the reader is gone: what is sent from now on is dropped."""
        self._over = True
        self._ready.clear()
        self._wake.set()
        self._flow()

    async def pump(self, send: Send) -> None:
        """Send what is there as soon as it is there, and a comment when nothing is, until the end."""
        more = True
        while more:
            chunk = _ALIVE
            if await self._wait_for_data():
                chunk = b"".join(self._ready)
                self._ready.clear()
                self._size = 0
                more = not self._over
            await send({"type": "http.response.body", "body": chunk, "more_body": more})
            if self.full:
                self._flow()

    async def _wait_for_data(self) -> bool:
        if not await happens_within(self._wake, KEEP_ALIVE_S):
            return False
        self._wake.clear()
        return True

    def _add(self, data: bytes) -> None:
        self._ready.append(data)
        self._size += len(data)
        self.full = self._size >= ENOUGH
        self._wake.set()

    def _flow(self) -> None:
        self.full = False
        if self._on_writable is not None:
            self._on_writable()
