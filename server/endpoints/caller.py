"""The callers of services over REST: apps by their keys, visitors by their cookies, others by the session they name."""

import hashlib
import hmac
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from server.endpoints.identity import app_of, is_newcomer, principal_of
from server.errors import NoKey
from server.identity import CALLER_PREFIX


@dataclass(frozen=True)
class ApiCaller:
    """An app, and the principal in it whose conversations are meant."""

    app: str
    principal: str


class Callers:
    """Recognises callers."""

    def __init__(self, secret: bytes, *, open_to_all: bool) -> None:
        """`open_to_all` lets in a client that has neither a key nor a cookie."""
        self._secret = secret
        self._open = open_to_all

    def require_known(self, request: HTTPConnection) -> None:
        """Raise NoKey for a stranger where only known callers are answered."""
        if is_newcomer(request) and not self._open:
            raise NoKey

    def of(self, request: HTTPConnection, session_id: str | None) -> ApiCaller:
        """Return who asks.

        A caller without key and cookie is known by the `session_id` that it chose: a client that knows it goes on
        with the conversation, as at LoopOS, so it should not be guessable. Without one it is a new visitor. Raises
        NoKey where the installation requires a key.
        """
        self.require_known(request)
        if is_newcomer(request) and session_id is not None:
            # With a cookie the next request would be a visitor's, whose conversation of this name is another.
            request.state.by_name = True
            made = hmac.digest(self._secret, f"session\0{session_id}".encode(), hashlib.sha256)
            return ApiCaller(app_of(request), f"{CALLER_PREFIX}{made.hex()[:32]}")
        return ApiCaller(app_of(request), principal_of(request))
