"""The two ways of a tab to the server: a socket, or a stream of server-sent events with commands posted beside it."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any, Protocol

import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from server.tasks import Tasks

Frame = dict[str, Any]

PING_S = 8.0
HELLO_S = 10.0
POST_S = 10.0
STREAM_SILENT_S = 25.0
"""A stream says at least a comment every 15 seconds."""

LOST = 1006
LATER_S = 1.0


class Ended(Exception):
    """The line has ended, with a close code."""

    def __init__(self, code: int = LOST) -> None:
        """Keep the code."""
        super().__init__(code)
        self.code = code


class Line(Protocol):
    """An open way."""

    async def receive(self) -> Frame:
        """Return the next frame; raises Ended."""

    async def send(self, frame: Frame) -> None:
        """Say something; whether it arrived is told by an answer or by none."""

    def deaf(self, on: bool) -> None:
        """Read nothing, as a page does that hangs."""

    def abort(self) -> None:
        """Tear it."""

    async def aclose(self) -> None:
        """End it and what belongs to it."""


class Socket:
    """A WebSocket."""

    def __init__(self, socket: ClientConnection) -> None:
        """Take an open one."""
        self._socket = socket

    @classmethod
    async def open(cls, url: str, headers: dict[str, str], hello: Frame) -> Socket:
        """Connect and say hello."""
        try:
            socket = await connect(
                url.replace("http", "ws", 1) + "/ws",
                additional_headers={"x-forwarded-for": headers["x-forwarded-for"]},
                origin=headers["origin"],  # type: ignore[arg-type]  # any text
                subprotocols=["loopwire.v1"],  # type: ignore[list-item]  # any text
                max_size=None,
                proxy=None,
                open_timeout=HELLO_S,
                ping_interval=PING_S,
                ping_timeout=PING_S,
                close_timeout=1,
            )
        except (OSError, TimeoutError, InvalidHandshake, EOFError) as error:
            raise Ended from error
        line = cls(socket)
        await line.send({"type": "hello", "v": 1, **hello})
        return line

    async def receive(self) -> Frame:
        """Return the next frame."""
        try:
            frame: Frame = json.loads(await self._socket.recv())
        except ConnectionClosed as error:
            raise Ended(int(self._socket.close_code or LOST)) from error
        return frame

    async def send(self, frame: Frame) -> None:
        """Write it."""
        with suppress(ConnectionClosed, OSError):
            await self._socket.send(json.dumps(frame))

    def deaf(self, on: bool) -> None:
        """Stop reading, or go on."""
        transport = self._socket.transport
        if not transport.is_closing():
            transport.pause_reading() if on else transport.resume_reading()

    def abort(self) -> None:
        """RST or so."""
        self._socket.transport.abort()

    async def aclose(self) -> None:
        """Tear it; there is nothing else."""
        self.abort()


class Stream:
    """Server-sent events, and a POST for each command, to whichever instance."""

    def __init__(self, url: str, session: str, headers: dict[str, str]) -> None:
        """Prepare."""
        self._url = f"{url}/v1/sessions/{session}"
        self._headers = headers
        self._token = ""
        self._tasks = Tasks()
        self._arrived: asyncio.Queue[Frame | Ended] = asyncio.Queue()
        self._posting = asyncio.Lock()
        self._hears = asyncio.Event()
        self._hears.set()

    @classmethod
    async def open(cls, url: str, headers: dict[str, str], hello: Frame, session: str) -> Stream:
        """Ask for the stream; what the answer is comes by `receive`."""
        line = cls(url, session, headers)
        line._token = hello.get("ticket") or hello["resume_token"]
        own = {**headers, "authorization": f"Bearer {line._token}"}
        if "last_seq" in hello:
            own["last-event-id"] = f"{hello['epoch']}-{hello['last_seq']}"
        line._tasks.spawn(line._read(own), name="stream")
        return line

    async def receive(self) -> Frame:
        """Return the next event, or the answer to a command."""
        found = await self._arrived.get()
        if isinstance(found, Ended):
            raise found
        return found

    async def send(self, frame: Frame) -> None:
        """Post it, without waiting."""
        self._tasks.spawn(self._post(frame), name="post")

    def deaf(self, on: bool) -> None:
        """Stop reading, or go on."""
        self._hears.clear() if on else self._hears.set()

    def abort(self) -> None:
        """Tear it."""
        self._arrived.put_nowait(Ended())

    async def aclose(self) -> None:
        """End the stream and what was being posted."""
        await self._tasks.aclose()

    async def _read(self, headers: dict[str, str]) -> None:
        code = LOST
        try:
            timeout = httpx2.Timeout(HELLO_S, read=STREAM_SILENT_S)
            async with (
                httpx2.AsyncClient(trust_env=False, verify=False, timeout=timeout) as client,
                client.stream("GET", f"{self._url}/events", headers=headers) as response,
            ):
                code = {200: LOST, 401: 4401}.get(response.status_code, 1013)
                async for line in response.aiter_lines():
                    await self._hears.wait()
                    if line.startswith("data: ") and response.status_code == 200:
                        code = self._heard(json.loads(line[6:])) or code
        except (httpx2.HTTPError, OSError):
            pass
        finally:
            self._arrived.put_nowait(Ended(code))

    def _heard(self, frame: Frame) -> int | None:
        """Take an event; gives the code when it is the last."""
        if frame.get("type") == "close":
            return int(frame["code"])
        self._token = frame.get("resume_token", self._token)
        self._arrived.put_nowait(frame)
        return None

    async def _post(self, frame: Frame) -> None:
        try:
            # One after the other, as on a socket.
            async with (
                self._posting,
                httpx2.AsyncClient(trust_env=False, verify=False, timeout=POST_S) as client,
            ):
                headers = {**self._headers, "authorization": f"Bearer {self._token}"}
                answer = await client.post(f"{self._url}/commands", json=frame, headers=headers)
            # What is refused before it is read answers no id; that it answers this one is known here.
            told: Frame = {"id": frame.get("id"), **_as_frame(answer.json())}
        except (httpx2.HTTPError, OSError, ValueError):
            told = {"id": frame.get("id"), **_UNAVAILABLE}
        if told.get("code") == "unauthorized":  # The token has run out: there will be another one.
            told |= {"retry": True}
        self._arrived.put_nowait(told)


_UNAVAILABLE: Frame = {"type": "error", "code": "unavailable", "retry": True}


def _as_frame(answer: Frame) -> Frame:
    """Return the frame of an answer; that of a process that is only starting is the error `unavailable`."""
    return answer if "type" in answer else _UNAVAILABLE
