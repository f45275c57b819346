"""What a web process answers before its database is there: that it lives, that it is not ready, and come again."""

from http import HTTPStatus

from starlette.responses import JSONResponse

from server.api.failures import shown
from server.api.shield import Receive, Scope, Send
from server.errors import Unavailable
from server.front import Front
from server.ws.wire import deny

AGAIN_S = 2.0


class Entrance:
    """The ASGI application from the first moment on; the front takes over as soon as there is one."""

    def __init__(self) -> None:
        """Nobody is in yet."""
        self._front: Front | None = None

    def open(self, front: Front) -> None:
        """Leave everything to the front."""
        self._front = front

    async def drain(self) -> None:
        """Drain what there is."""
        if self._front is not None:
            await self._front.drain()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one socket."""
        if self._front is not None:
            await self._front(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()  # websocket.connect
            await deny(send, HTTPStatus.SERVICE_UNAVAILABLE)
        elif scope["path"] == "/healthz":
            await JSONResponse({"alive": True})(scope, receive, send)
        elif scope["path"] == "/readyz":
            told = {"ready": False, "starting": True, "database": False}
            await JSONResponse(told, HTTPStatus.SERVICE_UNAVAILABLE)(scope, receive, send)
        else:
            await shown(Unavailable(retry_after=AGAIN_S))(scope, receive, send)
