"""The access of operators: a key of that scope opens the conversations of its app, whatever visitor they belong to.

A request for one of them acts as the conversation's own principal, so that each endpoint answers as usual. It
is recorded before anything is read: a record that cannot be stored refuses the request.
"""

from collections.abc import Mapping

from server import patterns
from server.agents.service import Service
from server.asgi import Asgi, Receive, Scope, Send
from server.auth import KeyScope
from server.errors import LoopwireError, NotFound
from server.http.failures import error_response
from server.store import Session, Store

TICKETS = "/v1/tickets"

_SESSION = patterns.compile(r"/v1/sessions/([^/]+)(?:/(messages|events|log|operator|blobs)(?:/[^/]+)?)?\Z")
_READS = {"": "read", "messages": "messages", "events": "events", "log": "events", "blobs": "blob"}
"""The recorded action of a GET, by the last part of its path."""

_CHANGES = {("POST", "messages"), ("PUT", "operator"), ("DELETE", "operator")}


def scopes_that_open(method: str, path: str) -> frozenset[KeyScope]:
    """Return the scopes of which a key needs one for a request."""
    if path == TICKETS:
        return frozenset({"tickets"})
    if path.startswith("/v1/operator/"):
        return frozenset({"operator"})
    found = _SESSION.match(path)
    if found is not None and (method, found[2]) in _CHANGES:
        return frozenset({"operator"})
    if found is not None and method in ("GET", "HEAD") and (found[2] or "") in _READS:
        return frozenset({"rest", "operator"})
    return frozenset({"rest"})


class OperatorAccess:
    """Lets operators in to the sessions of their app, behind the authentication of keys."""

    def __init__(self, app: Asgi, store: Store, services: Mapping[str, Service]) -> None:
        self._app = app
        self._store = store
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Open what is asked for if an operator asks, and pass it on."""
        key_id = scope["state"].get("operator_key")
        try:
            if key_id is not None:
                await self._open(scope, key_id)
        except LoopwireError as error:
            await error_response(error, scope)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _open(self, scope: Scope, key_id: str) -> None:
        """Find the session of a request, and record a reading. Raises NotFound."""
        state, found = scope["state"], _SESSION.match(scope["path"])
        session = None
        if found is not None:
            session = await self._conversation(found[1], state["app"])
            state.update(operated=session, principal=session.principal)
        if scope["method"] in ("GET", "HEAD"):
            await self._store.operator_actions.record(
                app=state["app"],
                key_id=key_id,
                session_id=session.id if session is not None else None,
                action=_READS[found[2] or ""] if found is not None else "list",
            )

    async def _conversation(self, session_id: str, app: str) -> Session:
        """Return a conversation of an app: what services answer to requests is none. Raises NotFound."""
        session = await self._store.app_sessions.find(session_id, app)
        known = self._services.get(session.service)
        if known is not None and known.contract is not None:
            raise NotFound
        return session
