"""The public keys of an app, at the address where it publishes them (RFC 7517): fetched through the guard and cached.

The server fetches a key set for the first token, again after ten minutes, and for a `kid` that is not in it, at most
every 30 seconds. While the address does not answer, keys that were read within the last hour are used.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from server.app_identities import Algorithm
from server.callbacks import Guard
from server.callbacks.guarded_get import FetchFailed, get_guarded
from server.errors import Unavailable, UrlNotAllowed
from server.identities.errors import IdentityKey, IdentityKeysUnavailable
from server.identities.token_claims import Key
from server.protocol.codec import read_json

MOST_BYTES = 64 * 1024
MOST_KEYS = 32
LEAST_RSA_BITS = 2_048
MOST_RSA_BITS = 8_192
TIMEOUT_S = 5.0
FRESH_S = 600.0
PAUSE_S = 30.0
"""Seconds between two requests for a key set: unknown `kid`s would cause a request for each token."""

STALE_S = 3_600.0

log = logging.getLogger(__name__)


class KeySet:
    """The keys of one app."""

    def __init__(
        self, url: str, algorithm: Algorithm, guard: Guard, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._url = url
        self._algorithm = algorithm
        self._guard = guard
        self._clock = clock
        self._keys: dict[str | None, Key] = {}
        self._read_at = self._asked_at = float("-inf")
        self._asking = asyncio.Lock()

    async def find(self, kid: str | None) -> Sequence[Key]:
        """Return the key that `kid` names; without `kid` the only key of the set.

        Raises IdentityKey, and IdentityKeysUnavailable where no keys are known.
        """
        if self._clock() - self._read_at > FRESH_S or self._find_known(kid) is None:
            await self._refresh(kid)
        if self._clock() - self._read_at > STALE_S:
            raise IdentityKeysUnavailable(retry_after=PAUSE_S)
        key = self._find_known(kid)
        if key is None:
            raise IdentityKey
        return [key]

    def _find_known(self, kid: str | None) -> Key | None:
        if kid is not None:
            return self._keys.get(kid)
        return next(iter(self._keys.values())) if len(self._keys) == 1 else None

    async def _refresh(self, kid: str | None) -> None:
        """Fetch the keys again, unless they were asked for within `PAUSE_S`; a failure keeps the known keys."""
        async with self._asking:
            now = self._clock()
            fresh = now - self._read_at <= FRESH_S and self._find_known(kid) is not None
            if fresh or now - self._asked_at < PAUSE_S:
                return
            self._asked_at = now
            try:
                self._keys = read_key_set(await self._fetch(), self._algorithm)
            except (UrlNotAllowed, IdentityKeysUnavailable) as error:
                log.warning("the key set of an app was not read: %s", error.code)
                return
            self._read_at = now

    async def _fetch(self) -> bytes:
        """Return the body at the address of the key set. Raises UrlNotAllowed, IdentityKeysUnavailable."""
        try:
            return await get_guarded(
                self._url, self._guard, accept="application/json", most_bytes=MOST_BYTES, seconds=TIMEOUT_S
            )
        except (FetchFailed, Unavailable) as error:
            raise IdentityKeysUnavailable from error


def read_key_set(raw: bytes, algorithm: Algorithm) -> dict[str | None, Key]:
    """Return the keys of a key set that verify signatures of this algorithm, by their names.

    Keys of other kinds and uses are passed over; of two with the same name the first counts.
    Raises IdentityKeysUnavailable for what is no key set, or none with such a key.
    """
    try:
        found = read_json(raw)
    except ValueError as error:
        raise IdentityKeysUnavailable from error
    listed = found.get("keys") if isinstance(found, dict) else None
    if not isinstance(listed, list):
        raise IdentityKeysUnavailable
    keys: dict[str | None, Key] = {}
    for each in listed[:MOST_KEYS]:
        key = _public_key(each, algorithm)
        if key is not None:
            keys.setdefault(each.get("kid"), key)
    if not keys:
        raise IdentityKeysUnavailable
    return keys


def _public_key(entry: Any, algorithm: Algorithm) -> Key | None:
    """Return the key of an entry, None where it does not verify signatures of this algorithm."""
    if not isinstance(entry, dict) or entry.get("use", "sig") != "sig":
        return None
    if entry.get("alg", algorithm) != algorithm or not isinstance(entry.get("kid"), str | None):
        return None
    if entry.get("kty") != {"RS256": "RSA", "ES256": "EC"}.get(algorithm) or "d" in entry:
        return None
    try:
        key = jwt.PyJWK.from_dict(entry, algorithm).key
    except (jwt.PyJWTError, ValueError, TypeError):
        return None
    if isinstance(key, RSAPublicKey):
        return key if LEAST_RSA_BITS <= key.key_size <= MOST_RSA_BITS else None
    return key if isinstance(key, EllipticCurvePublicKey) and isinstance(key.curve, SECP256R1) else None
