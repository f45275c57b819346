"""The refusal of a socket before it is accepted."""

from http import HTTPStatus

from server.asgi import Send


async def deny(send: Send, status: HTTPStatus) -> None:
    """Refuse a socket before it is accepted: a browser sees only that it failed."""
    headers = [(b"content-type", b"text/plain")]
    if status is HTTPStatus.SERVICE_UNAVAILABLE:
        headers.append((b"retry-after", b"2"))
    await send({"type": "websocket.http.response.start", "status": status.value, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": b""})
