"""Operators who sign in as a browser does, with accounts in the database of a running server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from server.auth.passwords import password_hash
from server.store import Store
from tests.parts.server import Served

PASSWORD = "correct horse battery"


async def new_account(
    served: Served, environment: Mapping[str, str], name: str, role: str = "agent", app: str = "demo"
) -> None:
    """Make an account beside a running server."""
    store = await Store.open_beside(environment.get("DATABASE_URL"), data_dir=Path(served.data_dir))
    try:
        assert await store.operator_accounts.add(name, {app: role}, password_hash(PASSWORD)) is not None
    finally:
        await store.aclose()


@dataclass
class Page:
    """An answer."""

    status: int
    headers: HTTPResponse
    text: str


@dataclass
class Operator:
    """The browser of an operator: it sends its cookie, and follows no redirect."""

    served: Served
    cookie: str = ""
    address: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Page:
        """Ask for a page, or send a form; keep the cookie of the sign-in that is set."""
        own = {"Origin": self.served.url, "Cookie": self.cookie, **self.headers}
        if self.address:
            own["X-Forwarded-For"] = self.address
        if body is not None:
            own["Content-Type"] = "application/x-www-form-urlencoded"
        split = urlsplit(self.served.url)
        connection = HTTPConnection(split.hostname or "", split.port, timeout=60)
        try:
            asked = {name: value for name, value in {**own, **(headers or {})}.items() if value}
            connection.request(method, path, body, asked)
            answer = connection.getresponse()
            page = Page(answer.status, answer, answer.read().decode())
        finally:
            connection.close()
        for each in answer.headers.get_all("Set-Cookie") or []:
            if each.startswith("loopwire_operator="):
                self.cookie = each.partition(";")[0]
        return page

    def form(self, path: str, headers: Mapping[str, str] | None = None, **fields: str) -> Page:
        """Send a form."""
        return self.ask("POST", path, urlencode(fields).encode(), headers)

    def sign_in(self, name: str, password: str = PASSWORD, headers: Mapping[str, str] | None = None) -> Page:
        """Show a name and a password."""
        return self.form("/inbox/sign-in", headers, name=name, password=password)
