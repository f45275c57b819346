"""The plain way over two instances: Starlette and redis-py's publish and subscribe as their documentation shows them.

`python -m bench.fleet.plain PORT`: the same program on both sides, spoken to as the floor is. It takes the text out of
the model's bytes as the floor does, since only the way between two instances is compared. It keeps nothing.
"""

import asyncio
import os
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import redis.asyncio
import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from bench.floor import Upstream, connect

client = redis.asyncio.Redis.from_url(os.environ["REDIS_URL"])
pubsub = client.pubsub()
watchers: dict[str, set[WebSocket]] = defaultdict(set)
confirmed: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
HEARTH = "hearth"
"""A channel for the subscribed connection to exist."""


class Answer(Upstream):
    """One request to the model; its text waits in a queue for its publisher."""

    def __init__(self, request: bytes) -> None:
        """Have heard nothing."""
        super().__init__(None, request)  # type: ignore[arg-type]  # Nobody is told from here.
        self.turn_text: asyncio.Queue[bytes] = asyncio.Queue()

    def send(self, text: bytes) -> None:
        """Keep a text."""
        self.turn_text.put_nowait(text)


async def talk(socket: WebSocket) -> None:
    """Publish the answers to every text frame."""
    await socket.accept()
    model = urlsplit(os.environ["OPENAI_BASE_URL"])
    try:
        while True:
            channel, _, prompt = (await socket.receive_text()).partition(" ")
            body = f'{{"model": "m", "input": "{prompt}", "stream": true}}'
            answer = Answer(
                f"POST /v1/responses HTTP/1.1\r\nHost: {model.hostname}\r\nAuthorization: Bearer k\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
            )
            await connect(answer, model.hostname or "", model.port or 80)
            text = b""
            while text != b"\x00end":
                text = await answer.turn_text.get()
                await client.publish(channel, text)
    except WebSocketDisconnect:
        return


async def watch(socket: WebSocket) -> None:
    """Get what is published on a channel."""
    await socket.accept()
    channel = socket.path_params["channel"]
    watchers[channel].add(socket)
    await pubsub.subscribe(channel)
    await confirmed[channel].wait()
    await socket.send_text("\x00ready")
    try:
        await socket.receive_text()
    except WebSocketDisconnect:
        watchers[channel].discard(socket)


async def hear() -> None:
    """Pass on what is published."""
    async for message in pubsub.listen():
        channel = message["channel"].decode()
        if message["type"] == "subscribe":
            confirmed[channel].set()
        elif message["type"] == "message":
            text = message["data"].decode()
            for each in tuple(watchers[channel]):
                await each.send_text(text)


@asynccontextmanager
async def hearing(_app: Starlette) -> AsyncIterator[None]:
    """Hear for as long as the server runs."""
    await pubsub.subscribe(HEARTH)
    task = asyncio.create_task(hear())
    yield
    task.cancel()


app = Starlette(routes=[WebSocketRoute("/ws", talk), WebSocketRoute("/{channel}", watch)], lifespan=hearing)

if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False)
