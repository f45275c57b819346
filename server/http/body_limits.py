"""The limits on request bodies: bytes of one, bytes of all unfinished ones per address and process, and time."""

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from server.asgi import Receive
from server.errors import LoopwireError, TooLong
from server.limit_counters import HeldBytes
from server.proxies import counted_client

SMALL = 64 * 1024
LARGE = 1024 * 1024
WITH_IMAGES = 10 * 1024 * 1024
"""Bytes of one body; those of AG-UI hold what the caller knows of the conversation, those of services and
of OpenAI's clients pictures."""

SMALL_S = 15.0
LARGE_S = 40.0
WITH_IMAGES_S = 60.0
"""A body has to be complete within this time; `HardenedHttpProtocol` ends the connection a little later."""

BOUNDS = (
    ("/agui/", LARGE, LARGE_S),
    ("/loopos_ai_", WITH_IMAGES, WITH_IMAGES_S),
    ("/chat", WITH_IMAGES, WITH_IMAGES_S),
    ("/services/", WITH_IMAGES, WITH_IMAGES_S),
    ("/v1/responses", WITH_IMAGES, WITH_IMAGES_S),
)
"""Bytes and seconds of a body by how its path begins; of all other paths they are the small ones."""

FREE = 8 * 1024
"""Bytes of each body that are not counted: a client that exhausts the limits keeps no small body out."""


DROPPED_BYTES = 16 * 1024 * 1024
DROP_S = 3.0
"""What is read and dropped of a body before its request is refused: a client that reads no answer before its body has
left, such as Python's urllib, would find the connection reset instead. A longer one is refused at once."""

MOST_DROPS = 16
MOST_DROPS_OF_ADDRESS = 2
"""Bodies that are dropped at once; where there are more, the others are refused at once."""

_MOST_DIGITS = 15


def declared_bytes(headers: Mapping[str, str]) -> int:
    """Return the size that a body's head says, 0 without one.

    More digits than any size has are a size above all bounds: Python reads no number of over 4,300 digits, and the
    parser takes leading zeros without end.
    """
    digits = headers.get("content-length", "").strip().lstrip("0")[: _MOST_DIGITS + 1]
    if not digits:
        return 0
    return int(digits) if digits.isascii() and digits.isdigit() else sys.maxsize


class TooSlow(LoopwireError):
    """The body did not come in time."""

    code, status, retry, text = "too_slow", 408, True, "This request took too long to arrive."


class Drops:
    """Counts the bodies that are read to be dropped."""

    def __init__(self) -> None:
        self._addresses: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return how many are dropped now."""
        return self._addresses.total()

    @contextmanager
    def place(self, address: str) -> Iterator[bool]:
        """Say whether there is a place for one more body of an address, and keep it."""
        has_place = len(self) < MOST_DROPS and self._addresses[address] < MOST_DROPS_OF_ADDRESS
        self._addresses[address] += has_place
        try:
            yield has_place
        finally:
            self._addresses[address] -= has_place
            self._addresses += Counter()  # Addresses without a body are forgotten.


class Bodies(HeldBytes):
    """Counts the bytes of bodies that have begun to arrive and are not complete."""

    def __init__(self, most_of_caller: int, most: int) -> None:
        super().__init__(most_of_caller, most)
        self.drops = Drops()

    def body(self, scope: Mapping[str, Any], headers: Mapping[str, str], receive: Receive) -> "CountedBody":
        """Watch the body of one request; the caller releases it at the end of the request."""
        path = scope["path"]
        bounds = next((each[1:] for each in BOUNDS if path.startswith(each[0])), (SMALL, SMALL_S))
        if path.startswith("/v1/sessions/") and path.endswith("/files"):
            bounds = WITH_IMAGES, WITH_IMAGES_S
        address = counted_client(scope)
        declared = declared_bytes(headers)
        body = CountedBody(self, receive, address, declared, *bounds)
        body.waits = "expect" in headers
        body.is_long = declared > SMALL or "transfer-encoding" in headers
        return body


class CountedBody:
    """The `receive` of one request, which raises the error of a body that is out of bounds.

    Once the answer has begun, no error can be sent: such a body counts as a client that left.
    """

    def __init__(
        self, bodies: Bodies, receive: Receive, address: str, declared: int, most: int, seconds: float
    ) -> None:
        self._bodies = bodies
        self._receive = receive
        self._address = address
        self._declared = declared
        self._most, self.seconds = most, seconds
        self._until: float | None = None
        self._read = 0
        self._held = 0
        self._complete = False
        self._refused = False
        self.answered = False
        """Whether the answer has begun."""
        self.waits = False
        """Whether the client sends nothing before it is asked to go on."""
        self.is_long = False
        """Whether it may be too long for the buffers of a connection: such a body is read before a refusal is sent."""

    async def __call__(self) -> MutableMapping[str, Any]:
        """Receive the next message. Raises TooLong, TooSlow, RateLimited or Unavailable."""
        if self._complete:
            return await self._receive()
        try:
            return await self._next()
        except LoopwireError:
            if not self.answered:
                raise
            return {"type": "http.disconnect"}

    def release(self) -> None:
        """Give back what is counted; the request is over, or its body is complete."""
        self._complete = True
        held, self._held = self._held, 0
        self._bodies.release(self._address, held)

    async def drop_rest(self) -> None:
        """Read and drop what comes of the body within bounds, before its request is refused; once, and not twice."""
        if self._complete or self._refused or self.answered or self.waits or self._declared > DROPPED_BYTES:
            return
        self._refused = True
        with self._bodies.drops.place(self._address) as has_place:
            if has_place:
                await self._drop()

    async def _next(self) -> MutableMapping[str, Any]:
        if self._declared > self._most:
            await self._refuse(more=True)
        if self._until is None:
            self._until = asyncio.get_running_loop().time() + self.seconds
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError as error:
            self._refused = True
            raise TooSlow from error
        if message["type"] == "http.request":
            more = bool(message.get("more_body", False))
            self._read += len(message.get("body", b""))
            if self._read > self._most:
                await self._refuse(more=more)
            self._hold()
            if not more:
                self.release()
        return message

    async def _refuse(self, *, more: bool) -> NoReturn:
        """Drop what comes of the body within bounds, and refuse it. Raises TooLong."""
        if more:
            await self.drop_rest()
        raise TooLong(f"This is more than {self._most // 1024} KiB.")

    async def _drop(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(DROP_S):
                while self._read <= DROPPED_BYTES:
                    message = await self._receive()
                    self._read += len(message.get("body", b""))
                    if not message.get("more_body", False):
                        return

    def _hold(self) -> None:
        more = max(0, self._read - FREE) - self._held
        if more > 0:
            self._bodies.hold(self._address, more)
            self._held += more
