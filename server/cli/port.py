"""The check of the configured port: whether it can be opened, or which process has it."""

from errno import EADDRINUSE
from http.client import HTTPConnection, HTTPException
from socket import SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, getaddrinfo, socket

from server.settings import Settings

ANSWER_S = 5.0
"""Seconds for each step of the answer of what has the port."""

MOST_BYTES = 4096


def port_note(settings: Settings) -> str | None:
    """Return why the port cannot be opened; None where it can, or where a running Loopwire has it."""
    try:
        family, kind, protocol, _, address = getaddrinfo(settings.host, settings.port, type=SOCK_STREAM)[0]
        with socket(family, kind, protocol) as listener:
            listener.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
            listener.bind(address)
    except OSError as error:
        if error.errno == EADDRINUSE and _is_loopwire(settings):
            return None
        return f"{settings.port} of {settings.host} cannot be opened ({error.strerror}): stop who has it, or set PORT"
    return None


def _is_loopwire(settings: Settings) -> bool:
    """Return whether the process that has the port answers a request that only Loopwire answers."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104 - asked, not bound.
    asked = HTTPConnection(host, settings.port, timeout=ANSWER_S)
    try:
        asked.request("GET", "/readyz")
        return b'"ready"' in asked.getresponse().read(MOST_BYTES)
    except (OSError, HTTPException):
        return False
    finally:
        asked.close()
