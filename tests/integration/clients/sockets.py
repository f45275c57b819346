"""Python's clients at our own wire: three of WebSockets, and one of HTTP alone."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Any
from uuid import uuid4

import aiohttp
import httpx
import requests
import websocket
from websockets.asyncio.client import ClientConnection, connect

from server.protocol.events import ours
from tests.integration.clients.client import Json, Page, Shown
from tests.integration.ws.visitor import Talk
from tests.parts.wait import PATIENCE_S, until_async

PROTOCOL = "loopwire.v1"


class WireClient(ABC):
    """A program that speaks our wire: what it sends, and the fold of what comes. How is the package's."""

    async def open(self, page: Page) -> None:
        """Begin a conversation."""
        self._page = page
        self._called: list[str] = []
        await self._begin({"ticket": (await self.ticket({"service": page.service}))["ticket"]})

    async def say(self, text: str) -> None:
        """Send a message and wait for the end of its run."""
        id = str(uuid4())
        tools = {"tools": [self._page.tool.declared]} if self._page.tool else {}
        await self.send({"type": "message", "id": id, "content": [{"type": "text", "text": text}], **tools})
        await until_async(lambda: self._runs.get(id) in self._ended, what="the answer")

    async def stop(self) -> None:
        """Send a stop."""
        await self.send({"type": "cancel", "id": str(uuid4())})

    async def reload(self) -> None:
        """Come back with the cookie, else with the token of the last welcome."""
        session, token = self._talk.session, self._talk.welcome["resume_token"]
        await self._hang_up()
        if self._page.jar:
            await self._begin({"ticket": (await self.ticket({"session_id": session}))["ticket"]})
        else:
            await self._begin({"resume_token": token})

    async def shows(self) -> Shown:
        """Look at what the frames come to."""
        transcript = self._talk.transcript
        talk = [each for each in transcript.messages if each["role"] in {"user", "assistant"}]
        return Shown(
            said=[(each["role"], each["content"]) for each in talk if each.get("content")],
            blocks=[each["content"] for each in transcript.messages if each.get("activityType") == "block"],
            state=transcript.state,
            session=self._talk.session,
            called=self._called,
        )

    async def aclose(self) -> None:
        """Leave for good."""
        await self._hang_up()
        await self.end()

    async def _hang_up(self) -> None:
        self._reading.cancel()
        with suppress(asyncio.CancelledError):
            await self._reading
        await self.leave()

    async def _begin(self, hello: Json) -> None:
        self._talk = Talk(None)  # type: ignore[arg-type]
        self._runs: dict[str, str] = {}
        self._ended: set[str] = set()
        await self.connect(hello)
        self._reading = asyncio.create_task(self._read())
        await until_async(lambda: self._talk.welcome, what="the welcome")

    async def _read(self) -> None:
        while True:
            frame = await self.receive()
            self._talk.take(frame)
            self.hear(frame)
            for each in [*frame.get("batch", [frame]), *({"event": one} for one in frame.get("events", []))]:
                await self._follow(each.get("event", {}))

    def hear(self, answer: Json) -> None:
        """Take the ack of a frame."""
        assert answer.get("type") != "error", answer
        if answer.get("type") == "ack" and "run_id" in answer:
            self._runs[answer["id"]] = answer["run_id"]

    async def _follow(self, event: Json) -> None:
        if event.get("type") not in {"RUN_FINISHED", "RUN_ERROR"}:
            return
        self._ended.add(event.get("runId") or ours(event)["run_id"])
        for waiting in (event.get("outcome") or {}).get("interrupts", []):
            if self._page.tool and ours(waiting)["kind"] == "tool":
                self._called.append(self._page.tool.declared["name"])
                result = {"tool_call_id": waiting["toolCallId"], "content": self._page.tool.gives}
                await self.send({"type": "tool_result", "id": str(uuid4()), **result})

    @property
    def socket_url(self) -> str:
        """Return where sockets are opened."""
        return self._page.url.replace("http", "ws", 1) + "/ws"

    @abstractmethod
    async def ticket(self, body: Json) -> Json:
        """Ask for a ticket."""

    @abstractmethod
    async def connect(self, hello: Json) -> None:
        """Open the line and introduce oneself."""

    @abstractmethod
    async def send(self, frame: Json) -> None:
        """Send a frame."""

    @abstractmethod
    async def receive(self) -> Json:
        """Wait for the next frame."""

    @abstractmethod
    async def leave(self) -> None:
        """Close the line."""

    @abstractmethod
    async def end(self) -> None:
        """Close what keeps the cookies."""


