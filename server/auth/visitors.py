"""Anonymous visitors: a random id in a signed cookie.

A client that sends a visitor's cookie is that visitor, and every client gets one. An attacker who makes another
person's browser send the attacker's own (a page of a sibling domain, with `Domain=` and any `Path=`, or a network
without TLS) reads what that person writes from then on. So:

- Where cookies are secure the name begins with `__Host-`: a browser takes such a cookie from this very host, over HTTPS
  and for all paths alone. Only that name counts there. A cookie of the plain name, which may be planted, is not taken
  over: a visitor of plain HTTP is a new visitor over HTTPS.
- All cookies of the name are verified, and what we did not sign counts for nothing. With cookies of two visitors the
  request is refused with a sentence: neither order nor path tells which of them was planted.
- Over plain HTTP the server cannot distinguish a planted cookie from its own. Only HTTPS helps.
"""

import hmac
from base64 import urlsafe_b64encode

from server.auth.cookies import cookie_values
from server.errors import TwoVisitors
from server.protocol.ids import new_id

COOKIE = "loopwire_visitor"
SECURE_COOKIE = f"__Host-{COOKIE}"
COOKIE_SECONDS = 365 * 24 * 3600


def cookie_name(*, secure: bool, cookie: str = COOKIE) -> str:
    """Return the name of a visitor's cookie, by whether cookies are secure."""
    return f"__Host-{cookie}" if secure else cookie


def _digest(secret: bytes, purpose: str, text: str) -> str:
    made = hmac.digest(secret, f"{purpose}\0{text}".encode(), "sha256")
    return urlsafe_b64encode(made).decode().rstrip("=")


class Visitors:
    """Makes visitors and recognises them."""

    def __init__(self, secret: bytes, *, cookie: str = COOKIE, purpose: str = "visitor") -> None:
        """`purpose` goes into the signature: a cookie of one purpose counts for nothing where another is meant."""
        self._secret = secret
        self._cookie = cookie
        self._purpose = purpose

    def new(self) -> str:
        """Invent a visitor."""
        return new_id("vis")

    def sign(self, principal: str) -> str:
        """Make the cookie's value."""
        return f"{principal}.{_digest(self._secret, self._purpose, principal)}"

    def visitor_of(self, header: str, *, secure: bool) -> str | None:
        """Return the visitor of a `Cookie` header. Raises TwoVisitors when it names several."""
        cookies = cookie_values(header, cookie_name(secure=secure, cookie=self._cookie))
        named = {each for each in map(self.read, dict.fromkeys(cookies)) if each is not None}
        if len(named) > 1:
            raise TwoVisitors
        return named.pop() if named else None

    def read(self, cookie: str | None) -> str | None:
        """Return the visitor of a cookie, None when it is missing or not ours."""
        principal, _, signature = (cookie or "").partition(".")
        if not principal.startswith("vis_"):
            return None
        expected = _digest(self._secret, self._purpose, principal)
        return principal if hmac.compare_digest(signature.encode(), expected.encode()) else None
