"""GET and HEAD /v1/sessions/{id}/log: the log of a session as a durable stream of JSON, read by its offsets."""

import time
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from server import patterns
from server.api.durable_streams.cursors import next_cursor
from server.api.durable_streams.framings import EventFraming
from server.api.durable_streams.long_poll import LongPoll
from server.api.durable_streams.offsets import BEGINNING, NOW, LogPosition
from server.api.durable_streams.reading import Chunk, LogReading
from server.api.stream import EventStream
from server.asgi import Asgi
from server.auth import Grant, Origins
from server.endpoints.authorize import admit, hello_of, refusal
from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import has_key
from server.errors import BadFrame, LoopwireError
from server.protocol.commands import Hello
from server.rooms.admission import Admission
from server.store import SessionOwner

POLL_S = 20
"""Seconds that a long poll waits, unless its client asks for fewer."""

STREAM_S = 60.0
"""Seconds after which a stream ends, as the protocol wants it; the client comes back with its offset."""

TOKEN = "x-loopwire-resume-token"  # noqa: S105 - the name of a header.

_MODES = frozenset({None, "long-poll", "sse"})
_SECONDS = patterns.compile(r"[0-9]{1,2}\Z")


@dataclass(frozen=True, slots=True)
class LogQuery:
    """The parameters of a request."""

    offset: str
    live: str | None
    cursor: str
    seconds: int

    @classmethod
    def of(cls, request: Request) -> "LogQuery":
        """Read the query. Raises BadFrame; what the protocol does not know is ignored."""
        query = request.query_params
        given, live = query.getlist("offset"), query.get("live")
        if len(given) > 1:
            raise BadFrame("offset is given once.")
        if live not in _MODES:
            raise BadFrame("live is long-poll or sse.")
        if live is not None and not given:
            raise BadFrame("A live read needs an offset.")
        offset = given[0] if given else BEGINNING
        if offset not in (BEGINNING, NOW):
            LogPosition.parse(offset)
        seconds = query.get("timeout", str(POLL_S))
        if not _SECONDS.match(seconds):
            raise BadFrame("timeout is a number of seconds.")
        cursor = next_cursor(query.get("cursor"), time.time())
        return cls(offset, live, cursor, min(int(seconds), POLL_S))


@dataclass(frozen=True, slots=True)
class AdmittedReader:
    """A reader that was let in to a session, with the token for its next request."""

    session: SessionOwner
    grant: Grant
    hello: Hello
    token: str

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that every answer has: nothing of a conversation is kept by a cache."""
        return {"cache-control": "no-store", **({TOKEN: self.token} if self.token else {})}

    def hello_at(self, position: LogPosition) -> Hello:
        """Return the hello of a reader that has everything up to a position."""
        return self.hello.model_copy(update={"epoch": position.epoch, "last_seq": position.seq})


def routes(parts: Dependencies, admission: Admission, origins: Origins) -> list[BaseRoute]:
    """GET and HEAD /v1/sessions/{id}/log."""
    reading = LogReading(parts.bus, parts.runs)

    async def log(request: Request) -> Response | Asgi:
        try:
            query = LogQuery.of(request)
            hello = hello_of(request)
            grant, session = await admit(request, hello, admission, origins)
            token = "" if has_key(request) else admission.resume_token(session, grant)
            reader = AdmittedReader(session, grant, hello, token)
            if request.method == "HEAD":
                tail = await reading.locate(session.id, NOW)
                return _response(reader, tail, status=200)
            if query.live is None:
                return await _catch_up(request, query, reader, reading)
            admission.require_place(session, grant)
            position = await reading.locate(session.id, query.offset)
            if query.live == "sse":
                return _stream(query, reader, position, admission)
            return await _poll(query, reader, position, reading, admission)
        except LoopwireError as error:
            return refusal(error)

    return [Route("/v1/sessions/{id}/log", log, methods=["GET", "HEAD"])]


async def _catch_up(
    request: Request, query: LogQuery, reader: AdmittedReader, reading: LogReading
) -> Response:
    """Answer with what is there now, as far as it fits."""
    position = await reading.locate(reader.session.id, query.offset)
    if query.offset == NOW:
        return _chunk(reader, query, Chunk([], position, is_last=True))
    chunk = await reading.read(reader.session.id, position)
    etag = f'"{reader.session.id}:{query.offset}:{chunk.position.offset}"'
    response = _chunk(reader, query, chunk)
    response.headers["etag"] = etag
    known = [each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")]
    if etag not in known and "*" not in known:
        return response
    kept = {name: value for name, value in response.headers.items() if not name.startswith("content-")}
    return Response(status_code=304, headers=kept)


async def _poll(
    query: LogQuery, reader: AdmittedReader, position: LogPosition, reading: LogReading, admission: Admission
) -> Response | Asgi:
    """Answer at once with what is there, else with what comes next."""
    if query.offset != NOW:
        chunk = await reading.read(reader.session.id, position)
        if chunk.frames:
            return _chunk(reader, query, chunk)
        position = chunk.position

    def respond(items: list[bytes], position: LogPosition) -> Response:
        if items:
            return _chunk(reader, query, Chunk(items, position, is_last=True))
        return _response(reader, position, status=204, cursor=query.cursor, is_last=True)

    return LongPoll(
        admission,
        reader.session,
        reader.grant,
        reader.hello_at(position),
        position,
        seconds=query.seconds,
        respond=respond,
    )


def _stream(query: LogQuery, reader: AdmittedReader, position: LogPosition, admission: Admission) -> Asgi:
    """Answer with what is there and what comes, for a minute. Caches that know no better heed `no-cache`."""
    headers = {**reader.headers, "cache-control": "no-cache, no-store"}
    return EventStream(
        admission,
        reader.session,
        reader.grant,
        reader.hello_at(position),
        html=False,
        framing=EventFraming(position, query.cursor),
        headers=[(name.encode(), value.encode()) for name, value in headers.items()],
        lifetime_s=STREAM_S,
    )


def _chunk(reader: AdmittedReader, query: LogQuery, chunk: Chunk) -> Response:
    body = b"[" + b",".join(chunk.frames) + b"]"
    return _response(
        reader, chunk.position, status=200, body=body, cursor=query.cursor, is_last=chunk.is_last
    )


def _response(
    reader: AdmittedReader,
    position: LogPosition,
    *,
    status: int,
    body: bytes = b"",
    cursor: str = "",
    is_last: bool = False,
) -> Response:
    """Make an answer that says where a reader of it is."""
    headers = {**reader.headers, "stream-next-offset": position.offset}
    if cursor:
        headers["stream-cursor"] = cursor
    if is_last:
        headers["stream-up-to-date"] = "true"
    media_type = None if status == 204 else "application/json"  # noqa: PLR2004 - No Content.
    return Response(body, status, headers, media_type=media_type)
