"""The steps that all sockets share: the refusal of a handshake, and the texts that come."""

from http import HTTPStatus

from server.asgi import Receive, Send

NOT_TEXT = (1003, "text frames only")


class Gone(Exception):
    """The client has left."""


class NotTextError(Exception):
    """A binary frame came."""


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
