"""The sender of a request, as the middlewares determined it: principal, app, key, operator and address."""

from starlette.requests import HTTPConnection

from server.apps import DEMO
from server.errors import (
    TwoVisitors,
)
from server.identity import Identity
from server.proxies import counted_client
from server.store import Session


def principal_of(request: HTTPConnection) -> str:
    """Return the principal that the visitor middleware found. Raises TwoVisitors."""
    principal: str | None = request.state.principal
    if principal is None:
        raise TwoVisitors
    return principal


def operated_session(request: HTTPConnection) -> Session | None:
    """Return the session that an operator of its app asks for; None where no operator asks."""
    session: Session | None = getattr(request.state, "operated", None)
    return session


def is_operator(request: HTTPConnection) -> bool:
    """Return whether a key of scope `operator` opened this request."""
    return getattr(request.state, "operator_key", None) is not None


def operator_key(request: HTTPConnection) -> str:
    """Return the id of the key by which an operator asks."""
    key_id: str = request.state.operator_key
    return key_id


def reader_name(request: HTTPConnection) -> str:
    """Return the reader's name: the principal itself, or an operator's key, which gets no token of the principal."""
    return principal_of(request) if operated_session(request) is None else operator_key(request)


def is_newcomer(request: HTTPConnection) -> bool:
    """Return whether the server made the visitor for this request, which has no valid cookie."""
    newcomer: bool = request.state.newcomer
    return newcomer


def app_of(request: HTTPConnection) -> str:
    """Return the app that a request belongs to: that of its key, else that of its page's origin."""
    app: str = getattr(request.state, "app", DEMO)
    return app


def identity_of(request: HTTPConnection) -> Identity | None:
    """Return the identity by which a token of the app named the user; None where no such token was shown."""
    identity: Identity | None = getattr(request.state, "identity", None)
    return identity


def ended_principal_of(request: HTTPConnection) -> str | None:
    """Return whose token was shown that opens nothing any more; None where a good one was shown, or none."""
    ended: str | None = getattr(request.state, "ended", None)
    return ended


def in_frame(request: HTTPConnection) -> bool:
    """Return whether the sender showed the token of a frame, or of a user, and no cookie."""
    framed: bool = getattr(request.state, "framed", False)
    return framed


def has_key(request: HTTPConnection) -> bool:
    """Return whether an app's own program asks.

    Its requests are counted for the app and its user, not for an address.
    """
    keyed: bool = getattr(request.state, "keyed", False)
    return keyed


def address_of(request: HTTPConnection) -> str:
    """Return the address that limits count; behind a trusted proxy that is the client's own."""
    return counted_client(request.scope)


def counted_caller(request: HTTPConnection) -> str:
    """Return what limits count for a request's caller: the app whose key it has, else its address."""
    return f"app {app_of(request)}" if has_key(request) else address_of(request)
