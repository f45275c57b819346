"""The faults of the reference server, which the next requests get instead of, or after, their answer."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from tests.parts.wait import paced

Kind = Literal[
    "status", "silent", "cut", "garbage", "huge", "crowded", "drip", "shape", "redirect", "page", "gzip"
]
KINDS = get_args(Kind)
HUGE_BYTES = 8 * 1024 * 1024
SECRET = "upstream-secret-7f3a"
"""Stands in every faulty answer: it must reach neither a browser nor a log."""


@dataclass(frozen=True)
class CoreFault:
    """One kind of trouble.

    status: this status with Retry-After, if told. silent: no byte until the client goes. cut: the request is done
    and its answer breaks off. garbage: no JSON. huge: 8 MiB. crowded: 150,000 lists. drip: a byte at a time,
    without an end. shape: JSON of another shape. redirect: 302. page: a 404 with HTML. gzip: a compressed body.
    """

    kind: Kind
    times: int | None = 1
    """So many requests meet it; None is all until they are cleared."""
    path: str = ""
    """Only requests whose path has this in it."""
    method: str = ""
    status: int = 500
    retry_after: str = ""
    location: str = ""


class CoreFaults:
    """A queue: each request meets the first fault that fits it."""

    def __init__(self) -> None:
        self._waiting: deque[CoreFault] = deque()

    def add(self, fault: CoreFault) -> None:
        """Let it happen from now on."""
        self._waiting.append(fault)

    def clear(self) -> None:
        """Be well again."""
        self._waiting.clear()

    def take(self, method: str, path: str) -> CoreFault | None:
        """Take the fault of a request."""
        for place, fault in enumerate(self._waiting):
            if fault.path in path and fault.method in ("", method):
                if fault.times == 1:
                    del self._waiting[place]
                elif fault.times is not None:
                    self._waiting[place] = replace(fault, times=fault.times - 1)
                return fault
        return None


def faulty_answer(fault: CoreFault) -> Any:
    """Return the ASGI application that answers so."""
    json, again = "application/json", {"retry-after": fault.retry_after} if fault.retry_after else {}
    answers = {
        "status": lambda: Response(f'{{"error": "{SECRET}"}}', fault.status, again, media_type=json),
        "garbage": lambda: Response(f"<html>{SECRET}", 200, media_type=json),
        "huge": lambda: Response(b'{"x": "' + b"x" * HUGE_BYTES + b'"}', 200, media_type=json),
        "crowded": lambda: Response(b"[" + b"[]," * 149_998 + b"[]]", 200, media_type=json),
        "shape": lambda: Response(f'{{"{SECRET}": []}}', 200, media_type=json),
        "redirect": lambda: Response(SECRET, 302, {"location": fault.location}),
        "page": lambda: Response(f"<h1>Not Found {SECRET}</h1>", 404, media_type="text/html"),
        "gzip": lambda: Response(b"\x1f\x8b" + b"0" * 100, 200, {"content-encoding": "gzip"}),
        "drip": lambda: StreamingResponse(_drip(), 200, media_type=json),
        "silent": lambda: _silent,
    }
    return answers[fault.kind]()


async def _drip() -> Any:
    while True:
        yield b" "
        await paced(0.01)


async def _silent(scope: Scope, receive: Receive, send: Send) -> None:
    """Say nothing until the client goes."""
    while (await receive())["type"] != "http.disconnect":
        pass


def cut_short(answer: Response) -> Any:
    """Return an answer that breaks off in its middle."""

    async def send_half(scope: Scope, receive: Receive, send: Send) -> None:
        length = str(len(answer.body)).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", length)]
        await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
        await send({"type": "http.response.body", "body": bytes(answer.body)[: len(answer.body) // 2]})

    return send_half


def fault_of(request: Request, given: dict[str, Any]) -> CoreFault:
    """Return the fault that a body of POST /faults names. Raises ValueError."""
    if given.get("kind") not in KINDS or not set(given) <= set(CoreFault.__dataclass_fields__):
        raise ValueError(f"a fault has a kind, one of {', '.join(KINDS)}")
    return CoreFault(**given)
