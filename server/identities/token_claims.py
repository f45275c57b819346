"""The claims of a token that says who a user of an app is: read and judged, without any I/O.

Each refusal has a code of its own, so that the signer finds the fault: the message quotes nothing of the token.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import jwt

from server.app_identities import Algorithm
from server.identities.errors import (
    IdentityAlgorithm,
    IdentityAudience,
    IdentityExpired,
    IdentityMalformed,
    IdentityNotYet,
    IdentitySignature,
    IdentitySubject,
    IdentityTooLarge,
    IdentityTooLong,
)
from server.identity import Identity, id_of_jti, id_of_token
from server.protocol.plain_text import has_control

MOST_BYTES = 8_192
MOST_NAME = 128
"""Characters of `sub`, `jti` and `kid`."""

MOST_SECONDS = 3_600
LEEWAY_SECONDS = 30
LATEST_SECONDS = 2**53
"""The largest number that JSON holds for sure (RFC 8259, section 6). The database could not hold any number."""

Key = Any
"""The key with which PyJWT verifies: bytes, or a public key of cryptography."""


@dataclass(frozen=True, slots=True)
class SignedToken:
    """A token whose header fits the app; its signature was not looked at yet."""

    text: str
    kid: str | None


def read_header(text: str, algorithm: Algorithm) -> SignedToken:
    """Return a token with the name of its key. Raises IdentityTooLarge, IdentityMalformed, IdentityAlgorithm."""
    if len(text) > MOST_BYTES:
        raise IdentityTooLarge
    try:
        header = jwt.get_unverified_header(text)
    except (jwt.InvalidTokenError, ValueError, RecursionError) as error:
        raise IdentityMalformed from error
    kid = header.get("kid")
    if "crit" in header or not (kid is None or (isinstance(kid, str) and 0 < len(kid) <= MOST_NAME)):
        raise IdentityMalformed("The header of the token has a kid that is no short text, or crit.")
    if header.get("alg") != algorithm:
        raise IdentityAlgorithm
    return SignedToken(text, kid)


def verify(
    token: SignedToken, keys: Sequence[Key], *, algorithm: Algorithm, app: str, now: int
) -> tuple[str, Identity]:
    """Return `sub` and the identity of a token that one of these keys signed. Raises what IdentityRefused is of.

    `now` is the time in seconds since the epoch. Of two keys the newer one comes first; the signature decides.
    """
    claims = _signed_claims(token, keys, algorithm)
    if claims.get("aud") != app:
        raise IdentityAudience
    subject, jti = claims.get("sub"), claims.get("jti")
    if not _is_name(subject):
        raise IdentitySubject
    if jti is not None and not _is_name(jti):
        raise IdentityMalformed("jti is a text of 1 to 128 characters, none of which is a control character.")
    ends_at = _seconds(claims, "exp")
    if ends_at is None:
        raise IdentityMalformed("The token has no exp.")
    if ends_at <= now - LEEWAY_SECONDS:
        raise IdentityExpired
    if ends_at > now + MOST_SECONDS + LEEWAY_SECONDS:
        raise IdentityTooLong
    issued_at, begins_at = _seconds(claims, "iat"), _seconds(claims, "nbf")
    if max(issued_at or 0, begins_at or 0) > now + LEEWAY_SECONDS:
        raise IdentityNotYet
    # A token that does not say when it was issued counts as issued when it could have been at the earliest.
    since = ends_at - MOST_SECONDS if issued_at is None else min(issued_at, now)
    identity = id_of_token(app, token.text) if jti is None else id_of_jti(app, jti)
    return subject, Identity(identity, since, ends_at + LEEWAY_SECONDS)


def _signed_claims(token: SignedToken, keys: Sequence[Key], algorithm: Algorithm) -> dict[str, Any]:
    """Return the claims. Raises IdentitySignature, IdentityMalformed."""
    for key in keys:
        try:
            claims: dict[str, Any] = jwt.decode(
                token.text,
                key,
                algorithms=[algorithm],
                # The claims are judged here, each with its own error.
                options={
                    "verify_exp": False,
                    "verify_nbf": False,
                    "verify_iat": False,
                    "verify_aud": False,
                    "verify_iss": False,
                    "verify_sub": False,
                    "verify_jti": False,
                },
            )
        except (jwt.InvalidSignatureError, jwt.InvalidKeyError):
            continue
        except (jwt.InvalidTokenError, ValueError, RecursionError) as error:
            raise IdentityMalformed from error
        return claims
    raise IdentitySignature


def _is_name(value: Any) -> TypeGuard[str]:
    """Return whether the value is a text that a database can store. A lone surrogate, which JSON can spell, is not."""
    if not isinstance(value, str) or not 0 < len(value) <= MOST_NAME or has_control(value):
        return False
    return not any("\ud800" <= each <= "\udfff" for each in value)


def _seconds(claims: dict[str, Any], name: str) -> int | None:
    """Return a time of the claims; None where there is none. Raises IdentityMalformed."""
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LATEST_SECONDS:
        raise IdentityMalformed(f"{name} is a number of seconds since 1970.")
    return int(value)
