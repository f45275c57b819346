"""The callers of services over REST: visitors by their cookies, others by the name of the session that they chose."""

import hashlib
import hmac
from dataclasses import dataclass

from starlette.requests import Request

from server.apps import DEMO
from server.requests.dependencies import is_newcomer, principal_of


@dataclass(frozen=True)
class ApiCaller:
    """An app, and the principal in it whose conversations are meant."""

    app: str
    principal: str


class Callers:
    """Recognises callers."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def of(self, request: Request, session_id: str | None) -> ApiCaller:
        """Return who asks.

        A caller without a cookie is known by the `session_id` that it chose: whoever knows that name goes on with the
        conversation, as at LoopOS, so it should not be guessable. Without one it is a new visitor.
        """
        if is_newcomer(request) and session_id is not None:
            made = hmac.digest(self._secret, f"session\0{session_id}".encode(), hashlib.sha256)
            return ApiCaller(DEMO, f"api_{made.hex()[:32]}")
        return ApiCaller(DEMO, principal_of(request))