class Websockets(WireClient):
    """websockets, with httpx for the tickets."""

    def __init__(self) -> None:
        """Keep cookies where the page does."""
        self._jar = httpx.AsyncClient(timeout=PATIENCE_S)

    async def ticket(self, body: Json) -> Json:
        """Ask for a ticket."""
        if not self._page.jar:
            self._jar.cookies.clear()
        answer = await self._jar.post(f"{self._page.url}/v1/tickets", json=body)
        found: Json = answer.raise_for_status().json()
        return found

    async def connect(self, hello: Json) -> None:
        """Open a socket."""
        self._socket: ClientConnection = await connect(
            self.socket_url,
            subprotocols=[PROTOCOL],  # type: ignore[list-item]
            open_timeout=PATIENCE_S,
        )
        await self.send(hello | {"type": "hello"})

    async def send(self, frame: Json) -> None:
        """Send a frame."""
        await self._socket.send(json.dumps(frame))

    async def receive(self) -> Json:
        """Wait for the next frame."""
        frame: Json = json.loads(await self._socket.recv())
        return frame

    async def leave(self) -> None:
        """Close the socket."""
        await self._socket.close()

    async def end(self) -> None:
        """Close the jar."""
        await self._jar.aclose()


class WebsocketClient(WireClient):
    """websocket-client, which sends the server's own Origin, with requests for the tickets."""

    def __init__(self) -> None:
        """Keep cookies where the page does."""
        self._jar = requests.Session()

    async def ticket(self, body: Json) -> Json:
        """Ask for a ticket."""
        post = self._jar.post if self._page.jar else requests.post
        answer = await asyncio.to_thread(post, f"{self._page.url}/v1/tickets", json=body)
        answer.raise_for_status()
        found: Json = answer.json()
        return found

    async def connect(self, hello: Json) -> None:
        """Open a socket."""
        opened = asyncio.to_thread(websocket.create_connection, self.socket_url, subprotocols=[PROTOCOL])
        self._socket: Any = await opened
        await self.send(hello | {"type": "hello"})

    async def send(self, frame: Json) -> None:
        """Send a frame."""
        await asyncio.to_thread(self._socket.send, json.dumps(frame))

    async def receive(self) -> Json:
        """Wait for the next frame; the thread that waits ends with the socket."""
        frame: Json = json.loads(await asyncio.to_thread(self._socket.recv))
        return frame

    async def leave(self) -> None:
        """Wake the thread that waits for a frame, and close the socket."""
        self._socket.abort()
        self._socket.shutdown()

    async def end(self) -> None:
        """Close the jar."""
        self._jar.close()


class Aiohttp(WireClient):
    """aiohttp, whose session has a jar of its own."""

    async def ticket(self, body: Json) -> Json:
        """Ask for a ticket."""
        if not hasattr(self, "_session"):
            jar = (
                aiohttp.CookieJar(unsafe=True) if self._page.jar else aiohttp.DummyCookieJar()
            )  # An IP address.
            self._session = aiohttp.ClientSession(self._page.url, cookie_jar=jar)
        async with self._session.post("/v1/tickets", json=body, raise_for_status=True) as answer:
            found: Json = await answer.json()
            return found

    async def connect(self, hello: Json) -> None:
        """Open a socket."""
        self._socket = await self._session.ws_connect("/ws", protocols=[PROTOCOL])
        await self.send(hello | {"type": "hello"})

    async def send(self, frame: Json) -> None:
        """Send a frame."""
        await self._socket.send_json(frame)

    async def receive(self) -> Json:
        """Wait for the next frame."""
        frame: Json = await self._socket.receive_json()
        return frame

    async def leave(self) -> None:
        """Close the socket."""
        await self._socket.close()

    async def end(self) -> None:
        """Close the jar."""
        await self._session.close()


class Requests(WireClient):
    """requests, without a socket: the stream of events, and commands as posts."""

    def __init__(self) -> None:
        """Keep cookies where the page does."""
        self._jar = requests.Session()

    async def ticket(self, body: Json) -> Json:
        """Ask for a ticket."""
        ticket = await asyncio.to_thread(self._posted, "/v1/tickets", body)
        self._path = f"/v1/sessions/{ticket['session_id']}"
        return ticket

    async def connect(self, hello: Json) -> None:
        """Open the stream."""
        self._bearer = {"authorization": f"Bearer {hello.get('ticket') or hello['resume_token']}"}
        url = f"{self._page.url}{self._path}/events"
        self._stream = await asyncio.to_thread(requests.get, url, headers=self._bearer, stream=True)
        self._stream.raise_for_status()
        self._lines = self._stream.iter_lines(chunk_size=1)

    async def send(self, frame: Json) -> None:
        """Post a command with the cookie, else with the token of the welcome."""
        self._bearer = (
            {} if self._page.jar else {"authorization": f"Bearer {self._talk.welcome['resume_token']}"}
        )
        self.hear(await asyncio.to_thread(self._posted, f"{self._path}/commands", frame))

    async def receive(self) -> Json:
        """Wait for the next frame."""
        return await asyncio.to_thread(self._next)

    async def leave(self) -> None:
        """Close the stream, whose thread waits for the next line or for its end."""
        self._stream.raw.shutdown()
        self._stream.close()

    async def end(self) -> None:
        """Close the jar."""
        self._jar.close()

    def _posted(self, path: str, body: Json) -> Json:
        post = self._jar.post if self._page.jar else requests.post
        answer = post(self._page.url + path, json=body, headers=getattr(self, "_bearer", {}))
        answer.raise_for_status()
        found: Json = answer.json()
        return found

    def _next(self) -> Json:
        found = next(line for line in self._lines if line.startswith(b"data: "))
        frame: Json = json.loads(found.removeprefix(b"data: "))
        return frame
