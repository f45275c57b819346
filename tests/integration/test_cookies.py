"""The visitor's cookie, beside one that a page of a sibling domain has planted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.integration.ws.visitor import Visitor
from tests.parts.server import Served, Servers

pytestmark = pytest.mark.once

HTTPS = {"x-forwarded-proto": "https"}


@pytest.fixture(scope="module")
def running() -> Iterator[Served]:
    """Yield a server behind a proxy that is trusted."""
    servers = Servers()
    yield servers()
    servers.close()


def origin(running: Served, *, secure: bool) -> dict[str, str]:
    """Return the headers of a page of ours, by its scheme."""
    return {"origin": running.url.replace("http:", "https:"), **HTTPS} if secure else {}


@dataclass
class Owner:
    """A visitor with a conversation of its own."""

    visitor: Visitor
    secure: bool
    session: str

    @property
    def cookie(self) -> str:
        """Return what its browser sends."""
        return self.visitor.cookie

    def opens(self, cookie: str) -> int:
        """Ask for its conversation with these cookies; 200 when they are its own, 404 when they are another's."""
        headers = {**origin(self.visitor.served, secure=self.secure), "cookie": cookie}
        return self.visitor.stranger().request("GET", f"/v1/sessions/{self.session}", headers=headers).status


def owner(running: Served, *, secure: bool) -> Owner:
    """Begin a conversation as a new visitor."""
    new = Visitor(running)
    answer = new.request("POST", "/v1/tickets", {}, headers=origin(running, secure=secure))
    assert answer.status == 200
    return Owner(new, secure, answer.body["session_id"])


def test_a_planted_cookie_is_ignored_over_https(running: Served) -> None:
    own, attacker = owner(running, secure=True), owner(running, secure=True)
    assert own.cookie.startswith("__Host-loopwire_visitor=")
    planted = attacker.cookie.removeprefix("__Host-")
    for cookie in (f"{planted}; {own.cookie}", f"{own.cookie}; {planted}"):
        assert (own.opens(cookie), attacker.opens(cookie)) == (200, 404)
    assert attacker.opens(planted) == 404


def test_a_cookie_of_https_can_be_set_by_this_host_alone(running: Served) -> None:
    answer = Visitor(running).request("GET", "/v1/services", headers=origin(running, secure=True))
    parts = {each.strip() for each in answer.headers["set-cookie"].split(";")[1:]}
    assert {"Secure", "Path=/", "HttpOnly", "SameSite=Lax"} <= parts
    assert not any(each.lower().startswith("domain") for each in parts)


def test_cookies_of_two_visitors_are_refused_with_a_sentence_and_not_one_of_them_chosen(
    running: Served,
) -> None:
    own, attacker = owner(running, secure=False), owner(running, secure=False)
    for cookie in (f"{own.cookie}; {attacker.cookie}", f"{attacker.cookie}; {own.cookie}"):
        answer = Visitor(running, cookie=cookie).request("GET", "/v1/sessions")
        assert (answer.status, answer.body["error"]["code"]) == (409, "two_visitors")
        for path, language, words in (
            ("/", "pt", "Apague os cookies"),
            ("/sessions", "en", "Delete the cookies"),
        ):
            page = Visitor(running, cookie=cookie).request("GET", path, headers={"accept-language": language})
            assert page.status == 409 and words in page.body.decode()
            assert "set-cookie" not in {*answer.headers, *page.headers}
        assert Visitor(running, cookie=cookie).request("GET", "/healthz").status == 200
    for cookie in (
        f"{own.cookie}; {own.cookie}",
        f"{own.cookie}x; {own.cookie}",
        f"{own.cookie}; {own.cookie}x",
    ):
        assert own.opens(cookie) == 200


def test_a_visitor_from_http_is_a_new_visitor_over_https(running: Served) -> None:
    before = owner(running, secure=False).visitor
    answer = before.request("GET", "/v1/sessions", headers=origin(running, secure=True))
    assert answer.status == 200 and answer.body["sessions"] == []
    assert answer.headers["set-cookie"].startswith("__Host-loopwire_visitor=")


def test_a_visitor_who_leaves_over_https_loses_the_cookie_of_https(running: Served) -> None:
    visitor = owner(running, secure=True).visitor
    answer = visitor.request("DELETE", "/v1/visitor", headers=origin(running, secure=True))
    assert answer.status == 204
    gone = answer.headers["set-cookie"]
    assert gone.startswith("__Host-loopwire_visitor=") and "Max-Age=0" in gone and "Secure" in gone


def test_secure_cookies_are_named_so_without_a_proxy_that_says_https(serve: Servers) -> None:
    served = serve({"LOOPWIRE_SECURE_COOKIES": "1"})
    answer = Visitor(served).request("GET", "/v1/services")
    assert answer.headers["set-cookie"].startswith("__Host-loopwire_visitor=")
