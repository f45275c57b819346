"""The client's address and scheme, from the headers of trusted proxies; those of other peers are ignored."""

import logging
from collections.abc import MutableMapping
from typing import Any

from server.asgi import Asgi
from server.proxies import HEADERS, SETTING, UNIX, Proxies

MOST_NAMED = 8
"""Peers that the log names: an operator has few proxies, and a stranger may send such headers too."""

log = logging.getLogger(__name__)


class Forwarded:
    """An ASGI middleware for requests and sockets, instead of uvicorn's, which believes this machine unasked."""

    def __init__(self, app: Asgi, proxies: Proxies) -> None:
        self._app = app
        self._proxies = proxies
        self._named: set[str] = set()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Write the client's address and scheme into the scope, and call the application."""
        self._look(scope)
        await self._app(scope, receive, send)

    def _look(self, scope: MutableMapping[str, Any]) -> None:
        client = scope.get("client")
        peer = str(client[0]) if client else None
        if not self._proxies.trusts(peer):
            self._warn_once(peer, scope["headers"])
            return
        source = self._proxies.source(peer, scope["headers"])
        if source.client is not None and source.client != peer:
            scope["client"] = (source.client, 0)
        if source.scheme is not None:
            secure, socket = source.scheme == "https", scope["type"] == "websocket"
            scope["scheme"] = ("wss" if secure else "ws") if socket else source.scheme

    def _warn_once(self, peer: str | None, headers: list[tuple[bytes, bytes]]) -> None:
        """Warn once that a peer is not believed, with what to set if it should be."""
        named = UNIX if peer is None else peer
        if named in self._named or len(self._named) >= MOST_NAMED:
            return
        if any(name in HEADERS for name, _ in headers):
            self._named.add(named)
            log.warning(
                "headers of %s (X-Forwarded-For or the like) are ignored, since it is no trusted proxy: if yours, "
                "set %s=%s, or all clients behind it share the limits of one address, and their https "
                "counts as http",
                named,
                SETTING,
                named,
            )
