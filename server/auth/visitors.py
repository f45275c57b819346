"""Anonymous visitors: a random id in a signed cookie."""

import hmac
from base64 import urlsafe_b64encode

from server.protocol.ids import new_id

COOKIE = "loopwire_visitor"
COOKIE_SECONDS = 365 * 24 * 3600


def _digest(secret: bytes, purpose: str, text: str) -> str:
    made = hmac.digest(secret, f"{purpose}\0{text}".encode(), "sha256")
    return urlsafe_b64encode(made).decode().rstrip("=")


class Visitors:
    """Makes visitors and recognises them."""

    def __init__(self, secret: bytes) -> None:
        """Sign with this secret; another one makes every visitor a new one."""
        self._secret = secret

    def new(self) -> str:
        """Invent a visitor."""
        return new_id("vis")

    def sign(self, principal: str) -> str:
        """Make the cookie's value."""
        return f"{principal}.{_digest(self._secret, 'visitor', principal)}"

    def read(self, cookie: str | None) -> str | None:
        """Return the visitor of a cookie, None when it is missing or not ours."""
        principal, dot, signature = (cookie or "")[:200].partition(".")
        if not dot or not principal.startswith("vis_"):
            return None
        expected = _digest(self._secret, "visitor", principal)
        return principal if hmac.compare_digest(signature.encode(), expected.encode()) else None
