"""One session over sockets that come and go: its frames in order, each event once."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from loopwire.backoff import LATER_S, LONGEST_S, Next, next_after, pause_before
from loopwire.errors import Closed, Garbled, LoopwireError, Refused
from loopwire.position import Position, Verdict

HANDSHAKE_S = 30.0
"""A server that is starting answers as soon as it can: leaving it earlier only begins the wait anew."""

SILENCE_S = 8.0
"""A welcome comes within this time after the hello."""

PING_S = 15.0
"""A dead network is noticed after 35 s: a pong may take 20 s."""

MOST_BYTES = 64 * 1024 * 1024
"""Of one frame: a snapshot has fifty messages."""

MOST_SENT_BYTES = 65_536
"""A server closes the socket on which more comes."""

CLOSE_S = 2.0

LOST = 1006
"""The code of a connection that just broke, as WebSocket has it."""

log = logging.getLogger("loopwire")

Frame = dict[str, Any]
Credential = Callable[[], Awaitable[dict[str, str]]]
"""Gives what a hello says of who comes: a ticket. Its errors end the wire unless they say `retry`."""


class Wire:
    """Gives the frames of a session; it reconnects by itself until it is closed, or the server refuses it for good."""

    def __init__(self, url: str, credential: Credential, position: Position | None = None) -> None:
        """`url` is that of the socket. With a `position` the server sends the events after it, or a snapshot."""
        self.position = position or Position()
        self.opened = False
        """Whether a socket has been welcomed and not lost since."""
        self.trouble: Exception | None = None
        """The reason why the last try failed."""
        self._url = url
        self._credential = credential
        self._token: str | None = None
        self._socket: ClientConnection | None = None
        self._ready: deque[Frame] = deque()
        self._refusal: str
        """The words of the server before it closes this socket; empty without any."""
        self._attempt = 0
        self._garbled = 0
        self._pause = 0.0
        self._welcomed_at: float
        self._end: Closed | None = None

    async def next(self) -> Frame:
        """Return the next frame: a control frame, or a durable one that was not seen before. Raises Closed."""
        while not self._ready:
            if self._end is not None:
                await self._leave()  # A socket that was opened meanwhile.
                raise self._end
            try:
                if self._socket is None:
                    await self._open()
                else:
                    await self._receive(self._socket)
            except Closed as end:
                self._end = end
        return self._ready.popleft()

    async def send(self, frame: Frame) -> None:
        """Write a frame where there is a socket: the caller sends it again after each welcome."""
        socket = self._socket if self.opened else None
        if socket is not None:
            with suppress(ConnectionClosed):
                await socket.send(encode(frame))

    async def restart(self) -> None:
        """Leave the socket, and begin anew with a snapshot: a received frame cannot be read."""
        self._garbled, self._attempt = self._garbled + 1, max(self._attempt, self._garbled + 1)
        await self._leave(anew=True)

    async def renew(self, *, anew: bool) -> None:
        """Leave the socket, and connect as another user: at the same position, or `anew` in another session."""
        self._token, self._attempt, self._end = None, 0, None
        await self._leave(anew=anew)

    async def aclose(self) -> None:
        """Leave for good."""
        self._end = self._end or Closed("closed", "This connection was closed.")
        await self._leave(anew=True)

    # Opening.

    async def _open(self) -> None:
        wait = max(pause_before(self._attempt - 1) if self._attempt else 0.0, self._pause)
        await asyncio.sleep(wait)
        self._attempt, self._pause, self._refusal = self._attempt + 1, 0.0, ""
        try:
            hello = await self._hello()
            self._socket = await self._connect()
            with suppress(ConnectionClosed):  # `_receive` reads why the server closed it so soon.
                await self._socket.send(json.dumps(hello))
        except LoopwireError as error:
            self._note(error)
            if not error.retry:
                raise Closed(error.code, error.message) from error
            self._pause = error.retry_after or 0.0
        except InvalidStatus as error:
            self._note(error)
            if error.response.status_code in {429, 503}:
                self._pause = LATER_S
        except (OSError, WebSocketException, TimeoutError) as error:
            self._note(error)

    async def _hello(self) -> Frame:
        credential = {"resume_token": self._token} if self._token else await self._credential()
        hello: Frame = {"type": "hello", "v": 1, **credential}
        if self.position.seq is not None:
            hello |= {"last_seq": self.position.seq, "epoch": self.position.epoch}
        return hello

    async def _connect(self) -> ClientConnection:
        return await connect(
            self._url,
            subprotocols=["loopwire.v1"],  # type: ignore[list-item]  # A NewType of str.
            open_timeout=HANDSHAKE_S,
            ping_interval=PING_S,
            close_timeout=CLOSE_S,
            max_size=MOST_BYTES,
        )

    # Closing.

    async def _leave(self, *, anew: bool = False) -> None:
        socket, self._socket, self.opened = self._socket, None, False
        if anew:
            self.position, self._ready = Position(), deque()
        if socket is not None:
            await socket.close()

    async def _lose(self, trouble: LoopwireError, code: int = LOST) -> None:
        """The socket ended: come back as its code says. Raises Closed where it says not to."""
        welcomed = self.opened
        now = asyncio.get_running_loop().time()
        if welcomed and now - self._welcomed_at > LONGEST_S:
            self._garbled = 0
        self._note(trouble)
        await self._leave()
        what = next_after(code, welcomed=welcomed)
        if what is Next.STOP:
            raise Closed(trouble.code, self._refusal, close_code=code)
        if what is Next.TICKET:
            # The next ticket may be one that this server knows: while Redis was away each process had its own.
            self._token = None
        if what is Next.LATER:
            self._pause = max(self._pause, LATER_S)
        self._attempt = max(self._attempt, self._garbled)

    def _note(self, trouble: Exception) -> None:
        self.trouble = trouble
        log.debug("connection: %s", trouble)

    # Received frames.

    async def _receive(self, socket: ClientConnection) -> None:
        try:
            async with asyncio.timeout(None if self.opened else SILENCE_S):
                data = await socket.recv()
            self._take(read_frame(data))
        except ConnectionClosed as closed:
            if socket is not self._socket:
                return  # `renew` has closed this socket.
            code, reason = (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else (LOST, "")
            after = self._pause or None
            refused = Refused(reason or f"closed_{code}", self._refusal, retry=True, retry_after=after)
            await self._lose(refused, code)
        except TimeoutError:
            await self._lose(Refused("silent", self._refusal, retry=True))
        except Garbled as error:
            log.warning("the server sent what cannot be read: %s", error.message)
            self._garbled += 1
            await self._lose(error)

    def _take(self, frame: Frame) -> None:
        """Put what is new of a frame where `next` finds it. Raises Garbled."""
        if "batch" in frame:
            for each in frame["batch"]:
                self._take_durable(each)
        elif "event" in frame:
            self._take_durable(frame)
        else:
            self._take_control(frame)

    def _take_durable(self, frame: Frame) -> None:
        verdict = self.position.judge(frame)
        if verdict is Verdict.HOLE:
            raise Garbled(f"events are missing before {frame['seq']}")
        if verdict is Verdict.APPLY:
            self.position.move(frame)
            self._ready.append({**frame, "epoch": self.position.epoch})

    def _take_control(self, frame: Frame) -> None:
        kind = frame["type"]
        if kind == "welcome":
            self._token, self._attempt, self.opened = frame["resume_token"], 1, True
            self._welcomed_at = asyncio.get_running_loop().time()
            if frame["resumed"] and self.position.seq is None:
                self.position.set(frame["seq"], frame["epoch"])
        elif kind == "snapshot":
            self.position.set(frame["seq"], frame["epoch"])
        elif kind == "reconnect":
            self._pause = frame["after_ms"] / 1000
        elif kind == "error" and "id" not in frame:
            self._refusal = str(frame.get("message", ""))
            after = frame.get("retry_after")
            self._pause = float(after) if isinstance(after, int | float) else self._pause
        self._ready.append(frame)


def encode(frame: Frame) -> str:
    """Return a frame as JSON. Raises TypeError and ValueError for what is none, and Refused for what is too long."""
    text = json.dumps(frame, ensure_ascii=False, allow_nan=False)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:  # Half of a surrogate pair: the server says so.
        text = json.dumps(frame)
        size = len(text)
    if size > MOST_SENT_BYTES:
        raise Refused("too_long", f"A frame may have {MOST_SENT_BYTES} bytes.")
    return text


def read_frame(data: str | bytes) -> Frame:
    """Read a frame whose outer form is right. Raises Garbled."""
    try:
        frame = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Garbled("no JSON") from error
    if not _is_known(frame):
        raise Garbled("a frame of no known form")
    return dict(frame)


def _is_known(frame: Any) -> bool:
    if not isinstance(frame, dict):
        return False
    if "batch" in frame:
        return isinstance(frame["batch"], list) and all(map(_is_durable, frame["batch"]))
    return _is_durable(frame) if "event" in frame else _is_control(frame)


def _is_durable(frame: Any) -> bool:
    return (
        isinstance(frame, dict)
        and _is_number(frame.get("seq"))
        and _is_number(frame.get("from", frame["seq"]))
        and isinstance(frame.get("epoch", ""), str)
        and isinstance(frame.get("event"), dict)
        and isinstance(frame["event"].get("type"), str)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_FIELDS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "welcome": {"session_id": str, "resume_token": str, "resumed": bool, "seq": int, "epoch": str},
    "snapshot": {"seq": int, "epoch": str, "events": list},
    "queue": {"items": list},
    "reconnect": {"after_ms": (int, float)},
}
"""The fields that are read of the control frames."""


def _is_control(frame: Frame) -> bool:
    kind = frame.get("type")
    return isinstance(kind, str) and all(
        isinstance(frame.get(name), type_) for name, type_ in _FIELDS.get(kind, {}).items()
    )
