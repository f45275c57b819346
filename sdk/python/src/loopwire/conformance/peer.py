"""A plain client of the wire: tickets, sockets, streams and commands, and nothing that mends what a server does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from loopwire.conformance.faults import Fault, require
from loopwire.conformance.judge import Judge
from loopwire.conformance.schemas import require_valid

Json = dict[str, Any]

MOST_WAIT_S = 120
"""A server that lets a client begin no conversation for longer is not judged."""

MOST_BYTES = 64 * 1024 * 1024


@dataclass
class Talk:
    """One socket: its frames as the judge takes them."""

    socket: ClientConnection
    seconds: float
    judge: Judge = field(default_factory=Judge)
    welcome: Json = field(default_factory=dict)
    frames: list[Json] = field(default_factory=list)

    async def send(self, frame: Json | str) -> None:
        """Send a frame, or a text as it is."""
        await self.socket.send(frame if isinstance(frame, str) else json.dumps(frame))

    async def receive(self) -> Json:
        """Take the next frame. Raises Fault where none comes."""
        try:
            text = await asyncio.wait_for(self.socket.recv(), self.seconds)
        except TimeoutError:
            raise Fault(f"no frame was received within {self.seconds:g} s") from None
        except ConnectionClosed as closed:
            raise Fault(f"the socket was closed with {closed.rcvd.code if closed.rcvd else 1006}") from None
        frame: Json = json.loads(text)
        if not self.frames:
            require(frame.get("type") in ("welcome", "error"), "the first frame is no welcome")
        self.frames.append(frame)
        if frame.get("type") == "welcome":
            self.welcome = frame
        self.judge.take(frame)
        return frame

    async def until(self, found: Callable[[Json], bool]) -> Json:
        """Take frames until one fits."""
        while True:
            frame = await self.receive()
            if found(frame):
                return frame

    async def say(self, text: str, id: str) -> Json:
        """Send a message, and return its ack or error."""
        await self.send({"type": "message", "id": id, "content": [{"type": "text", "text": text}]})
        return await self.until(lambda frame: frame.get("id") == id)

    async def until_ended(self, run_id: str) -> None:
        """Take frames until this run has ended."""
        while run_id not in self.judge.ended:
            await self.receive()

    async def close_code(self) -> int:
        """Wait until the server closes the socket, and return its code."""
        try:
            while True:
                await asyncio.wait_for(self.socket.recv(), self.seconds)
        except TimeoutError:
            raise Fault(f"the socket was not closed within {self.seconds:g} s") from None
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else 1006


class Peer:
    """One visitor at a server."""

    def __init__(self, url: str, *, service: str | None, text: str, seconds: float) -> None:
        """Begin conversations with `service`, say `text`, and wait for anything for so many seconds."""
        self.url = url.rstrip("/")
        self.text = text
        self.seconds = seconds
        self._service = service
        self.http = httpx2.AsyncClient(base_url=self.url, timeout=seconds)

    async def aclose(self) -> None:
        """Close the connections for requests."""
        await self.http.aclose()

    async def ticket(self, session: str | None = None) -> tuple[str, str]:
        """Return a ticket and its session, a new one where none is named."""
        body = {"session_id": session} if session else ({"service": self._service} if self._service else {})
        response = await self._ask_for_ticket(body)
        require(response.status_code == 200, f"POST /v1/tickets answers {response.status_code}")
        given = response.json()
        for name in ("ticket", "session_id"):
            require(isinstance(given.get(name), str), f"a ticket has no {name}")
        return given["ticket"], given["session_id"]

    async def _ask_for_ticket(self, body: Json) -> httpx2.Response:
        """Ask, and once more where the server says when: the checks begin more conversations than a person does."""
        while True:
            response = await self.http.post("/v1/tickets", json=body)
            wait = response.headers.get("retry-after", "")
            if response.status_code != 429 or not wait.isdecimal() or int(wait) > MOST_WAIT_S:
                return response
            await asyncio.sleep(int(wait))

    @asynccontextmanager
    async def socket(self) -> AsyncIterator[Talk]:
        """Open a socket, and say nothing."""
        address = "ws" + self.url.removeprefix("http") + "/ws"
        async with connect(address, subprotocols=["loopwire.v1"], max_size=MOST_BYTES) as socket:  # type: ignore[list-item]
            yield Talk(socket, self.seconds)

    @asynccontextmanager
    async def talk(
        self, session: str | None = None, *, hello: Json | None = None, before: Judge | None = None
    ) -> AsyncIterator[Talk]:
        """Open a socket with a new ticket, or with `hello`, and take all of its welcome."""
        async with self.socket() as opened:
            said = {"ticket": (await self.ticket(session))[0]} if hello is None else hello
            if before is not None:
                opened.judge.go_on_from(before)
            await opened.send({"type": "hello", **said})
            await opened.until(lambda frame: frame.get("type") == "queue")
            yield opened

    async def messages(self, session: str) -> list[Json]:
        """Return the newest stored messages."""
        response = await self.http.get(f"/v1/sessions/{session}/messages")
        require(response.status_code == 200, f"GET messages answers {response.status_code}")
        found: list[Json] = response.json()["messages"]
        return found

    async def events(
        self, session: str, bearer: str, last: str | None = None
    ) -> AsyncIterator[tuple[str | None, Json]]:
        """Yield the id and the frame of each event of a stream."""
        headers = {"authorization": f"Bearer {bearer}", **({"last-event-id": last} if last else {})}
        async with self.http.stream("GET", f"/v1/sessions/{session}/events", headers=headers) as response:
            require(response.status_code == 200, f"GET events answers {response.status_code}")
            id = None
            async for line in response.aiter_lines():
                name, _, value = line.partition(":")
                if name == "id":
                    id = value.strip()
                elif name == "data":
                    frame: Json = json.loads(value)
                    require_valid("ServerFrame", frame)
                    yield id, frame
                elif not line:
                    id = None
