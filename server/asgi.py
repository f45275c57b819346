"""The types of the ASGI specification (https://asgi.readthedocs.io) as the server uses them."""

from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
"""A request or a socket: its type, path, headers and client."""

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
"""Gives the next message of the client."""

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
"""Takes one message to the client."""

Asgi = Callable[[Scope, Receive, Send], Coroutine[Any, Any, None]]
"""An application."""
