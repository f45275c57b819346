"""Keys of apps: a program with a key acts for its app, and for the users that it names.

A key is `lwk_`, the id of its row without `key_`, `_`, and 32 random bytes in base64. The database has the SHA-256 of
the whole: a slow hash would protect a secret that can be guessed, and 32 random bytes cannot be.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Literal, get_args

from server import patterns
from server.protocol.ids import new_id

KEY_PREFIX = "lwk_"

KeyScope = Literal["rest", "tickets", "operator"]
SCOPES: tuple[KeyScope, ...] = get_args(KeyScope)
"""The scopes of a key: everything below `/v1/` and `/agui/`, `/chat` and the services; `POST /v1/tickets`; all
conversations of its app."""

USUAL_SCOPES: tuple[KeyScope, ...] = ("rest", "tickets")
"""The scopes of a key that was made without any."""

_SHAPE = patterns.compile(rf"{KEY_PREFIX}([a-z0-9]{{1,60}})_[A-Za-z0-9_-]{{43}}")


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key as it is shown once, its id and the hash that is stored."""

    id: str
    text: str
    digest: str


def make_key() -> NewKey:
    """Invent a key."""
    id = new_id("key")
    text = f"{KEY_PREFIX}{id.removeprefix('key_')}_{secrets.token_urlsafe(32)}"
    return NewKey(id, text, digest_of(text))


def id_of_key(text: str) -> str | None:
    """Return the id that a key names, None when it does not have the shape of one."""
    shaped = _SHAPE.fullmatch(text)
    return f"key_{shaped[1]}" if shaped else None


def digest_of(text: str) -> str:
    """Return what is stored of a key."""
    return hashlib.sha256(text.encode()).hexdigest()


def principal_of_user(secret: bytes, app: str, user: str | None) -> str:
    """Return the principal of an app's user, by the app's own name of it; without a name, of the app itself."""
    kind, named = ("app", app) if user is None else ("usr", f"{app}\0{user}")
    made = hmac.digest(secret, f"{kind}\0{named}".encode(), "sha256")
    return f"{kind}_{made.hex()[:32]}"
