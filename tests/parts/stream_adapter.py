"""`python -m tests.parts.stream_adapter PORT URL KEY`: the write half of Durable Streams before a server's read half.

Its suite creates streams by PUT and appends by POST. Here a stream is a conversation, and what is appended is a message
of an operator, whose text is the bytes in base64. Reads go to the server's log as they are, with their query and
headers; of an answer only the items become what was appended. A stream closes, expires and forks nowhere.
"""

from __future__ import annotations

import base64
import itertools
import json
import sys
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Any

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

MARK = "="
"""How the text of an appended message begins."""

PASSED = ("etag", "cache-control", "x-content-type-options", "cross-origin-resource-policy", "retry-after")
PREFIXES = ("stream-", "access-control-")
READ = ("if-none-match", "origin", "access-control-request-method", "access-control-request-headers")


@dataclass
class Stream:
    """A stream of the suite."""

    session: str
    media_type: str

    @property
    def is_json(self) -> bool:
        """Return whether it keeps the boundaries of messages."""
        return self.media_type.partition(";")[0].strip().lower() == "application/json"

    def body(self, values: list[bytes]) -> bytes:
        """Return what a read of these messages gives."""
        return b"[" + b",".join(values) + b"]" if self.is_json else b"".join(values)


class Adapter:
    """Its streams, and the server that has them."""

    def __init__(self, url: str, key: str) -> None:
        own = {"authorization": f"Bearer {key}"}
        self._http = httpx2.AsyncClient(base_url=url, headers=own, timeout=60, trust_env=False)
        self._streams: dict[str, Stream] = {}
        self._ids = itertools.count(1)

    async def serve(self, request: Request) -> Response:
        """Answer a request of the suite."""
        stream = self._streams.get(request.url.path)
        if request.method == "PUT":
            return await self._create(request, stream)
        if request.method in ("GET", "HEAD", "OPTIONS"):
            return await self._read(request, stream or Stream("ses_unknown", "text/plain"))
        if stream is None:
            return Response(status_code=404)
        if request.method == "DELETE":
            del self._streams[request.url.path]
            return Response(status_code=204)
        return await self._append(request, stream)

    async def _create(self, request: Request, known: Stream | None) -> Response:
        media_type = request.headers.get("content-type", "application/octet-stream")
        body = await request.body()
        stream = known
        if stream is None:
            begun = await self._http.post("/v1/sessions", json={"service": "chat"})
            stream = self._streams[request.url.path] = Stream(begun.json()["id"], media_type)
            await self._store(stream, messages_of(stream, body))
        headers = {
            "location": str(request.url),
            "content-type": media_type,
            "stream-next-offset": await self._tail(stream),
        }
        return Response(status_code=201 if known is None else 200, headers=headers)

    async def _append(self, request: Request, stream: Stream) -> Response:
        await self._store(stream, messages_of(stream, await request.body()))
        return Response(status_code=204, headers={"stream-next-offset": await self._tail(stream)})

    async def _store(self, stream: Stream, values: Iterable[bytes]) -> None:
        """Say each value in the conversation, and wait until the log has it."""
        for value in values:
            tail = await self._tail(stream)
            said = {"id": f"a{next(self._ids)}", "content": MARK + base64.b64encode(value).decode()}
            ack = await self._http.post(f"/v1/sessions/{stream.session}/messages", json=said)
            assert ack.status_code == 200, ack.text
            run, ended = ack.json()["run_id"], False
            while not ended:
                read = await self._log(stream, offset=tail, live="long-poll")
                items = read.json() if read.status_code == 200 else []
                ended = any(each["event"].get("runId") == run and "FINISHED" in str(each) for each in items)
                tail = read.headers["stream-next-offset"]

    async def _tail(self, stream: Stream) -> str:
        head = await self._http.head(f"/v1/sessions/{stream.session}/log")
        return str(head.headers["stream-next-offset"])

    async def _log(self, stream: Stream, **query: str) -> httpx2.Response:
        return await self._http.get(f"/v1/sessions/{stream.session}/log", params=query)

    async def _read(self, request: Request, stream: Stream) -> Response:
        path = f"/v1/sessions/{stream.session}/log"
        headers = {name: request.headers[name] for name in READ if name in request.headers}
        query = request.url.query
        while True:
            asked = self._http.build_request(request.method, f"{path}?{query}", headers=headers)
            answer = await self._http.send(asked, stream=True)
            told = {
                name: value
                for name, value in answer.headers.items()
                if name in PASSED or name.startswith(PREFIXES)
            }
            if answer.headers.get("content-type", "").startswith("text/event-stream"):
                told["content-type"] = answer.headers["content-type"]
                return StreamingResponse(_events(answer, stream), 200, told)
            body = await answer.aread()
            if answer.status_code == 200:
                told["content-type"] = stream.media_type
            if answer.status_code != 200 or request.method == "HEAD":
                return Response(body, answer.status_code, told)
            values = values_of(json.loads(body))
            if values or "long-poll" not in query:
                return Response(stream.body(values), 200, told)
            # Only the beginning of a message has come: to the suite nothing has.
            query = f"offset={told['stream-next-offset']}&live=long-poll&cursor={told['stream-cursor']}"


async def _events(answer: httpx2.Response, stream: Stream) -> AsyncIterator[bytes]:
    """Give the events of a stream, without those that bring nothing of a message."""
    kind, data, values, is_first = "", b"", None, True
    try:
        async for line in answer.aiter_lines():
            name, _, value = line.partition(":")
            if name == "event":
                kind = value.strip()
            elif name == "data" and kind == "data":
                values = values_of(json.loads(value))
                data = b"event: data\n" + _data_lines(stream.body(values)) if values else b""
            elif name == "data" and kind == "control":
                if values is None or values or is_first:
                    yield data + f"event: control\ndata:{value}\n\n".encode()
                data, values, is_first = b"", None, False
            elif not line:
                kind = ""
    finally:
        await answer.aclose()


def _data_lines(body: bytes) -> bytes:
    lines = body.decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "".join(f"data:{each}\n" for each in lines).encode() + b"\n"


def messages_of(stream: Stream, body: bytes) -> list[bytes]:
    """Return what a body appends: of a JSON array each element."""
    if not stream.is_json:
        return [body] if body else []
    found = json.loads(body) if body else []
    return [json.dumps(each).encode() for each in (found if isinstance(found, list) else [found])]


def values_of(items: list[Any]) -> list[bytes]:
    """Return what was appended, as far as these items tell."""
    texts: list[str] = []
    for item in items:
        for event in item.get("events") or [item["event"]]:
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                texts.append(event["delta"])
            elif event["type"] == "MESSAGES_SNAPSHOT":
                texts += [str(each.get("content")) for each in event["messages"]]
    return [base64.b64decode(each[1:]) for each in texts if each.startswith(MARK)]


def main() -> None:
    """Serve until the process is ended."""
    port, url, key = sys.argv[1:]
    methods = ["GET", "HEAD", "OPTIONS", "PUT", "POST", "DELETE"]
    app = Starlette(routes=[Route("/{path:path}", Adapter(url, key).serve, methods=methods)])
    uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="warning")


if __name__ == "__main__":
    main()
