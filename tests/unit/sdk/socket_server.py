"""A server whose frames a test sends: it keeps each connection and the frames received on it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from loopwire import Chat, connect
from server.protocol import events as ev
from server.protocol.transcript import Transcript

Json = dict[str, Any]
Life = Callable[["Caller"], Awaitable[None]]

SESSION = "ses_1"


@dataclass
class Caller:
    """One connection of a client, and what it said."""

    socket: ServerConnection
    hello: Json = field(default_factory=dict)
    at: float = 0.0
    """The time of the loop at which it connected."""

    async def say(self, *frames: Json | str | bytes) -> None:
        """Send frames; a text is sent as it is."""
        for each in frames:
            await self.socket.send(json.dumps(each) if isinstance(each, dict) else each)

    async def hear(self) -> Json:
        """Take the next frame."""
        frame: Json = json.loads(await self.socket.recv())
        return frame

    async def greet(self, seq: int = 0, *, resumed: bool = False, token: str = "t1") -> None:
        """Welcome it, with a snapshot of nothing unless it is resumed, and the queue."""
        await self.say(welcome(seq, resumed=resumed, token=token))
        if not resumed:
            await self.say(snapshot(seq))
        await self.say({"type": "queue", "items": []})

    async def cut(self) -> None:
        """End the connection without a word, behind what was sent."""
        self.socket.transport.close()
        await self.socket.wait_closed()

    async def stay(self) -> None:
        """Take what comes until the client leaves."""
        while True:
            await self.socket.recv()


@dataclass
class SocketServer:
    """The server to which clients connect."""

    url: str = ""
    callers: list[Caller] = field(default_factory=list)
    tickets: int = 0
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def take(self, caller: Caller) -> int:
        """Note one more connection, and return how many there were."""
        caller.at = asyncio.get_running_loop().time()
        async with self._changed:
            self.callers.append(caller)
            self._changed.notify_all()
            return len(self.callers)

    async def moments(self, count: int) -> list[float]:
        """Wait for so many connections, and return the time of each."""
        async with asyncio.timeout(100_000), self._changed:
            await self._changed.wait_for(lambda: len(self.callers) >= count)
        return [each.at for each in self.callers]

    def chat(self, **options: Any) -> Chat:
        """Return a client whose tickets are counted here."""

        async def mint(session: str | None) -> Json:
            self.tickets += 1
            return {"ticket": f"ticket {self.tickets}", "session_id": session or SESSION}

        return connect(self.url, token=mint, **options)


@asynccontextmanager
async def socket_server(*lives: Life) -> AsyncIterator[SocketServer]:
    """Open one: the first life is for the first connection, the last one for all that come later."""
    opened = SocketServer()

    async def take(socket: ServerConnection) -> None:
        caller = Caller(socket)
        number = await opened.take(caller)
        life = lives[min(number, len(lives)) - 1]
        try:
            caller.hello = await caller.hear()
            await life(caller)
        except ConnectionClosed:
            pass

    async with serve(take, "127.0.0.1", 0, subprotocols=["loopwire.v1"]) as server:
        opened.url = f"http://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"
        yield opened


def welcome(seq: int, *, resumed: bool, token: str = "t1") -> Json:
    """Return the first frame."""
    said = {"type": "welcome", "session_id": SESSION, "epoch": "a.1", "seq": seq, "resumed": resumed}
    return {**said, "heartbeat_ms": 15000, "resume_window": 120, "resume_token": token}


def snapshot(seq: int, events: list[Json] | None = None) -> Json:
    """Return a snapshot of what events come to."""
    transcript = Transcript()
    for event in events or []:
        transcript.apply(event)
    return {"type": "snapshot", "epoch": "a.1", "seq": seq, "events": transcript.snapshot_events(SESSION)}


def numbered(events: list[Json], first: int = 1) -> list[Json]:
    """Events as they come, from this number on."""
    return [{"seq": seq, "event": event} for seq, event in enumerate(events, first)]


def answer(run_id: str = "run_1", words: str = "Hello there.", client_id: str = "m1") -> list[Json]:
    """Return the events of an answer, one for each word."""
    pieces = words.split(" ")
    deltas = [f"{each} " for each in pieces[:-1]] + pieces[-1:]
    return [
        ev.run_started(SESSION, run_id),
        ev.text_start(f"usr_{run_id}", "user", client_id=client_id),
        ev.text_content(f"usr_{run_id}", "Hi"),
        ev.text_end(f"usr_{run_id}"),
        ev.text_start(f"msg_{run_id}", "assistant"),
        *(ev.text_content(f"msg_{run_id}", each) for each in deltas),
        ev.text_end(f"msg_{run_id}"),
        ev.run_finished(SESSION, run_id),
    ]


def ack(frame: Json, run_id: str = "run_1", **more: Any) -> Json:
    """Return the ack of a message."""
    return {"type": "ack", "id": frame["id"], "run_id": run_id, "message_id": f"usr_{run_id}", **more}
