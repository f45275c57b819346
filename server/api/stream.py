"""A conversation as server-sent events: the frames of a socket, for clients that cannot open one."""

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from contextlib import suppress

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from server.api.sse_writer import SseWriter, event_frame
from server.asgi import Asgi, Receive, Scope, Send
from server.auth import Grant, Origins
from server.endpoints.authorize import admit, hello_of, refusal
from server.errors import BadFrame, Internal, LoopwireError
from server.protocol.commands import Hello
from server.rooms.admission import Admission
from server.rooms.connection import Connection
from server.rooms.frame_writer import Framing
from server.store import SessionOwner
from server.tasks import Tasks

HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"x-accel-buffering", b"no"),
]
UNCACHED = [(b"cache-control", b"no-store")]
FORMATS = {"json": False, "html": True}

log = logging.getLogger(__name__)


def routes(admission: Admission, origins: Origins) -> list[BaseRoute]:
    """GET /v1/sessions/{id}/events, with `?format=html` for fragments beside the events."""

    async def events(request: Request) -> Response | Asgi:
        if request.method == "HEAD":
            raise HTTPException(405)
        try:
            html = FORMATS.get(request.query_params.get("format", "json"))
            if html is None:
                raise BadFrame("format is json or html.")
            hello = hello_of(request)
            grant, session = await admit(request, hello, admission, origins)
        except LoopwireError as error:
            return refusal(error)
        return EventStream(admission, session, grant, hello, html=html)

    return [Route("/v1/sessions/{id}/events", events, methods=["GET"])]


class EventStream:
    """The response that goes on until the reader leaves, is sent away, or has had its `lifetime_s`."""

    def __init__(
        self,
        admission: Admission,
        session: SessionOwner,
        grant: Grant,
        hello: Hello,
        *,
        html: bool,
        framing: Framing = event_frame,
        headers: Sequence[tuple[bytes, bytes]] = UNCACHED,
        lifetime_s: float | None = None,
    ) -> None:
        self._admission = admission
        self._session = session
        self._grant = grant
        self._hello = hello
        self._html = html
        self._framing = framing
        self._headers = [*HEADERS, *headers]
        self._lifetime_s = lifetime_s

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        """Stream; what comes in is only that the reader has left, or that everything is sent."""
        await send({"type": "http.response.start", "status": 200, "headers": self._headers})
        writer, tasks = SseWriter(), Tasks()
        language = self._grant.language or self._session.language
        connection = Connection(writer, html=self._html, language=language, framing=self._framing)
        pump = tasks.spawn(writer.pump(send), name="stream")
        try:
            await serve_stream(connection, self._serve(connection, receive))
            # Send the close event to a client that still reads; the server ends the connection of one that does not.
            await pump
        finally:
            writer.drop()
            await tasks.aclose()

    async def _serve(self, connection: Connection, receive: Receive) -> None:
        async with self._admission.membership(connection, self._session, self._grant, self._hello):
            await _end_within(wait_for_leave(receive), self._lifetime_s)


async def serve_stream(connection: Connection, serving: Awaitable[None]) -> None:
    """Await what serves a stream, and close the stream as that ends."""
    try:
        await serving
        connection.close(1000, "")
    except LoopwireError as error:
        connection.refuse(error)
    except Exception:
        # The border of a connection: the client gets a close code, and the server logs what failed.
        log.exception("stream failed")
        connection.close_with_code(Internal())


async def _end_within(waiting: Awaitable[None], seconds: float | None) -> None:
    """Wait for something, for so long at most."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await waiting


async def wait_for_leave(receive: Receive) -> None:
    """Wait until the reader is gone, or the response is complete."""
    while (await receive())["type"] != "http.disconnect":
        pass
