"""Identities: a user as a token of the app names it, and the names under which it is revoked."""

import hashlib
from dataclasses import dataclass

VISITOR_PREFIX = "vis_"
USER_PREFIX = "usr_"
CALLER_PREFIX = "api_"
"""Begins the principal of a caller of services who has neither a key nor a cookie."""

STRANGER_PREFIXES = (VISITOR_PREFIX, CALLER_PREFIX)
"""Begin principals that anyone gets by asking, as often as wanted: no app vouches for them."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The verified claims of an app's token about a user. Times are seconds since the epoch."""

    id: str
    """The name under which the token is revoked: from its `jti`, or from the token itself where it has none."""
    issued_at: int
    ends_at: int


def id_of_jti(app: str, jti: str) -> str:
    """Return the id of an identity by the `jti` of its token."""
    return "jti_" + _digest(f"{app}\0{jti}")


def id_of_token(app: str, token: str) -> str:
    """Return the id of an identity whose token has no `jti`."""
    return "jwt_" + _digest(f"{app}\0{token}")


def identities_of(principal: str) -> str:
    """Return the subject by which all identities of a user are revoked that were issued so far."""
    return f"all_{principal}"


def claimed_from(session_id: str, visitor: str) -> str:
    """Return the subject by which a visitor comes no more into a conversation that a user has claimed."""
    return f"{session_id}/{visitor}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:40]
