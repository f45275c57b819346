"""Programs that keep cookies, as an HTTP client with a session does: they lose no conversation and no job by one."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from typing import Any

import pytest

from tests.integration.conversation.seller import new_address
from tests.integration.requests.chat_client import body_of
from tests.integration.ws.visitor import Answer
from tests.parts.sampled import later
from tests.parts.server import Served

pytestmark = pytest.mark.once

DECISION = {"prompt": "Qual?", "options": ["A", "B"], "item_context": "A"}


class JarCaller:
    """A program with a cookie jar, at an address of its own."""

    def __init__(self, served: Served, *, origin: str | None = None) -> None:
        self.jar = CookieJar()
        self._served = served
        self._own = {"x-forwarded-for": new_address(), **({"origin": origin} if origin else {})}
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def request(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Ask over HTTP."""
        data = None if body is None else json.dumps(body).encode()
        own = {"content-type": "application/json", **self._own, **headers}
        request = urllib.request.Request(self._served.url + path, data=data, method=method, headers=own)
        try:
            response = self._opener.open(request, timeout=60)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            raw = response.read()
            is_json = response.headers.get_content_type() == "application/json"
            return Answer(response.status, response.headers, json.loads(raw) if is_json else raw)

    def say(self, text: str, name: str) -> Answer:
        """Send a message of a chat that is answered."""
        answer = self.request("POST", "/chat", body_of(text, name))
        assert answer.status == 200, answer.body
        return answer


def session_of(answer: Answer) -> str:
    """Return the session that an answer names."""
    return str(answer.headers["x-loopwire-session"])


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/loopos_ai_decision", DECISION, 200),
        ("POST", "/loopos_ai_decision", {}, 422),
        ("POST", "/chat", {"messages": []}, 422),
        ("POST", "/chat", body_of("olá"), 200),
        ("GET", "/v1/jobs/run_unknown", None, 404),
        ("GET", "/openapi.json", None, 200),
        ("GET", "/health", None, 200),
        ("GET", "/nothing/here", None, 404),
        ("GET", "/v1/sessions/ses_unknown", None, 404),
        ("POST", "/v1/tickets", {"service": "nothing"}, 404),
    ],
)
def test_what_a_program_asks_gives_no_cookie(
    loopwire: Served, method: str, path: str, body: Any, status: int
) -> None:
    program = JarCaller(loopwire)
    assert program.request(method, path, body).status == status
    assert not list(program.jar)


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/"), later("GET", "/v1/sessions"), later("POST", "/v1/tickets")]
)
def test_a_conversation_and_its_jobs_are_found_after_a_page_gave_a_cookie(
    loopwire: Served, method: str, path: str
) -> None:
    program = JarCaller(loopwire)
    name = f"jar-{new_address()}"
    first = program.say("Quero vender um iPhone 12", name)
    program.say("Sim, iPhone 12", name)
    posted = program.request(
        "POST", "/chat", body_of("128 GB", name, callback_url="https://receiver.example/told")
    )
    assert posted.status in (202, 422), posted.body
    job = f"/v1/jobs/{first.headers['x-loopwire-run']}?session_id={name}"
    assert program.request("GET", job).status == 200
    assert program.request(method, path, {} if method == "POST" else None).status == 200
    assert list(program.jar)
    after = program.say("128 GB", name)
    assert session_of(after) == session_of(first)
    assert program.request("GET", job).status == 200


def test_a_repeated_request_is_one_run_after_a_cookie(loopwire: Served) -> None:
    program = JarCaller(loopwire)
    key = f"jar-{new_address()}"
    first = program.request("POST", "/loopos_ai_decision", DECISION, **{"idempotency-key": key})
    program.request("GET", "/")
    again = program.request("POST", "/loopos_ai_decision", DECISION, **{"idempotency-key": key})
    assert again.headers["x-loopwire-run"] == first.headers["x-loopwire-run"]


def test_a_visitors_own_session_of_a_name_is_preferred_and_opened_by_nobody_else(loopwire: Served) -> None:
    visitor, stranger = JarCaller(loopwire), JarCaller(loopwire)
    name = f"jar-{new_address()}"
    visitor.request("GET", "/")
    own = visitor.say("Quero vender um iPhone 12", name)
    other = stranger.say("Quero vender um iPhone 12", name)
    assert session_of(own) != session_of(other)
    assert session_of(visitor.say("olá", name)) == session_of(own)
    job = f"/v1/jobs/{own.headers['x-loopwire-run']}?session_id={name}"
    assert stranger.request("GET", job).status == 404


def test_a_browser_is_not_led_into_a_session_that_a_stranger_has_begun(loopwire: Served) -> None:
    """A stranger knows the name of its session and would read what the person writes there."""
    stranger, browser = JarCaller(loopwire), JarCaller(loopwire, origin=loopwire.url)
    name = f"jar-{new_address()}"
    planted = stranger.say("olá", name)
    browser.request("GET", "/")
    assert session_of(browser.say("Quero vender um iPhone 12", name)) != session_of(planted)
