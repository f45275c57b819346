"""A reader of a session's log by Durable Streams: plain requests, and the tokens of the answers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx2

Json = dict[str, Any]


@dataclass
class LogClient:
    """One reader: each request shows the token of the answer before."""

    http: httpx2.AsyncClient
    session: str
    credential: str
    offsets: list[str] = field(default_factory=list)
    """Those of the server, in the order of the answers."""

    def _request(self, headers: dict[str, str], **query: Any) -> dict[str, Any]:
        own = {"authorization": f"Bearer {self.credential}", **headers}
        return {"url": f"/v1/sessions/{self.session}/log", "params": query, "headers": own}

    async def get(
        self,
        offset: str | None = "-1",
        *,
        method: str = "GET",
        headers: dict[str, str] | None = None,
        **query: Any,
    ) -> httpx2.Response:
        """Ask once."""
        asked = {**({} if offset is None else {"offset": offset}), **query}
        response = await self.http.request(method, **self._request(headers or {}, **asked))
        self._note(response)
        return response

    async def read(self, offset: str = "-1", **query: Any) -> list[Json]:
        """Give the items after an offset."""
        response = await self.get(offset, **query)
        assert response.status_code == 200, response.text
        items: list[Json] = response.json()
        return items

    async def events(self, offset: str) -> AsyncIterator[tuple[list[Json], Json]]:
        """Give the items of a stream, with what is told of the place after them."""
        async with self.http.stream("GET", **self._request({}, offset=offset, live="sse")) as response:
            assert response.status_code == 200, await response.aread()
            assert response.headers["content-type"] == "text/event-stream"
            assert "no-store" in response.headers["cache-control"]
            self._note(response)
            kind, items = "", []
            async for line in response.aiter_lines():
                name, _, value = line.partition(":")
                if name == "event":
                    kind = value.strip()
                elif name == "data" and kind == "data":
                    items = json.loads(value)
                elif name == "data" and kind == "control":
                    told = json.loads(value)
                    self.offsets.append(told["streamNextOffset"])
                    yield items, told
                    items = []
                elif not line:
                    kind = ""

    def _note(self, response: httpx2.Response) -> None:
        self.credential = response.headers.get("x-loopwire-resume-token", self.credential)
        if offset := response.headers.get("stream-next-offset"):
            self.offsets.append(offset)


def seqs(items: list[Json]) -> list[int]:
    """Return the numbers of events."""
    return [each["seq"] for each in items]


def has_end(items: list[Json]) -> bool:
    """Return whether a run ends among these."""
    return any(each.get("event", {}).get("type") in ("RUN_FINISHED", "RUN_ERROR") for each in items)
