"""The sender of a request of OpenAI's wire: an app by its key, and the user that the body or a header names."""

from starlette.requests import Request

from server.auth import principal_of_user
from server.endpoints.app_rates import REFUSAL, AppRates
from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import app_of, has_key, principal_of
from server.endpoints.rates import allowances_of, require_allowed
from server.errors import NoKey, NotFound
from server.identity import USER_PREFIX
from server.openai_clients.refusals import InvalidValue, ResponseNotFound
from server.openai_clients.response import PREFIX
from server.store import Run, Session


class KeyHolders:
    """The principal of a request, and which conversations it may open."""

    def __init__(self, parts: Dependencies, secret: bytes, rates: AppRates) -> None:
        self._parts = parts
        self._secret = secret
        self._rates = rates

    def require_key(self, request: Request) -> None:
        """Raise NoKey for a request without the key of an app: an OpenAI client keeps no cookie."""
        if not has_key(request):
            raise NoKey

    async def principal(self, request: Request, person: str | None) -> str:
        """Return the principal of the user who is named, else that of the app.

        A user who is named in the body is counted here. Raises InvalidValue where the header names another, and
        RateLimited.
        """
        counted: str | None = request.state.counted_user
        if person is None:
            return principal_of(request)
        named = principal_of_user(self._secret, app_of(request), person)
        if counted is not None and counted != named:
            raise InvalidValue("`user` and Loopwire-User name two users.", field="user")
        if counted is None:
            told = allowances_of(request.scope)
            told += await self._rates.spend_of_user(app_of(request), named)
            require_allowed(told, REFUSAL)
        return named

    async def session(self, request: Request, session_id: str, principal: str | None = None) -> Session:
        """Return a conversation that the request may open; with a `principal` only one of that one.

        A key that names no user opens those of all users of its app: it may name each of them, and no id can be
        guessed. It opens none of a visitor. Raises ResponseNotFound.
        """
        try:
            session = await self._parts.store.sessions.load(session_id)
        except NotFound:
            raise ResponseNotFound from None
        counted: str | None = request.state.counted_user
        wanted = principal if principal not in (None, principal_of_app(request)) else counted
        is_own = session.principal == wanted if wanted is not None else self._is_of_app(request, session)
        if session.app != app_of(request) or not is_own:
            raise ResponseNotFound
        # Another reading, which refuses a principal that was revoked.
        return await self._parts.store.sessions.get(session.id, session.principal)

    async def response(self, request: Request, id: str, principal: str | None = None) -> tuple[Run, Session]:
        """Return the run that a response is, with its conversation. Raises ResponseNotFound."""
        if not id.startswith(PREFIX):
            raise ResponseNotFound
        try:
            run = await self._parts.store.runs.get(id.removeprefix(PREFIX))
        except NotFound:
            raise ResponseNotFound from None
        session = await self.session(request, run.session_id, principal)
        service = self._parts.services.get(session.service)
        if service is not None and service.contract is not None:
            raise ResponseNotFound
        return run, session

    def _is_of_app(self, request: Request, session: Session) -> bool:
        return session.principal == principal_of(request) or session.principal.startswith(USER_PREFIX)


def principal_of_app(request: Request) -> str | None:
    """Return the principal of the app itself; None where a header names a user."""
    return principal_of(request) if request.state.counted_user is None else None
