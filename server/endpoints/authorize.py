"""The authorization of requests, as that of sockets: which callers may open a session, and the refusal of others."""

from dataclasses import replace
from math import ceil
from typing import Any

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from server import patterns
from server.auth import Grant, Origins
from server.endpoints.identity import address_of, has_key, is_newcomer, principal_of, reader_name
from server.errors import Forbidden, LoopwireError, NotFound, Unauthorized
from server.protocol.commands import Hello
from server.protocol.envelope import Error
from server.rooms.admission import Admission
from server.store import SessionOwner

_POSITION = patterns.compile(r"(.{1,64})-([0-9]{1,15})\Z")


def hello_of(request: Request) -> Hello:
    """Read the first frame of a socket: the bearer is a ticket or a resume token, the last event's id the position.

    A client with the key of an app needs no bearer.
    """
    said: dict[str, Any] = {}
    if not has_key(request):
        scheme, _, credential = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not credential:
            raise Unauthorized
        said = {"resume_token" if "." in credential else "ticket": credential.strip()}
    position = _POSITION.match(request.headers.get("last-event-id", ""))
    if position is not None:
        said |= {"epoch": position[1], "last_seq": int(position[2])}
    try:
        return Hello(type="hello", **said)
    except ValidationError as error:
        raise Unauthorized from error


async def admit(
    request: Request, hello: Hello, admission: Admission, origins: Origins
) -> tuple[Grant, SessionOwner]:
    """Let a request in to the session that it names. Raises what refuses it."""
    if has_key(request):
        grant = Grant(request.path_params["id"], principal_of(request), None, "")
        session = await admission.find_session(grant)
        return replace(grant, principal=reader_name(request)), session
    scheme = request.scope["scheme"]
    if not origins.accepts(scheme, request.headers):
        raise Forbidden
    with admission.unauthenticated_socket(address_of(request)):
        grant = await admission.read_grant(hello, *origins.possible(scheme, request.headers))
        if grant.session_id != request.path_params["id"]:
            raise NotFound
        async with admission.spending(hello, grant):
            session = await admission.find_session(grant)
    request.state.bearer_accepted = True
    return grant, session


async def sender_of(
    request: Request, admission: Admission, origins: Origins
) -> tuple[Hello, Grant, SessionOwner]:
    """Let a sender in to the session that is named: by its bearer, by the cookie that began the session, or by a key.

    Only our own pages and those of allowed origins send a cookie so far (`Shield`).
    """
    if "authorization" in request.headers:
        hello = hello_of(request)
        return hello, *await admit(request, hello, admission, origins)
    if is_newcomer(request):
        raise Unauthorized
    grant = Grant(request.path_params["id"], principal_of(request), None, "")
    if has_key(request):
        return Hello(type="hello"), grant, await admission.find_session(grant)
    with admission.unauthenticated_socket(address_of(request)):
        return Hello(type="hello"), grant, await admission.find_session(grant)


async def reader_of(request: Request, admission: Admission, origins: Origins) -> str:
    """Return the reader's principal: by a bearer of the named session, as at the stream, else by the cookie."""
    if "authorization" not in request.headers:
        return principal_of(request)
    _, session = await admit(request, hello_of(request), admission, origins)
    return session.principal


def refusal(error: LoopwireError, frame_id: str | None = None) -> Response:
    """Answer with the frame that a socket would get, under the error's status."""
    headers = {"retry-after": str(max(1, ceil(error.retry_after)))} if error.retry_after else None
    body = Error.of(error, frame_id).encode()
    return Response(body, error.status, headers, media_type="application/json")
