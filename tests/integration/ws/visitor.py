"""A visitor with a cookie, who gets tickets over HTTP and sends messages over a WebSocket."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from server.protocol.transcript import Transcript
from tests.parts.server import Served

PATIENCE_S = 60
Frame = dict[str, Any]


@dataclass
class Answer:
    """An answer over HTTP."""

    status: int
    headers: Any
    body: Any


@dataclass
class Visitor:
    """One browser."""

    served: Served
    cookie: str = ""
    sockets: list[ClientConnection] = field(default_factory=list)

    def stranger(self) -> Visitor:
        """Return another browser, whose sockets end with this one's."""
        return Visitor(self.served, sockets=self.sockets)

    async def aclose(self) -> None:
        """Close every socket that was opened."""
        for each in self.sockets:
            each.transport.abort()
            await each.wait_closed()

    def request(
        self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None
    ) -> Answer:
        """Ask over HTTP; a body that is bytes is sent as it is."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        own = {"content-type": "application/json", "origin": self.served.url, "cookie": self.cookie}
        request = urllib.request.Request(
            self.served.url + path, data=data, method=method, headers={**own, **(headers or {})}
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
                return self._answer(response)
        except urllib.error.HTTPError as error:
            with error:
                return self._answer(error)

    def ticket(self, **body: Any) -> Frame:
        """Get a ticket; the cookie is kept."""
        answer = self.request("POST", "/v1/tickets", body)
        assert answer.status == 200, answer.body
        ticket: Frame = answer.body
        return ticket

    async def open(
        self, *, html: bool = False, session: str | None = None, hello: Frame | None = None
    ) -> Talk:
        """Open a socket and say hello; with `hello` that is what is said, else a new ticket is used."""
        if hello is None or not {"ticket", "resume_token"} & set(hello):
            ticket = self.ticket(**({"session_id": session} if session else {}))
            hello = {**(hello or {}), "ticket": ticket["ticket"]}
        socket = await self.socket(html=html)
        await socket.send(json.dumps({"type": "hello", **hello}))
        talk = Talk(socket)
        await talk.until(lambda frame: frame.get("type") == "queue")
        return talk

    async def socket(self, *, html: bool = False, **options: Any) -> ClientConnection:
        """Open a socket and say nothing."""
        protocols = ["loopwire.v1.html" if html else "loopwire.v1"]
        own = {"origin": self.served.url, "subprotocols": protocols, "max_size": None, "proxy": None}
        own |= {"open_timeout": PATIENCE_S, "ping_interval": None}
        socket = await connect(self.served.ws_url, **{**own, **options})
        self.sockets.append(socket)
        return socket

    def _answer(self, response: Any) -> Answer:
        cookie = (response.headers["set-cookie"] or "").partition(";")[0]
        self.cookie = cookie or self.cookie
        raw = response.read()
        body = json.loads(raw) if response.headers.get_content_type() == "application/json" else raw
        return Answer(response.status, response.headers, body)


@dataclass
class Talk:
    """An introduced socket: what came, folded as a client does."""

    socket: ClientConnection
    frames: list[Frame] = field(default_factory=list)
    welcome: Frame = field(default_factory=dict)
    transcript: Transcript = field(default_factory=Transcript)
    seq: int = 0
    epoch: str = ""
    asked: str = ""

    @property
    def session(self) -> str:
        """Return the session that the welcome named."""
        return str(self.welcome["session_id"])

    async def receive(self) -> Frame:
        """Take the next frame."""
        frame: Frame = json.loads(await asyncio.wait_for(self.socket.recv(), PATIENCE_S))
        self.take(frame)
        return frame

    def take(self, frame: Frame) -> None:
        """Fold a frame, however it came."""
        self.frames.append(frame)
        for each in frame.get("batch", [frame]):
            self._apply(each)

    async def until(self, found: Callable[[Frame], bool]) -> Frame:
        """Take frames until one fits."""
        while True:
            frame = await self.receive()
            if any(found(each) for each in frame.get("batch", [frame])):
                return frame

    async def event(self, kind: str) -> Frame:
        """Take frames until an event of this kind."""
        return await self.until(lambda frame: frame.get("event", {}).get("type") == kind)

    async def finished(self, run_id: str | None = None) -> None:
        """Take frames until a run (else that of the last ack) has ended; earlier frames may have told it already."""
        while not self.has_ended(run_id or self.asked):
            await self.receive()

    def has_ended(self, run_id: str) -> bool:
        """Return whether a run has ended. A snapshot of what is stored alone names no run, only what runs left."""
        run = self.transcript.run
        if run is None:
            return any(each["role"] != "user" for each in self.transcript.run_messages(run_id))
        return run.id == run_id and run.status != "running"

    async def say(self, text: str, id: str) -> Frame:
        """Send a message and take frames until its ack or error."""
        await self.send({"type": "message", "id": id, "content": [{"type": "text", "text": text}]})
        return await self.until(lambda frame: frame.get("id") == id)

    async def send(self, frame: Frame | str) -> None:
        """Send a frame."""
        await self.socket.send(frame if isinstance(frame, str) else json.dumps(frame))

    async def closed(self) -> int:
        """Take frames until the socket closes, and return the code."""
        try:
            while True:
                await self.receive()
        except Exception as error:
            if isinstance(error, TimeoutError):
                raise
        return int(self.socket.close_code or 0)

    def _apply(self, frame: Frame) -> None:
        if frame.get("type") == "welcome":
            self.welcome = frame
        elif frame.get("type") == "snapshot":
            self.transcript, self.seq, self.epoch = Transcript(), frame["seq"], frame["epoch"]
            for event in frame["events"]:
                self.transcript.apply(event)
        elif frame.get("type") == "ack":
            self.asked = frame.get("run_id") or self.asked
        elif "event" in frame:
            assert frame.get("from", frame["seq"]) == self.seq + 1, f"a hole before {frame}"
            self.seq, self.epoch = frame["seq"], frame.get("epoch", self.epoch)
            self.transcript.apply(frame["event"])


async def settled(sender: Talk, *others: Talk) -> None:
    """Wait until all have seen the end of what the sender asked; the sender may be named twice."""
    everybody = [sender, *(each for each in others if each is not sender)]
    await asyncio.gather(*(each.finished(sender.asked) for each in everybody))
