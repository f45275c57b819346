"""The dialects of the measured servers: how a conversation is opened and watched, asked, and its text found."""

import asyncio
import itertools
import json
import uuid
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Protocol

import httpx2

from bench.wire import Wire

_AT_ONCE = 8
_addresses = itertools.count(1)


@dataclass(frozen=True)
class Talk:
    """One open conversation: its socket, and what a second socket needs to watch it."""

    wire: Wire
    key: str = ""
    epoch: str = ""
    session_id: str = ""


class Dialect(Protocol):
    """How one server is spoken to."""

    async def open(self, port: int, count: int, *, deflate: bool = False) -> list[Talk]:
        """Open so many conversations, with compression offered or not."""
        ...

    async def watch(self, port: int, talk: Talk, count: int) -> list[Wire]:
        """Watch one conversation with so many sockets."""
        ...

    def question(self, prompt: str) -> str:
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


class FloorDialect:
    """Frames are bare text."""

    async def open(self, port: int, count: int, *, deflate: bool = False) -> list[Talk]:
        """Open sockets."""
        url = f"ws://127.0.0.1:{port}/ws"
        return [Talk(await Wire.open(url, deflate=deflate)) for _ in range(count)]

    async def watch(self, port: int, _talk: Talk, count: int) -> list[Wire]:
        """Open sockets that get what everybody gets."""
        return [await Wire.open(f"ws://127.0.0.1:{port}/watch") for _ in range(count)]

    def question(self, prompt: str) -> str:
        """Return the prompt itself."""
        return prompt

    def ends(self, payload: bytes) -> bool:
        """Return whether this is the mark that ends an answer."""
        return payload == b"\x00end"

    def refused(self, _payload: bytes) -> bool:
        """Return false: this dialect cannot refuse."""
        return False

    def text(self, payload: bytes) -> str:
        """Return all but the mark."""
        return "" if payload == b"\x00end" else payload.decode()


class PlainDialect(FloorDialect):
    """Frames are `{"delta"}` and `{"end"}`."""

    def ends(self, payload: bytes) -> bool:
        """Return whether this is the frame without text."""
        return payload.startswith(b'{"end"')

    def text(self, payload: bytes) -> str:
        """Return the delta."""
        return str(json.loads(payload).get("delta", ""))


class LoopwireDialect:
    """The tickets and frames of `loopwire.v1`; every conversation comes from an address of its own."""

    origin = ""
    """Where the page comes from; the server itself, when it is not said."""
    subprotocol = "loopwire.v1"

    def from_somewhere(self, port: int) -> dict[str, str]:
        """Headers of another visitor. Limits count by address; the load comes through a proxy that is trusted."""
        number = next(_addresses)
        address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        return {"origin": self.origin or f"http://127.0.0.1:{port}", "x-forwarded-for": address}

    async def open(self, port: int, count: int, *, deflate: bool = False) -> list[Talk]:
        """Get tickets as new visitors and say hello with them."""
        no_cookies = CookieJar(policy=DefaultCookiePolicy(allowed_domains=[]))
        gate = asyncio.Semaphore(_AT_ONCE)
        async with httpx2.AsyncClient(cookies=no_cookies, base_url=f"http://127.0.0.1:{port}") as http:

            async def one() -> Talk:
                async with gate:
                    headers = self.from_somewhere(port)
                    body = {"service": "chat", "language": "en"}
                    answer = await http.post("/v1/tickets", json=body, headers=headers)
                    answer.raise_for_status()
                    return await self._hello(port, headers, deflate, ticket=answer.json()["ticket"])

            return await asyncio.gather(*(one() for _ in range(count)))

    async def watch(self, port: int, talk: Talk, count: int) -> list[Wire]:
        """Come to the same session as often as needed."""
        found = [
            await self._hello(port, self.from_somewhere(port), False, resume_token=talk.key)
            for _ in range(count)
        ]
        return [each.wire for each in found]

    async def _hello(self, port: int, headers: dict[str, str], deflate: bool, **permission: str) -> Talk:
        wire = await self.hello(port, headers, deflate=deflate, **permission)
        welcome = next(json.loads(data) for _, data in wire.frames if data.startswith(b'{"type":"welcome"'))
        return Talk(wire, welcome["resume_token"], welcome["epoch"], welcome["session_id"])

    async def hello(
        self, port: int, headers: dict[str, str], *, deflate: bool = False, **said: object
    ) -> Wire:
        """Open a socket, say hello with what is permitted and known, and wait until it is up to date."""
        wire = await Wire.open(
            f"ws://127.0.0.1:{port}/ws",
            origin=headers["origin"],
            subprotocol=self.subprotocol,
            headers={"x-forwarded-for": headers["x-forwarded-for"]},
            deflate=deflate,
        )
        ready = wire.expect(lambda payload: payload.startswith(b'{"type":"queue"'))
        wire.send(json.dumps({"type": "hello", "v": 1, **said}))
        await ready
        return wire

    def question(self, prompt: str) -> str:
        """Return a message."""
        parts = [{"type": "text", "text": prompt}]
        return json.dumps({"type": "message", "id": uuid.uuid4().hex, "content": parts})

    def ends(self, payload: bytes) -> bool:
        """The end of the run, or none at all."""
        return b'"RUN_FINISHED"' in payload or self.refused(payload)

    def refused(self, payload: bytes) -> bool:
        """Return whether the answer ended with an error of the run or of the socket."""
        return b'"RUN_ERROR"' in payload or payload.startswith(b'{"type":"error"')

    def text(self, payload: bytes) -> str:
        """Return the deltas of the answer; the user's own words begin with no digit."""
        body = json.loads(payload)
        events: list[dict[str, Any]] = [each.get("event", {}) for each in body.get("batch", [body])]
        deltas = [each["delta"] for each in events if each.get("type") == "TEXT_MESSAGE_CONTENT"]
        return "".join(each for each in deltas if each[:1].isdigit())


class FragmentsDialect(LoopwireDialect):
    """As the page and the widget speak: every event that changes what is seen brings its HTML."""

    subprotocol = "loopwire.v1.html"
