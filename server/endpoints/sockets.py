"""The steps that all sockets share: the refusal of a handshake, the texts that come, and the end."""

import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Protocol

from server.asgi import Receive, Send
from server.errors import Internal, LoopwireError

NOT_TEXT = (1003, "text frames only")

FINAL_FRAMES_S = 5.0
"""Seconds that a client may take to read the last frames of its socket, its close frame among them."""

log = logging.getLogger(__name__)


class Gone(Exception):
    """The client has left."""


class NotTextError(Exception):
    """The client sent a binary frame."""


class Closable(Protocol):
    """A connection that closes once its client has read the frames that are left. It needs no room."""

    def close(self, code: int, reason: str) -> None:
        """Send the frames that wait, then the close frame."""
        ...

    async def wait_for_end(self, seconds: float) -> None:
        """Wait until the client has read all frames, for so many seconds at most."""
        ...


async def deny(send: Send, status: HTTPStatus) -> None:
    """Refuse a socket before it is accepted: a browser sees only that it failed."""
    headers = [(b"content-type", b"text/plain")]
    if status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS):
        headers.append((b"retry-after", b"2"))
    await send({"type": "websocket.http.response.start", "status": status.value, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": b""})


async def next_text(receive: Receive) -> str:
    """Wait for the next text of a client. Raises Gone, and NotTextError."""
    message = await receive()
    if message["type"] == "websocket.disconnect":
        raise Gone
    text = message.get("text")
    if text is None:
        raise NotTextError
    return str(text)


async def serve_to_end(
    connection: Closable, serving: Awaitable[None], refuse: Callable[[LoopwireError], None]
) -> None:
    """Await what serves a socket, close the socket as that ends, and wait until its client has taken what is left.

    `refuse` sends an error in the form of the socket's protocol, and closes the socket.
    """
    try:
        await serving
    except LoopwireError as error:
        refuse(error)
    except NotTextError:
        connection.close(*NOT_TEXT)
    except Gone:
        connection.close(1000, "")
    except Exception:
        # The border of a connection: the client gets a close code, and the server logs what failed.
        log.exception("socket failed")
        connection.close(Internal.close_code or 1011, Internal.code)
    await connection.wait_for_end(FINAL_FRAMES_S)
