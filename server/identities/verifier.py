"""The verification of identity tokens: each app's by the one algorithm and the keys of its configuration."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from server.apps import App
from server.auth import principal_of_user
from server.callbacks import Guard
from server.identities.errors import NoIdentities
from server.identities.key_sets import KeySet
from server.identities.token_claims import read_header, verify
from server.identity import Identity


@dataclass(frozen=True, slots=True)
class VerifiedUser:
    """The user of a token: its name in the app, its principal here, and the identity."""

    user: str
    principal: str
    identity: Identity


class Verifier:
    """Verifies tokens of all apps; one per process."""

    def __init__(self, apps: Mapping[str, App], secret: bytes, guard: Guard) -> None:
        self._secret = secret
        self._known = {name: app.identities for name, app in apps.items() if app.identities is not None}
        self._key_sets = {
            name: KeySet(known.jwks_url, known.algorithm, guard)
            for name, known in self._known.items()
            if known.jwks_url is not None
        }

    async def verify(self, app: str, text: str) -> VerifiedUser:
        """Return the user that a token of an app names.

        Raises what IdentityRefused is of, and IdentityKeysUnavailable.
        """
        known = self._known.get(app)
        if known is None:
            raise NoIdentities
        token = read_header(text, known.algorithm)
        if app in self._key_sets:
            keys = await self._key_sets[app].find(token.kid)
        else:
            keys = [each.encode() for each in known.secret]
        user, identity = verify(token, keys, algorithm=known.algorithm, app=app, now=int(time.time()))
        return VerifiedUser(user, self.principal_of(app, user), identity)

    def principal_of(self, app: str, user: str) -> str:
        """Return the principal of an app's user: the one that the app's backend names by `Loopwire-User` too."""
        return principal_of_user(self._secret, app, user)
