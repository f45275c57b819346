"""A long poll: a reader of a room that leaves with the first events that it gets, or with none at its deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from starlette.responses import Response

from server.api.durable_streams.framings import ItemFraming
from server.api.durable_streams.offsets import LogPosition
from server.api.stream import wait_for_leave
from server.asgi import Asgi, Receive, Scope, Send
from server.auth import Grant
from server.endpoints.authorize import refusal
from server.errors import LoopwireError, NotFound, RateLimited, Replaced, Unauthorized, Unavailable
from server.protocol.commands import Hello
from server.rooms.admission import AGAIN_S, FULL_S, Admission
from server.rooms.connection import Connection
from server.store import SessionOwner
from server.tasks import Tasks, happens_within

Respond = Callable[[list[bytes], LogPosition], Response]
"""Makes the response of the items that were received, and the position after them."""


class FirstFrames:
    """The frame writer of a long poll: it keeps the items that are sent, and where a reader of them is."""

    def __init__(self, start: LogPosition) -> None:
        self.full = False
        self.items: list[bytes] = []
        self.position = start
        self.close_code: int | None = None
        self.awake = asyncio.Event()

    def send_frame(self, frame: bytes) -> bool:
        """Keep a frame of ItemFraming."""
        if frame:
            offset, _, items = frame.partition(b"\n")
            self.items.append(items)
            self.position = LogPosition.parse(offset.decode())
            self.awake.set()
        return True

    def send_close(self, code: int, reason: str) -> None:
        """Note that the room sends the reader away."""
        self.close_code = code
        self.awake.set()

    def follow(self, on_writable: Callable[[], None] | None) -> None:
        """Ignore this: it is never full."""


class LongPoll:
    """The response that begins when something has happened, or nothing has for long enough."""

    def __init__(
        self,
        admission: Admission,
        session: SessionOwner,
        grant: Grant,
        hello: Hello,
        start: LogPosition,
        *,
        seconds: float,
        respond: Respond,
    ) -> None:
        self._admission = admission
        self._session = session
        self._grant = grant
        self._hello = hello
        self._framing = ItemFraming(start)
        self._seconds = seconds
        self._respond = respond
        self._writer = FirstFrames(start)
        self._refused: LoopwireError | None = None
        """The error of a body that is out of bounds."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Wait, and answer; a reader that leaves ends the waiting, as does a body that is refused."""
        tasks = Tasks()
        leaving = tasks.spawn(self._listen(receive), name="long poll")
        leaving.add_done_callback(lambda _: self._writer.awake.set())
        try:
            answer: Asgi = await self._answer()
        except LoopwireError as error:
            answer = refusal(error)
        finally:
            await tasks.aclose()
        await answer(scope, receive, send)

    async def _listen(self, receive: Receive) -> None:
        try:
            await wait_for_leave(receive)
        except LoopwireError as error:
            self._refused = error

    async def _answer(self) -> Response:
        """Return what was received while the reader was a member of the room. Raises what sent it away."""
        connection = Connection(self._writer, html=False, language="", framing=self._framing)
        async with self._admission.membership(connection, self._session, self._grant, self._hello):
            await happens_within(self._writer.awake, self._seconds)
        if self._refused is not None:
            raise self._refused
        if not self._writer.items and self._writer.close_code is not None:
            raise _reason_of(self._writer.close_code)
        return self._respond(self._writer.items, self._writer.position)


def _reason_of(close_code: int) -> LoopwireError:
    """Return the error over HTTP that means the same as a socket's close code."""
    if close_code == Replaced.close_code:
        return RateLimited(Replaced.text, retry_after=FULL_S)
    for error in (Unauthorized, NotFound):
        if close_code == error.close_code:
            return error()
    return Unavailable(retry_after=AGAIN_S)
