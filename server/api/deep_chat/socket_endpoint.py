"""The endpoint of Deep Chat's sockets: the handshake at /chat, by the rules of POST /chat, and the open sockets.

The element reconnects at once after a close, and five seconds after a failed handshake. So the
handshake refuses a client that may not connect; it is never accepted and then closed.
"""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from functools import partial
from http import HTTPStatus

from starlette.requests import HTTPConnection

from server.api.deep_chat.chat_socket import ChatSocket
from server.api.deep_chat.errors import refusal_of_chat
from server.api.deep_chat.turns import ChatTurns
from server.asgi import Asgi, Receive, Scope, Send
from server.auth import Origins, headers_of, names_one_host
from server.endpoints.app_rates import AppRates
from server.endpoints.caller_resolver import CallerResolver
from server.endpoints.identity import has_key, principal_of
from server.endpoints.sockets import deny, serve_to_end
from server.errors import LoopwireError, NotFound, Unauthorized, Unavailable
from server.limit_counters import UnauthenticatedSockets, Windows
from server.protocol.codec import encode_json
from server.proxies import counted_client
from server.rooms.connection import Connection
from server.rooms.frame_writer import EXTENSION
from server.rooms.staggered_close import take_turns
from server.tasks import happens_within
from server.tracing.trace_context import take_headers

LAST_ANSWERS_S = 1.0
"""Seconds in which a leaving server sends the answers of ended runs before it closes their sockets."""

log = logging.getLogger(__name__)


class ChatSocketEndpoint:
    """Lets sockets in at /chat. Acquired by the backend, released by `drain` and `cut`."""

    def __init__(
        self, turns: ChatTurns, *, origins: Origins, caller_resolver: CallerResolver, rates: AppRates
    ) -> None:
        limits = turns.parts.limits
        self._turns = turns
        self._origins = origins
        self._caller_resolver = caller_resolver
        self._rates = rates
        self._handshakes = Windows(limits.requests_per_address)
        self._sockets_of = UnauthenticatedSockets(limits.chat_sockets_per_address)
        self._open: set[ChatSocket] = set()
        self._empty = asyncio.Event()
        """Set when the last socket has gone."""

    def __len__(self) -> int:
        """Count the sockets."""
        return len(self._open)

    def __iter__(self) -> Iterator[ChatSocket]:
        """Walk over the sockets."""
        return iter(self._open)

    async def admit(self, scope: Scope, receive: Receive, send: Send, authenticate: Asgi) -> None:
        """Judge a handshake, and serve the socket; `authenticate` brings it back to `serve` with its caller known."""
        headers = headers_of(scope)
        take_headers(scope["headers"])
        await receive()  # websocket.connect
        if not names_one_host(scope):
            await deny(send, HTTPStatus.BAD_REQUEST)
            return
        if not self._origins.accepts(scope["scheme"], headers) or not self._origins.knows_host(
            headers.get("host", "")
        ):
            await deny(send, HTTPStatus.FORBIDDEN)
            return
        del headers  # Otherwise the headers would live as long as the socket.
        address = counted_client(scope)
        try:
            self._sockets_of.enter(address)
        except Unavailable:
            await deny(send, HTTPStatus.SERVICE_UNAVAILABLE)
            return
        try:
            await self._caller_resolver.of(scope)
            await authenticate(scope, receive, send)
        finally:
            self._sockets_of.leave(address)

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a socket whose caller is known from its handshake to its end."""
        caller = HTTPConnection(scope)
        try:
            if not has_key(caller):
                self._handshakes.spend(counted_client(scope))
            self._turns.require_known(caller)
            principal_of(caller)
        except LoopwireError as error:
            await deny(send, HTTPStatus(error.status))
            return
        language = str(self._turns.parts.language_of(caller))
        offered: Sequence[str] = scope["subprotocols"]
        # A browser rejects an answer without one of the subprotocols that its page names.
        await send({"type": "websocket.accept", "subprotocol": offered[0] if offered else None})
        connection = Connection(scope["extensions"][EXTENSION], html=False, language=language)
        caller = HTTPConnection(scope)  # Leave out the headers, which the transport has dropped.
        socket = ChatSocket(connection, caller, self._turns, self._rates, language)
        self._open.add(socket)
        self._empty.clear()
        log.info("chat socket %s open", connection.id)
        try:
            await serve_to_end(connection, socket.serve(receive), partial(_refuse, socket))
        finally:
            self._open.discard(socket)
            if not self._open:
                self._empty.set()
            log.info("chat socket %s closed", connection.id)

    def end_revoked(self, subject: str) -> None:
        """Close the sockets of this principal or this session for good."""
        for each in list(self._open):
            if each.concerns(subject):
                gone = each.session is not None and subject == each.session.id
                _refuse(each, NotFound() if gone else Unauthorized())

    async def drain(self) -> None:
        """Close the sockets for which no answer is left to send, and each of the others after its last."""
        async for each in take_turns(list(self._open)):
            each.close_when_sent()

    async def cut(self) -> None:
        """Close the sockets that are left when the runs have ended here; other processes have the others."""
        if self._open:
            await happens_within(self._empty, LAST_ANSWERS_S)
        for each in list(self._open):
            each.cut()


def _refuse(socket: ChatSocket, error: LoopwireError) -> None:
    """Send why a socket ends, and end it."""
    socket.connection.put(encode_json(refusal_of_chat(error, socket.language)).encode())
    socket.connection.close(error.close_code or 1011, error.code)
