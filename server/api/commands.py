"""Commands by POST: the body is a client's frame, the answer its ack or its error, as on a socket."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from server.auth import Origins
from server.endpoints.authorize import refusal, sender_of
from server.errors import (
    BadFrame,
    BadJson,
    LoopwireError,
    Malformed,
    RateLimited,
    TooLong,
    UnknownType,
    UnsupportedMediaType,
)
from server.limit_counters import Windows
from server.protocol.commands import MAX_FRAME, SAYING, parse_command
from server.protocol.envelope import Ack
from server.rooms.admission import Admission
from server.rooms.intake import Intake

MOST_AFTER_BAD = 8_192
"""Bytes of a frame that is judged after too many bad ones: a large bad frame costs more to judge than to send."""


def routes(admission: Admission, intake: Intake, origins: Origins) -> list[BaseRoute]:
    """POST /v1/sessions/{id}/commands."""
    limits = intake.limits
    frames, bad = Windows(limits.frames_per_socket), Windows(limits.bad_frames_per_socket)

    async def command(request: Request) -> Response:
        frame_id: str | None = None
        try:
            hello, grant, session = await sender_of(request, admission, origins)
            async with admission.spending(hello, grant):
                raw = await _body(request)
                if len(raw) > MOST_AFTER_BAD:
                    _require_good(bad, session.id)
                try:
                    parsed = parse_command(raw)
                except (BadJson, BadFrame, UnknownType) as wrong:
                    _count(bad, session.id, wrong)
                    raise
                frame_id = getattr(parsed, "id", None)
                if not isinstance(parsed, SAYING):
                    frames.spend(session.id)
                language = grant.language or session.language
                ack = await intake.execute(session, parsed, language=language, source=grant.reader)
        except LoopwireError as error:
            return refusal(error, frame_id)
        return Response((ack or Ack(id=frame_id)).encode(), media_type="application/json")

    return [Route("/v1/sessions/{id}/commands", command, methods=["POST"])]


def _require_good(bad: Windows, session_id: str) -> None:
    """Raise Malformed where the session has sent as many bad frames as it may."""
    try:
        bad.check(session_id)
    except RateLimited:
        raise Malformed from None


def _count(bad: Windows, session_id: str, wrong: LoopwireError) -> None:
    """Count a bad frame; beyond the limit the answer is not `rate_limited`, since waiting does not mend it."""
    try:
        bad.spend(session_id)
    except RateLimited:
        raise Malformed(f"{Malformed.text} The last one: {wrong.message}", id=wrong.id) from wrong


async def _body(request: Request) -> bytes:
    """Read one frame, and not more than a frame may be."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" or "content-encoding" in request.headers:
        raise UnsupportedMediaType
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FRAME:
            raise TooLong
    return bytes(body)
