"""Requests over HTTP in one person's name: by a visitor's cookie, by tickets of one's own server, or by a key."""

from __future__ import annotations

import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from ssl import SSLContext
from typing import Any
from urllib.parse import quote

import httpx2

from loopwire.errors import Garbled, LoopwireError, Refused, Unreachable, refusal_of
from loopwire.messages import Message
from loopwire.parts import Result

COOKIE = "loopwire_visitor"
TIMEOUT_S = 30.0
PAGE = 50

Json = Any
Mint = Callable[[str | None], Mapping[str, Any] | Awaitable[Mapping[str, Any]]]
"""Gives what `POST /v1/tickets` answered to one's own server, for a session or, without one, for a new one."""

log = logging.getLogger("loopwire")


class Access:
    """One HTTP client, and who it speaks for."""

    def __init__(
        self,
        url: str,
        *,
        mint: Mint | None = None,
        visitor: str | None = None,
        key: str | None = None,
        user: str | None = None,
    ) -> None:
        """`visitor` is the cookie of an earlier client; `user` is the user that an app's `key` speaks for."""
        self.url = url.rstrip("/")
        self.visitor = visitor
        self.bearer: str | None = None
        """The newest resume token: what opens the session where there is neither cookie nor key."""
        self.identified: str | None = None
        """The bearer of the current user, once `identify` has set one: tickets are requested in its name."""
        self._mint = mint
        self._key, self._user = key, user
        # The jar takes nothing: the one cookie is kept here, where it can be asked for.
        jar = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
        self._client = httpx2.AsyncClient(
            base_url=self.url, timeout=TIMEOUT_S, cookies=jar, verify=_trusted_authorities()
        )

    @property
    def socket_url(self) -> str:
        """Return the address of the server's socket."""
        return "ws" + self.url.removeprefix("http") + "/ws"

    async def aclose(self) -> None:
        """Let go of all connections."""
        await self._client.aclose()

    async def ticket(self, session: str | None, **new: str | None) -> tuple[str, str]:
        """Return a ticket and its session; without one a new session begins, as `new` says. Raises LoopwireError."""
        if self._mint is not None and self.identified is None:
            answer = await self._minted(self._mint, session)
        else:
            asked = {"session_id": session} if session else new
            body = {name: value for name, value in asked.items() if value is not None}
            answer = await self.json("POST", "/v1/tickets", json=body)
        try:
            return str(answer["ticket"]), str(answer["session_id"])
        except (KeyError, TypeError) as error:
            raise Garbled("a ticket has the fields ticket and session_id") from error

    async def json(self, method: str, path: str, **options: Any) -> Json:
        """Ask, and return the body. Raises Refused, Unreachable, and Garbled where the body is no JSON."""
        return json_of(await self.request(method, path, **options))

    async def request(
        self, method: str, path: str, *, headers: Mapping[str, str] | None = None, **options: Any
    ) -> httpx2.Response:
        """Send a request, and return the response. Raises Refused, and Unreachable when there is none."""
        own = {**self._identity(), **(headers or {})}
        try:
            response = await self._client.request(method, path, headers=own, **options)
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            raise Unreachable("unreachable", f"{self.url}: {error!r}", retry=True) from error
        self._keep_visitor(response)
        if response.is_success:
            return response
        raise refusal_of(response.status_code, _body_of(response), response.headers.get("retry-after"))

    async def session_request(self, method: str, session: str, path: str, **options: Any) -> Json:
        """Ask something of a session. A resume token may be older than it is good for: then a new ticket goes."""
        whole = f"/v1/sessions/{quote(session, safe='')}{path}"
        if self._mint is None or self.identified is not None:
            return await self.json(method, whole, **options)
        own = options.pop("headers", {})

        async def ask(bearer: str) -> Json:
            headers = {**own, "authorization": f"Bearer {bearer}"}
            return await self.json(method, whole, headers=headers, **options)

        try:
            if self.bearer is not None:
                return await ask(self.bearer)
        except Refused as refused:
            if refused.code != "unauthorized":
                raise
        ticket, _ = await self.ticket(session)
        return await ask(ticket)

    async def messages(self, session: str) -> AsyncIterator[Message]:
        """Yield the stored messages of a session, the newest first. Raises LoopwireError."""
        asked: Json = {"limit": PAGE}
        while True:
            page = await self.session_request("GET", session, "/messages", params=asked)
            for each in reversed(page["messages"]):
                yield each
            if page["before"] is None:
                return
            asked["before"] = page["before"]

    async def end_of(self, run_id: str, words: str) -> Result | None:
        """Ask how a run ended; None while it has not. Raises LoopwireError: who has tickets alone may not ask."""
        if self._mint is not None and self.identified is None:
            raise Refused("forbidden", "A ticket opens no jobs.")
        job = await self.json("GET", f"/v1/jobs/{quote(run_id, safe='')}")
        if job["status"] == "done":
            return Result("finished", words, "success")
        if job["status"] != "failed":
            return None
        code = (job.get("error") or {}).get("code", "internal")
        if code in {"cancelled", "interrupt"}:
            return Result("finished", words, code)
        return Result("error", words, code=code)

    def _identity(self) -> dict[str, str]:
        if self._key is not None:
            user = {} if self._user is None else {"loopwire-user": quote(self._user)}
            return {"authorization": f"Bearer {self._key}", **user}
        if self.identified is not None:
            return {"authorization": f"Bearer {self.identified}"}
        return {"cookie": self.visitor} if self.visitor else {}

    def _keep_visitor(self, response: httpx2.Response) -> None:
        for header in response.headers.get_list("set-cookie"):
            cookie = header.partition(";")[0].strip()
            if cookie.partition("=")[0].removeprefix("__Host-") == COOKIE:
                self.visitor = cookie

    async def _minted(self, mint: Mint, session: str | None) -> Mapping[str, Any]:
        """Ask for a ticket; what its maker throws is tried again, once it has worked."""
        try:
            made = mint(session)
            return await made if inspect.isawaitable(made) else made
        except LoopwireError:
            raise
        except Exception as error:
            log.warning("no ticket: %r", error)
            raise Refused("no_ticket", repr(error), retry=self.bearer is not None) from error


@cache
def _trusted_authorities() -> SSLContext:
    """Return what all clients trust: to read it takes 50 ms each time."""
    return httpx2.create_ssl_context()


def json_of(response: httpx2.Response) -> Json:
    """Return the body of a response. Raises Garbled."""
    try:
        return response.json()
    except ValueError as error:
        raise Garbled(f"{response.url} answered no JSON") from error


def _body_of(response: httpx2.Response) -> Json:
    try:
        return response.json()
    except ValueError:
        return None
