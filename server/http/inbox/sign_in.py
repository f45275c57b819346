"""The page where operators sign in: a wrong password and an unknown name get the same answer at the same cost."""

import asyncio
import hashlib
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from math import ceil

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from server.api.multipart_forms import read_fields
from server.auth.passwords import HASH_OF_NOTHING, LONGEST_PASSWORD, is_password
from server.auth.sign_ins import new_sign_in, sign_in_cookie, sign_in_digest
from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import address_of
from server.endpoints.rates import RequestRate, spend
from server.errors import RateLimited, Unavailable
from server.http.inbox.access import InboxAccess, NotSignedIn
from server.http.inbox.renderer import INBOX, SIGN_IN, InboxRenderer
from server.store import SIGNED_IN_HOURS, OperatorAccount
from server.store.operator_accounts import fold_name

MOST_FORM = 4096
"""Bytes of the form."""

MOST_FIELDS = 4

MOST_WAITING = 20
"""Passwords that wait to be verified, which happens one after the other; beyond them 503."""


@dataclass
class SignInPage:
    """Draws the form, and begins and ends sign-ins."""

    parts: Dependencies
    access: InboxAccess
    inbox_renderer: InboxRenderer

    def __post_init__(self) -> None:
        """Verify one password at a time, so that guesses take one core at most."""
        self._turn = asyncio.Lock()
        self._waiting = 0

    @cached_property
    def _rate_of_addresses(self) -> RequestRate:
        return RequestRate("sign-ins", self.parts.limits.sign_ins_per_address, self.parts.counts)

    @cached_property
    def _rate_of_names(self) -> RequestRate:
        return RequestRate("sign-ins-of-name", self.parts.limits.sign_ins_per_name, self.parts.counts)

    def routes(self) -> list[BaseRoute]:
        """GET and POST /inbox/sign-in, POST /inbox/sign-out."""
        return [
            Route(SIGN_IN, self._show),
            Route(SIGN_IN, self._sign_in, methods=["POST"]),
            Route("/inbox/sign-out", self._sign_out, methods=["POST"]),
        ]

    async def _show(self, request: Request) -> Response:
        try:
            await self.access.signed_in(request)
        except NotSignedIn:
            return self._page(request)
        return RedirectResponse(INBOX, HTTPStatus.SEE_OTHER)

    async def _sign_in(self, request: Request) -> Response:
        """Take name and password. Raises ForeignOrigin, BadFrame, TooLong and Unavailable."""
        self.access.require_own_page(request)
        try:
            await spend(request, (self._rate_of_addresses, address_of(request)))
            form = await read_fields(request, most_bytes=MOST_FORM, most_fields=MOST_FIELDS)
            name, password = form.get("name", ""), form.get("password", "")
            await spend(request, (self._rate_of_names, hashlib.sha256(fold_name(name).encode()).hexdigest()))
        except RateLimited as error:
            return self._page(request, "inbox.sign_in.often", HTTPStatus.TOO_MANY_REQUESTS, error.retry_after)
        account = await self._account(name, password)
        if account is None:
            return self._page(request, "inbox.sign_in.wrong", HTTPStatus.UNAUTHORIZED)
        value = new_sign_in()
        await self.parts.store.operator_accounts.sign_in(account.id, sign_in_digest(value))
        await self._record(account, "sign_in")
        return self._leave(request, INBOX, value, SIGNED_IN_HOURS * 3600)

    async def _sign_out(self, request: Request) -> Response:
        try:
            signed_in = await self.access.signed_in(request)
        except NotSignedIn:
            return self._leave(request, SIGN_IN, "", 0)
        await self.parts.store.operator_accounts.sign_out(signed_in.id)
        await self._record(signed_in.account, "sign_out")
        await self.parts.bus.signals.revoke(signed_in.id)
        return self._leave(request, SIGN_IN, "", 0)

    async def _account(self, name: str, password: str) -> OperatorAccount | None:
        """Return the account that this is the password of. Raises Unavailable where too many wait."""
        if self._waiting >= MOST_WAITING:
            raise Unavailable(retry_after=5)
        self._waiting += 1
        try:
            found = await self.parts.store.operator_accounts.find(name)
            account, hashed = found if found is not None else (None, HASH_OF_NOTHING)
            async with self._turn:
                right = await asyncio.to_thread(is_password, password[: LONGEST_PASSWORD + 1], hashed)
        finally:
            self._waiting -= 1
        return account if right else None

    async def _record(self, account: OperatorAccount, action: str) -> None:
        for app in account.roles:
            await self.parts.store.operator_actions.record(
                app=app, key_id=account.id, session_id=None, action=action
            )

    def _leave(self, request: Request, to: str, value: str, seconds: int) -> Response:
        answer = RedirectResponse(to, HTTPStatus.SEE_OTHER, {"cache-control": "no-store"})
        secure = self.access.is_secure(request)
        answer.headers["set-cookie"] = sign_in_cookie(value, secure=secure, seconds=seconds)
        return answer

    def _page(
        self,
        request: Request,
        failure: str = "",
        status: HTTPStatus = HTTPStatus.OK,
        retry_after: float | None = None,
    ) -> Response:
        headers = {"retry-after": str(max(1, ceil(retry_after)))} if retry_after else {}
        return self.inbox_renderer.page(request, "inbox/sign_in.html", status, headers, failure=failure)
