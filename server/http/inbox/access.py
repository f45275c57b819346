"""The access of operators to the inbox, by the cookie of their sign-in.

Each request asks the database for the sign-in, so that a disabled account opens nothing from then on. A request that
changes something has to come from a page of this server: pages of the origins that may embed the chat are not ours.
"""

from urllib.parse import urlsplit

from starlette.requests import Request

from server.auth import Origins
from server.auth.sign_ins import sign_in_of
from server.endpoints.caller_resolver import CallerResolver
from server.errors import ForeignOrigin, LoopwireError
from server.store import SignedIn, Store

_SAFE = ("GET", "HEAD")


class NotSignedIn(LoopwireError):
    """The request has no sign-in that counts: the page for signing in is the answer."""

    code, status, text = "not_signed_in", 401, "Sign in first."


class InboxAccess:
    """Finds the operator of a request."""

    def __init__(
        self, store: Store, origins: Origins, caller_resolver: CallerResolver, public_url: str | None
    ) -> None:
        """`public_url` is the public address of this server, where a proxy changes what requests name."""
        self._accounts = store.operator_accounts
        self._origins = origins
        self._caller_resolver = caller_resolver
        self._own = _origin_of(public_url) if public_url else None

    def is_secure(self, request: Request) -> bool:
        """Return whether the cookie of this request travels over HTTPS alone."""
        return self._caller_resolver.is_secure(request.scope)

    async def signed_in(self, request: Request) -> SignedIn:
        """Return a request's account. Raises NotSignedIn, and ForeignOrigin for a change by another site's page."""
        self.require_own_page(request)
        digest = sign_in_of(request.headers, secure=self.is_secure(request))
        found = await self._accounts.find_sign_in(digest) if digest is not None else None
        if found is None:
            raise NotSignedIn
        return found

    def require_own_page(self, request: Request) -> None:
        """Raise ForeignOrigin for a change that does not come from a page of this server."""
        if request.method in _SAFE:
            return
        origin = request.headers.get("origin")
        own = origin is not None and origin == self._own
        if not own and not self._origins.is_own(request.scope["scheme"], request.headers):
            raise ForeignOrigin


def _origin_of(address: str) -> str:
    split = urlsplit(address)
    return f"{split.scheme}://{split.netloc}"
