"""The connection to one reader: frames are written at once, or wait in a bounded outbox for a slow client."""

import asyncio
import logging
from collections.abc import Callable

from server import metrics
from server.bus import Entry
from server.errors import LoopwireError
from server.protocol.envelope import Error
from server.protocol.ids import new_id
from server.rooms.frame_writer import FrameWriter, Framing, text_frame
from server.rooms.outbox import Outbox, Slow

HTML = "loopwire.v1.html"
JSON = "loopwire.v1"
SUBPROTOCOLS = (JSON, HTML)

SLOW = (1013, metrics.SLOW)

log = logging.getLogger(__name__)


class Connection:
    """Sends frames without making the sender wait: a client that cannot keep up is closed and may reconnect."""

    __slots__ = (
        "_closing",
        "_ended",
        "_over",
        "_writer",
        "framing",
        "html",
        "id",
        "language",
        "outbox",
        "plain",
        "raw",
    )  # fmt: skip

    def __init__(
        self, writer: FrameWriter, *, html: bool, language: str, framing: Framing = text_frame
    ) -> None:
        """Take over an open socket or stream; its owner ends with `ended`."""
        self.id = new_id("con")
        self.html = html
        self.language = language
        self.framing = framing
        self.raw = framing is text_frame
        """Whether the connection gets ready frames unchanged. A stream frames each anew."""
        self.plain = self.raw and not html
        """Whether the connection gets the frames that nearly all connections get."""
        self._writer = writer
        self.outbox: Outbox | None = None
        """Only while something waits."""
        self._closing: tuple[int, str] | None = None
        self._over = False
        self._ended: asyncio.Future[None] | None = None
        writer.follow(self._flow)

    @property
    def closing(self) -> bool:
        """Return whether the end is decided."""
        return self._closing is not None

    def put(self, payload: bytes) -> None:
        """Send a frame when it is its turn."""
        frame = self.framing(payload)
        if not self._try_to_send(frame):
            self._wait(lambda outbox: outbox.put(frame))

    def put_replay(self, payload: bytes, epoch: str, seq: int) -> None:
        """Send missed events, however large, and the position after them."""
        frame = self.framing(payload, epoch, seq)
        if not self._try_to_send(frame):
            self._wait(lambda outbox: outbox.put_replay(frame))

    def put_snapshot(self, payload: bytes, epoch: str, seq: int) -> None:
        """Send a snapshot, however large, and the position after it; it replaces one that still waits."""
        frame = self.framing(payload, epoch, seq)
        if not self._try_to_send(frame):
            self._wait(lambda outbox: outbox.put_snapshot(frame))

    def put_event(self, frame: bytes, entry: Entry, epoch: str | None = None, *, drawn: bool = False) -> None:
        """Send the frame of an event, which may be merged with its neighbours; `epoch` where the frame names it.

        One that is `drawn` has a fragment, and stays as it is.
        """
        # The path of every delivery: it repeats `_try_to_send` without the call.
        if self.outbox is None and self._closing is None and self._writer.send_frame(frame):
            return
        if self._closing is None:
            self._wait(lambda outbox: outbox.put_event(frame, entry, epoch, drawn=drawn))

    def close(self, code: int, reason: str) -> None:
        """Close after what already waits; only the first close counts. Without a `reason` the client left."""
        if self._closing is None:
            self._closing = (code, reason)
            if reason:
                metrics.CLOSED_READERS.labels(reason).inc()
            self._flow()

    def refuse(self, error: LoopwireError) -> None:
        """Send the error, and close with its code."""
        self.put(Error.of(error).encode())
        self.close_with_code(error)

    def close_with_code(self, error: LoopwireError) -> None:
        """Close with the code of an error, without a frame that says it."""
        self.close(error.close_code or 1011, error.code)

    async def wait_for_end(self, seconds: float) -> None:
        """Wait until the close is sent or the socket lost, for so long at most; then detach from the writer."""
        if not self._over:
            self._ended = asyncio.get_running_loop().create_future()
            await asyncio.wait({self._ended}, timeout=seconds)
        self._writer.follow(None)

    def _try_to_send(self, frame: bytes) -> bool:
        """Write a frame if nothing waits before it; return whether it was. After the close all count as written."""
        if self._closing is not None:
            return True
        return self.outbox is None and self._writer.send_frame(frame)

    def _wait(self, put: Callable[[Outbox], None]) -> None:
        """Let something wait, or give the reader up."""
        if self.outbox is None:
            self.outbox = Outbox(self.framing)
        try:
            put(self.outbox)
        except Slow:
            log.info("reader %s is too slow, closing it", self.id)
            # Drop the waiting frames: a reader this slow would not receive them all.
            metrics.DROPPED_FRAMES.inc(len(self.outbox) + 1)
            self.outbox = None
            self.close(*SLOW)

    def _flow(self) -> None:
        """Write what waits for as long as it is taken, then the close."""
        while self.outbox is not None and not self._writer.full:
            frame = self.outbox.pop()
            if frame is None:
                self.outbox = None
            else:
                self._writer.send_frame(frame)
        if self._closing is None or self.outbox is not None or self._writer.full or self._over:
            return
        self._over = True
        self._writer.send_close(*self._closing)
        if self._ended is not None:
            self._ended.set_result(None)
