"""The cookie of an operator who has signed in: random, `SameSite=Strict`, and stored as a hash alone.

No page of another site makes a browser send it. Where cookies are secure its name begins with `__Host-`: no sibling
domain can plant one.
"""

import hashlib
import secrets
from collections.abc import Mapping

from server.auth.cookies import cookie_values
from server.auth.visitors import cookie_name

SIGN_IN_COOKIE = "loopwire_operator"
_MOST_VALUE = 64


def new_sign_in() -> str:
    """Return the value of a new cookie."""
    return secrets.token_urlsafe(32)


def sign_in_digest(value: str) -> str:
    """Return what is stored of a cookie."""
    return hashlib.sha256(value.encode()).hexdigest()


def sign_in_of(headers: Mapping[str, str], *, secure: bool) -> str | None:
    """Return the hash of the cookie that a request has; None without one, and with two, of which one was planted."""
    found = set(cookie_values(headers.get("cookie", ""), cookie_name(secure=secure, cookie=SIGN_IN_COOKIE)))
    value = found.pop() if len(found) == 1 else ""
    return sign_in_digest(value) if value and len(value) <= _MOST_VALUE else None


def sign_in_cookie(value: str, *, secure: bool, seconds: int) -> str:
    """Return the `Set-Cookie` of a sign-in; `seconds` 0 removes it."""
    pair = f"{cookie_name(secure=secure, cookie=SIGN_IN_COOKIE)}={value}"
    return f"{pair}; Max-Age={seconds}; Path=/; HttpOnly; SameSite=Strict{'; Secure' if secure else ''}"
