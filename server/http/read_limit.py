"""A limit on what one address may have read and drawn: pages, lists, exports and the documentation."""

from collections.abc import Mapping

from server import patterns
from server.asgi import Scope
from server.auth import KEY_PREFIX
from server.limit_counters import Windows
from server.limits import Limits

_is_read = patterns.compile(
    r"/(?:|s/.+|sessions|items/.+|docs(?:/.*)?|services(?:/.*)?|openapi\.json|v1/sessions(?:/[^/]+/messages)?)"
)
"""Paths whose answer costs milliseconds. Pictures are none of them: a page may have two hundred."""


class ReadLimit:
    """Counts the reads of each address in this process."""

    def __init__(self, limits: Limits) -> None:
        self._addresses = Windows(limits.reads_per_address)

    def spend(self, scope: Scope, headers: Mapping[str, str], address: str) -> None:
        """Count a read; one with the key of an app is counted for that instead. Raises RateLimited."""
        if scope["method"] not in ("GET", "HEAD") or not _is_read.fullmatch(scope["path"]):
            return
        if not (scope["path"].startswith("/v1/") and _shows_key(headers)):
            self._addresses.spend(address)


def _shows_key(headers: Mapping[str, str]) -> bool:
    """Return whether the request is refused, or counted for the app of its key (`KeyAuthentication`)."""
    scheme, _, credential = headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and credential.strip().startswith(KEY_PREFIX)
