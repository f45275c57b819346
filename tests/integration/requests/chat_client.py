"""A socket of Deep Chat as the element opens it: one JSON text a message, one or more for its answer."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import unescape
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.parts.server import Served

PATIENCE_S = 60
BASE = {
    "loopos_core_base_url": "https://core.shop.example/",
    "loopos_submission_base_url": "https://submission.shop.example/",
}
BUTTON = re.compile(r'<button class="deep-chat-button deep-chat-suggestion-button">(.*?)</button>')


def body_of(text: str, name: str = "", **more: Any) -> dict[str, Any]:
    """Return what the element sends for a message."""
    named = {"session_id": name} if name else {}
    return {"messages": [{"role": "user", "text": text}], **BASE, **named, **more}


def buttons(told: list[dict[str, Any]]) -> list[str]:
    """Return the labels that can be clicked."""
    return [unescape(each) for message in told for each in BUTTON.findall(message.get("html", ""))]


@dataclass
class ChatTalk:
    """An open socket."""

    socket: ClientConnection

    async def send(self, body: object) -> None:
        """Send something; what is no text or bytes as JSON."""
        await self.socket.send(body if isinstance(body, str | bytes) else json.dumps(body))

    async def told(self) -> list[dict[str, Any]]:
        """Take the next frame as a list of responses."""
        frame = json.loads(await asyncio.wait_for(self.socket.recv(), PATIENCE_S))
        return frame if isinstance(frame, list) else [frame]

    async def say(self, text: str, name: str = "", **more: Any) -> list[dict[str, Any]]:
        """Send a message and take its answer."""
        await self.send(body_of(text, name, **more))
        return await self.told()

    async def refused(self, body: object) -> dict[str, Any]:
        """Send something and take the error that it gets."""
        await self.send(body)
        (told,) = await self.told()
        assert isinstance(told["error"], str)
        return told

    async def closed(self) -> int:
        """Take frames until the socket ends; return its close code."""
        async with asyncio.timeout(PATIENCE_S):
            try:
                while True:
                    await self.socket.recv()
            except ConnectionClosed:
                return int(self.socket.close_code or 0)


@asynccontextmanager
async def chat_socket(
    served: Served, *, headers: Mapping[str, str] | None = None, **options: Any
) -> AsyncIterator[ChatTalk]:
    """Open a socket at /chat for as long as the context lasts."""
    own = {"origin": served.url, "proxy": None, "open_timeout": PATIENCE_S, "ping_interval": None, **options}
    url = served.url.replace("http", "ws", 1) + "/chat"
    async with connect(url, additional_headers=dict(headers or {}), **own) as socket:
        yield ChatTalk(socket)
