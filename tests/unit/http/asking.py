"""A request to an ASGI application without a server, and what it is answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Headers = list[tuple[str, str]]


@dataclass
class Answered:
    """The answer to a request."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


def scope_of(
    method: str, path: str, headers: Headers, host: str | None = "localhost", **more: Any
) -> dict[str, Any]:
    """Return the scope of a request, of this machine unless another host is named."""
    lines = [*([("host", host)] if host is not None else []), *headers]
    return {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "scheme": "http",
        "client": ("192.0.2.1", 5),
        "headers": [(name.encode(), value.encode()) for name, value in lines],
        **more,
    }


async def asked(
    app: Any, method: str, path: str, *headers: tuple[str, str], body: bytes = b"", **more: Any
) -> Answered:
    """Ask once; a header that is answered twice is joined by a comma."""
    answer = Answered()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            for name, value in message["headers"]:
                known = answer.headers.get(name.decode())
                answer.headers[name.decode()] = f"{known}, {value.decode()}" if known else value.decode()
        else:
            answer.body += message.get("body", b"")

    await app(scope_of(method, path, list(headers), **more), receive, send)
    return answer
