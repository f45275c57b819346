"""The handshake of a socket: origin, subprotocol, hello and permission; then the socket joins its room."""

import asyncio
from collections.abc import MutableMapping
from http import HTTPStatus
from typing import Any

from server.asgi import Receive, Send
from server.auth import Grant, Origins, headers_of, names_one_host
from server.endpoints.sockets import deny, next_text, serve_to_end
from server.errors import (
    ForeignOrigin,
    HelloTimeout,
    LoopwireError,
    Malformed,
    Unauthorized,
    Unavailable,
    Version,
)
from server.protocol.commands import Hello, parse_command
from server.protocol.envelope import Error
from server.proxies import counted_client
from server.rooms.admission import Admission
from server.rooms.connection import HTML, SUBPROTOCOLS, Connection
from server.rooms.frame_writer import EXTENSION
from server.rooms.intake import Intake, SocketIntake
from server.rooms.member import Member
from server.rooms.room import Room
from server.tracing.trace_context import take_stored

HELLO_S = 5.0
MAX_HELLO = 16_384
"""Characters of a frame before the socket is known: a hello has a token of at most 4,096, and little more."""
PROTOCOL = 1


class Endpoint:
    """An ASGI application for the scope `websocket`."""

    def __init__(self, *, admission: Admission, intake: Intake, origins: Origins) -> None:
        self._admission = admission
        self._intake = intake
        self._origins = origins

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve one socket from its handshake to its end."""
        origin, accepted, known_host = self._judge(scope)
        address = counted_client(scope)
        chosen = next((each for each in scope["subprotocols"] if each in SUBPROTOCOLS), None)
        one_host = names_one_host(scope)
        await receive()  # websocket.connect
        if not one_host:
            await deny(send, HTTPStatus.BAD_REQUEST)
            return
        if not known_host:
            await deny(send, HTTPStatus.MISDIRECTED_REQUEST)
            return
        # Close with a code for our own subprotocol: a browser tells its page nothing of a refused handshake.
        if not accepted and chosen is None:
            await deny(send, HTTPStatus.FORBIDDEN)
            return
        try:
            self._admission.enter(address)
        except Unavailable:
            await deny(send, HTTPStatus.SERVICE_UNAVAILABLE)
            return
        known = False

        def note_authenticated() -> None:
            nonlocal known
            if not known:
                known = True
                self._admission.forget_unauthenticated_socket(address)

        try:
            await send({"type": "websocket.accept", "subprotocol": chosen})
            connection = Connection(scope["extensions"][EXTENSION], html=chosen == HTML, language="")
            if accepted:
                serving = self._serve(connection, receive, chosen, origin, note_authenticated)
            else:
                serving = _refuse_origin()
            await serve_to_end(connection, serving, connection.refuse)
        finally:
            note_authenticated()

    def _judge(self, scope: MutableMapping[str, Any]) -> tuple[str | None, bool, bool]:
        """Return the origin, whether it is accepted, and whether the host is known.

        The headers end with this call: a socket would keep them as long as it lives.
        """
        headers = headers_of(scope)
        accepted = self._origins.accepts(scope["scheme"], headers)
        return headers.get("origin"), accepted, self._origins.knows_host(headers.get("host", ""))

    async def _serve(
        self,
        connection: Connection,
        receive: Receive,
        chosen: str | None,
        origin: str | None,
        note_authenticated: Any,
    ) -> None:
        if chosen is None:
            raise Version
        room, member, inbox = await self._join(connection, receive, origin, note_authenticated)
        try:
            while True:
                await inbox.answer(await next_text(receive))
        finally:
            await self._admission.release_place(room, member)

    async def _authenticate(
        self, connection: Connection, receive: Receive, origin: str | None
    ) -> tuple[Hello, Grant]:
        """Wait for the hello and see what it allows."""
        try:
            async with asyncio.timeout(HELLO_S):
                hello = await self._hello(connection, receive)
        except TimeoutError as error:
            raise HelloTimeout from error
        if hello.v != PROTOCOL:
            raise Version
        return hello, await self._admission.read_grant(hello, origin)

    async def _hello(self, connection: Connection, receive: Receive) -> Hello:
        """Read frames until the hello; bad ones are answered, but not for ever."""
        for _ in range(self._intake.limits.bad_frames_per_socket[0][0]):
            try:
                command = parse_command(await next_text(receive), longest=MAX_HELLO)
            except LoopwireError as error:
                connection.put(Error.of(error).encode())
                continue
            if not isinstance(command, Hello):
                raise Unauthorized
            return command
        raise Malformed

    async def _join(
        self, connection: Connection, receive: Receive, origin: str | None, note_authenticated: Any
    ) -> tuple[Room, Member, SocketIntake]:
        """Give the socket its place; the hello and its grant are not kept after it."""
        hello, grant = await self._authenticate(connection, receive, origin)
        take_stored(grant.trace)
        async with self._admission.spending(hello, grant):
            session = await self._admission.find_session(grant)
        note_authenticated()
        connection.language = grant.language or session.language
        room, member = await self._admission.join_room(connection, session, grant, hello)
        return room, member, SocketIntake(connection, session, self._intake)


async def _refuse_origin() -> None:
    raise ForeignOrigin
