"""The handshake of a socket: origin, subprotocol, hello and permission; then the socket joins its room."""

import asyncio
import logging
from collections.abc import MutableMapping
from http import HTTPStatus
from typing import Any

from server import log as logs
from server.auth import Grant, Origins, ResumeTokens, Tickets, headers_of
from server.errors import HelloTimeout, Internal, LoopwireError, Malformed, Unauthorized, Unavailable, Version
from server.limits import Strangers
from server.protocol.commands import Hello, parse_command
from server.protocol.envelope import Error, Welcome
from server.store import Store
from server.ws.connection import HTML, SUBPROTOCOLS, Connection, Receive, Send
from server.ws.intake import BAD_FRAMES, Inbox, Intake
from server.ws.member import Member
from server.ws.room import Room
from server.ws.rooms import Rooms
from server.ws.wire import EXTENSION, deny

HELLO_S = 5.0
LAST_WORDS_S = 5.0
"""So long a client that does not read may take to make room for what it is still told."""

HEARTBEAT_MS = 15_000
RESUME_WINDOW_S = 120
PROTOCOL = 1
NOT_TEXT = (1003, "text frames only")

CAPABILITIES: dict[str, Any] = {
    "transport": {"streaming": True, "websocket": True, "resumable": True},
    "multiAgent": {"supported": True, "handoffs": True},
    "tools": {"supported": True},
    "state": {"snapshots": True, "deltas": True},
}

log = logging.getLogger(__name__)


class Gone(Exception):
    """The client has left."""


class NotTextError(Exception):
    """A binary frame came."""


class Endpoint:
    """An ASGI application for the scope `websocket`."""

    def __init__(
        self,
        *,
        store: Store,
        rooms: Rooms,
        intake: Intake,
        tickets: Tickets,
        tokens: ResumeTokens,
        origins: Origins,
        demo: bool,
    ) -> None:
        """Serve with these parts; `draining` refuses newcomers."""
        self._store = store
        self._rooms = rooms
        self._intake = intake
        self._tickets = tickets
        self._tokens = tokens
        self._origins = origins
        self._demo = demo
        self._strangers = Strangers()
        self.draining = False

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve one socket from its handshake to its end."""
        headers = headers_of(scope)
        origin, accepted = headers.get("origin"), self._origins.accepts(scope["scheme"], headers)
        del headers  # Else they would stay for as long as the socket does.
        address = str((scope.get("client") or ("", 0))[0])
        await receive()  # websocket.connect
        if self.draining:
            await deny(send, HTTPStatus.SERVICE_UNAVAILABLE)
            return
        if not accepted:
            await deny(send, HTTPStatus.FORBIDDEN)
            return
        try:
            self._strangers.enter(address)
        except Unavailable:
            await deny(send, HTTPStatus.SERVICE_UNAVAILABLE)
            return
        known = False

        def introduced() -> None:
            nonlocal known
            if not known:
                known = True
                self._strangers.leave(address)

        try:
            chosen = next((each for each in scope["subprotocols"] if each in SUBPROTOCOLS), None)
            await send({"type": "websocket.accept", "subprotocol": chosen})
            connection = Connection(scope["extensions"][EXTENSION], html=chosen == HTML, language="")
            await self._serve(connection, receive, chosen, origin, introduced)
            await connection.ended(LAST_WORDS_S)
        finally:
            introduced()

    async def _serve(
        self,
        connection: Connection,
        receive: Receive,
        chosen: str | None,
        origin: str | None,
        introduced: Any,
    ) -> None:
        try:
            if chosen is None:
                raise Version
            room, member, inbox = await self._seated(connection, receive, origin, introduced)
            try:
                while True:
                    await inbox.take(await _text(receive))
            finally:
                await self._rooms.leave(room, member)
                log.info("socket %s closed", connection.id)
        except LoopwireError as error:
            connection.put(Error.of(error).encode())
            connection.close(error.close_code or 1011, error.code)
        except NotTextError:
            connection.close(*NOT_TEXT)
        except Gone:
            connection.close(1000, "")
        except Exception:
            log.exception("socket failed")
            connection.close(Internal.close_code or 1011, Internal.code)

    async def _introduction(
        self, connection: Connection, receive: Receive, origin: str | None
    ) -> tuple[Hello, Grant]:
        """Wait for the hello and see what it allows."""
        try:
            async with asyncio.timeout(HELLO_S):
                hello = await _hello(connection, receive)
        except TimeoutError as error:
            raise HelloTimeout from error
        if hello.v != PROTOCOL:
            raise Version
        if hello.ticket is not None:
            return hello, await self._tickets.redeem(hello.ticket, origin)
        if hello.resume_token is not None:
            return hello, self._tokens.verify(hello.resume_token, origin)
        raise Unauthorized

    async def _seated(
        self, connection: Connection, receive: Receive, origin: str | None, introduced: Any
    ) -> tuple[Room, Member, Inbox]:
        """Give the socket its place; nothing of the introduction is kept after it."""
        hello, grant = await self._introduction(connection, receive, origin)
        session = await self._store.sessions.get(grant.session_id, grant.principal)
        introduced()
        connection.language = grant.language or session.language

        def greet(resumed: bool, seq: int, epoch: str) -> bytes:
            return Welcome(
                session_id=session.id,
                epoch=epoch,
                seq=seq,
                resumed=resumed,
                heartbeat_ms=HEARTBEAT_MS,
                resume_window=RESUME_WINDOW_S,
                resume_token=self._tokens.issue(grant),
                capabilities=CAPABILITIES,
                demo=self._demo,
            ).encode()

        logs.session_id.set(session.id)  # For this socket's task, which ends with it.
        member, room = Member(connection), self._rooms.open(session)
        log.info("socket %s open, %s", connection.id, "html" if connection.html else "json")
        try:
            await room.join(member, hello, greet)
        except BaseException:
            await self._rooms.leave(room, member)
            raise
        return room, member, Inbox(connection, room.session, self._intake)


async def _text(receive: Receive) -> str:
    message = await receive()
    if message["type"] == "websocket.disconnect":
        raise Gone
    text = message.get("text")
    if text is None:
        raise NotTextError
    return str(text)


async def _hello(connection: Connection, receive: Receive) -> Hello:
    """Read frames until the hello; bad ones are answered, but not for ever."""
    for _ in range(BAD_FRAMES):
        try:
            command = parse_command(await _text(receive))
        except LoopwireError as error:
            connection.put(Error.of(error).encode())
            continue
        if not isinstance(command, Hello):
            raise Unauthorized
        return command
    raise Malformed
