"""A stream in place of a socket: events are read from it, commands are posted beside it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2

from tests.integration.ws.visitor import PATIENCE_S, Frame, Talk


@dataclass
class Line:
    """One open stream and the commands sent with it."""

    http: httpx2.AsyncClient
    response: httpx2.Response
    session: str
    stack: AsyncExitStack
    token: str = ""
    ids: list[tuple[str | None, Frame]] = field(default_factory=list)
    """Every event with its id."""
    comments: int = 0
    retry: int = 0
    _arrived: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    _lines: AsyncIterator[str] | None = None

    async def recv(self) -> str:
        """Give the next frame of the stream, or the answer to what was posted."""
        if not self._arrived.empty():
            return self._arrived.get_nowait()
        return await self._event()

    async def send(self, text: str) -> None:
        """Post a frame; its answer comes as a frame, as it would on a socket."""
        answer = await self.post(json.loads(text))
        await self._arrived.put(answer.text)

    async def post(self, frame: Any, **headers: str) -> httpx2.Response:
        """Post a frame and give the answer."""
        own = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        body = frame if isinstance(frame, bytes) else json.dumps(frame).encode()
        path = f"/v1/sessions/{self.session}/commands"
        return await self.http.post(path, content=body, headers={**own, **headers})

    async def close(self) -> None:
        """Leave."""
        await self.stack.aclose()

    async def _event(self) -> str:
        if self._lines is None:
            self._lines = self.response.aiter_lines()
        event_id, data = None, ""
        async for line in self._lines:
            name, _, value = line.partition(": ")
            if name == "id":
                event_id = value
            elif name == "data":
                data = value
            elif name == "retry":
                self.retry = int(value)
            elif line.startswith(":"):
                self.comments += 1
            elif not line and data:
                frame = json.loads(data)
                self.ids.append((event_id, frame))
                self.token = frame.get("resume_token", self.token)
                return data
        raise EOFError


@asynccontextmanager
async def lines(url: str) -> AsyncIterator[Any]:
    """Give what opens streams at a server; all are closed at the end."""
    async with AsyncExitStack() as opened:

        async def open_line(
            session: str, credential: str, *, last: str | None = None, query: str = "", **headers: str
        ) -> Line:
            stack = await opened.enter_async_context(AsyncExitStack())
            http = httpx2.AsyncClient(base_url=url, timeout=PATIENCE_S, trust_env=False)
            await stack.enter_async_context(http)
            own = {"authorization": f"Bearer {credential}", **headers}
            if last is not None:
                own["last-event-id"] = last
            asked = http.stream("GET", f"/v1/sessions/{session}/events{query}", headers=own)
            response = await stack.enter_async_context(asked)
            return Line(http, response, session, stack, token=credential)

        yield open_line


async def over_stream(line: Line, **known: Any) -> Talk:
    """Fold a stream as a socket is folded, from its welcome to its queue."""
    assert line.response.status_code == 200, await line.response.aread()
    talk = Talk(line, **known)  # type: ignore[arg-type]
    await talk.until(lambda frame: frame.get("type") == "queue")
    return talk
