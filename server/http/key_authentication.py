"""The authentication of programs by the key of an app, and the app that a request belongs to.

`Authorization: Bearer lwk_…` speaks for the key's app. `Loopwire-User` names one of its users in the app's own words:
the request is then of that user alone, as that of a visitor is of its cookie. Without the header it is of the app.
A request without a key belongs to the app of its frame or of its page's origin, else to `demo`.
"""

import hmac
import time
from collections import OrderedDict
from collections.abc import Mapping, MutableMapping, Sequence
from functools import partial
from typing import Any, Protocol
from urllib.parse import unquote

from server.apps import DEMO, App, apps_of_origins
from server.asgi import Asgi, Receive, Scope, Send
from server.auth import KEY_PREFIX, KeyScope, digest_of, headers_of, id_of_key, principal_of_user
from server.endpoints.app_rates import REFUSAL, AppRates
from server.endpoints.rates import Allowance, allowances_of, rate_headers, require_allowed
from server.errors import BadFrame, KeyNotAllowed, LoopwireError, Unauthorized, UnknownKey
from server.http.failures import error_response
from server.http.operator_access import scopes_that_open
from server.limit_counters import Windows
from server.limits import Limits
from server.protocol.plain_text import has_control
from server.proxies import counted_client
from server.store.app_keys import AppKey

KNOWN_S = 5.0
"""Seconds in which a process that has just seen a key may still accept it after its end."""

MOST_KNOWN = 2_000
MOST_USER = 200
"""Characters of a user's name."""


class Keys(Protocol):
    """The store of keys."""

    async def find(self, id: str) -> AppKey | None:
        """Return the key of this id that has not ended."""
        ...


class KeyAuthentication:
    """Authenticates a request with a key, as the key's principal."""

    def __init__(
        self,
        app: Asgi,
        *,
        keys: Keys,
        rates: AppRates,
        apps: Mapping[str, App],
        secret: bytes,
        limits: Limits,
    ) -> None:
        self._app = app
        self._keys = keys
        self._rates = rates
        self._apps = apps
        self._secret = secret
        self._app_of_origin = apps_of_origins(apps)
        self._wrong = Windows(limits.guesses_per_address)
        self._known: OrderedDict[str, tuple[float, AppKey | None]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find out whose request it is, and pass it on."""
        headers = headers_of(scope)
        scheme, _, credential = headers.get("authorization", "").partition(" ")
        state = scope.setdefault("state", {})
        told = allowances_of(scope)
        if scheme.lower() != "bearer" or not credential.strip().startswith(KEY_PREFIX):
            # The app of a frame is known already, by its token.
            state.setdefault("app", self._app_of_origin.get(headers.get("origin", ""), DEMO))
            try:
                _refuse_user_without_key(headers)
                await self._spend_of_user(state, told)
            except LoopwireError as error:
                await error_response(error, scope)(scope, receive, _with(send, told))
                return
            await self._app(scope, receive, _with(send, told))
            return
        try:
            address = counted_client(scope)
            key = await self._key(credential.strip(), address)
            user = _user_of(headers)
            opening = _require_scope(key, scope, user)
            principal = principal_of_user(self._secret, key.app, user)
            told += await self._rates.spend(key.app, principal if user is not None else None)
            require_allowed(told, REFUSAL)
        except LoopwireError as error:
            await error_response(error, scope)(scope, receive, _with(send, told))
            return
        counted = principal if user is not None else None
        state.update(app=key.app, principal=principal, newcomer=False, keyed=True, counted_user=counted)
        if "operator" in opening:
            state["operator_key"] = key.id
        # A socket outlives its handshake: it asks again at each message whether the key still opens it.
        state["require_key"] = partial(self._key, credential.strip(), address)
        # The application below reads a bearer as a ticket or token of one session, so the key is removed.
        bare = [pair for pair in scope["headers"] if pair[0].lower() not in (b"authorization", b"cookie")]
        await self._app({**scope, "headers": bare}, receive, _with(send, told))

    async def _spend_of_user(self, state: Mapping[str, Any], told: list[Allowance]) -> None:
        """Count a request of a user that an identity names; limits of addresses count besides. Raises RateLimited."""
        if state.get("identity") is None:
            return
        told += await self._rates.spend_of_user(state["app"], state["principal"])
        require_allowed(told, REFUSAL)

    async def _key(self, text: str, address: str) -> AppKey:
        """Return the key that was shown.

        Raises UnknownKey, and RateLimited where an address showed too many wrong ones: each is looked up.
        """
        id = id_of_key(text)
        key = None if id is None else await self._find(id, address)
        shown = digest_of(text)
        if key is None or not hmac.compare_digest(shown, key.digest) or key.app not in self._apps:
            self._wrong.add(address)
            raise UnknownKey
        return key

    async def _find(self, id: str, address: str) -> AppKey | None:
        now = time.monotonic()
        known = self._known.get(id)
        if known is not None and known[0] > now:
            return known[1]
        if known is None or known[1] is None:
            self._wrong.check(address)
        key = await self._keys.find(id)
        self._known[id] = (now + KNOWN_S, key)
        self._known.move_to_end(id)
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return key


def _require_scope(key: AppKey, scope: Scope, user: str | None) -> frozenset[str]:
    """Return those scopes of the key that open a request. Raises KeyNotAllowed when none does.

    A request that names a user is of that user alone: no operator makes it.
    """
    needed: frozenset[KeyScope] = scopes_that_open(scope.get("method", "GET"), scope["path"])
    if user is not None and needed == {"operator"}:
        raise KeyNotAllowed("An operator speaks for no user: leave Loopwire-User out.")
    opening = (needed if user is None else needed - {"operator"}) & key.scopes
    if not opening:
        raise KeyNotAllowed(f"This key does not have the scope {' or '.join(sorted(needed, reverse=True))}.")
    return opening


def _refuse_user_without_key(headers: Mapping[str, str]) -> None:
    """Refuse a request that names a user and shows nothing: it would be another's unnoticed. Raises Unauthorized."""
    if "loopwire-user" in headers and "authorization" not in headers:
        raise Unauthorized(
            "Loopwire-User counts beside the key of an app alone: Authorization: Bearer lwk_…."
        )


def _user_of(headers: Mapping[str, str]) -> str | None:
    """Return the user that the app names, percent-decoded; None when it names none. Raises BadFrame."""
    given = headers.get("loopwire-user")
    if given is None:
        return None
    user = unquote(given.strip(), errors="replace")
    if not 1 <= len(user) <= MOST_USER or has_control(user):
        raise BadFrame(
            f"Loopwire-User has 1 to {MOST_USER} characters, percent-encoded where they are not ASCII."
        )
    return user


def _with(send: Send, told: Sequence[Allowance]) -> Send:
    """Add to the response what is left of the limits that the request was counted in."""

    async def send_with_headers(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start" and told:
            more = [(name.encode(), value.encode()) for name, value in rate_headers(told).items()]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return send_with_headers
