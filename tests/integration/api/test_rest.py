"""The REST endpoints with a browser's requests and with hostile ones."""

import http.client
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from server.services.submission import REGISTRATION
from tests.integration.ws.visitor import Visitor
from tests.parts.server import Backend, Served, apart, served

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def running(backend: Backend) -> Iterator[Served]:
    """Yield a quick server of this module on each backend."""
    with apart(backend) as own, served({**own.environment, "LOOPWIRE_DEMO_DELAY_MS": "0"}) as found:
        yield found


@pytest.fixture
async def visitor(running: Served) -> AsyncIterator[Visitor]:
    """Yield a new visitor."""
    new = Visitor(running)
    yield new
    await new.aclose()


async def test_a_ticket_names_a_new_session_or_ones_own(visitor: Visitor) -> None:
    ticket = visitor.ticket(service="chat", language="en")
    assert (ticket["service"], ticket["language"], ticket["demo"], ticket["expires_in"]) == (
        "chat",
        "en",
        True,
        30,
    )
    assert visitor.ticket(session_id=ticket["session_id"])["session_id"] == ticket["session_id"]
    assert visitor.ticket()["service"] == "submission"


async def test_a_visitor_keeps_its_cookie_and_a_forged_one_makes_a_new_visitor(visitor: Visitor) -> None:
    first = visitor.request("GET", "/v1/sessions")
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert visitor.request("GET", "/v1/sessions").headers["set-cookie"] is None
    forged = visitor.request("GET", "/v1/sessions", headers={"cookie": visitor.cookie[:-3] + "abc"})
    assert forged.headers["set-cookie"] is not None
    assert visitor.request("GET", "/healthz").headers["set-cookie"] is None


async def test_sessions_are_begun_listed_named_and_read(visitor: Visitor) -> None:
    made = visitor.request("POST", "/v1/sessions", {"language": "pt", "alias": "order 7"})
    assert made.status == 201
    session = made.body["id"]
    assert visitor.request("POST", "/v1/sessions", {"alias": "order 7"}).body["id"] == session
    assert visitor.request("GET", "/v1/sessions").body == {"sessions": [], "before": None}
    talk = await visitor.open(session=session)
    await talk.say("Quero vender um iPhone 13", "c1")
    await talk.finished()
    changed = visitor.request("PATCH", f"/v1/sessions/{session}", {"title": "Meu iPhone", "language": "en"})
    assert (changed.body["title"], changed.body["language"]) == ("Meu iPhone", "en")
    listed = visitor.request("GET", "/v1/sessions?limit=1").body
    assert [(each["id"], each["title"]) for each in listed["sessions"]] == [(session, "Meu iPhone")]
    assert listed["before"] == session
    assert not any(key.startswith("_") for key in changed.body["state"])
    page = visitor.request("GET", f"/v1/sessions/{session}/messages?limit=2").body
    assert page["messages"] == talk.transcript.messages[-2:]
    older = visitor.request("GET", f"/v1/sessions/{session}/messages?limit=2&before={page['before']}").body
    assert older["messages"] == talk.transcript.messages[-4:-2]


async def test_messages_come_by_the_bearer_of_their_own_conversation(visitor: Visitor) -> None:
    talk = await visitor.open()
    await talk.say("Quero vender um iPhone 13", "c1")
    await talk.finished()
    program, path = visitor.stranger(), f"/v1/sessions/{talk.session}/messages"
    assert program.request("GET", path).status == 404
    told = {
        name: program.request("GET", path, headers={"authorization": f"Bearer {credential}"})
        for name, credential in {
            "resume token": talk.welcome["resume_token"],
            "ticket": visitor.ticket(session_id=talk.session)["ticket"],
            "of another": visitor.ticket()["ticket"],
            "forged": "no.no",
        }.items()
    }
    assert [each.status for each in told.values()] == [200, 200, 404, 401]
    assert told["resume token"].body["messages"] == talk.transcript.messages


async def test_services_are_told_with_their_agents(visitor: Visitor) -> None:
    told = visitor.request("GET", "/v1/services").body
    assert {each["name"] for each in told["services"]} >= {"chat", "submission"}
    assert told["demo"] is True
    tools = {each["name"]: each for service in told["services"] for each in service["tools"]}
    assert (tools["create_item"]["effect"], tools["create_item"]["agents"]) == ("once", [REGISTRATION])
    assert tools["create_item"]["scopes"] == ["catalog:read", "items:write"]
    assert tools["get_catalog"]["description"] and "web_search" not in tools  # Nobody searches here.


BAD: list[tuple[str, str, Any, dict[str, str], int, str]] = [
    ("POST", "/v1/tickets", b"{", {}, 400, "bad_json"),
    ("POST", "/v1/tickets", b"[]", {}, 400, "bad_frame"),
    ("POST", "/v1/tickets", {"nothing": 1}, {}, 400, "bad_frame"),
    ("POST", "/v1/tickets", {"session_id": 5}, {}, 400, "bad_frame"),
    ("POST", "/v1/tickets", {"session_id": "a\0b"}, {}, 400, "bad_frame"),
    ("POST", "/v1/tickets", {"service": "nothing"}, {}, 404, "not_found"),
    ("POST", "/v1/tickets", {"session_id": "ses_nothing"}, {}, 404, "not_found"),
    ("POST", "/v1/tickets", {}, {"content-type": "text/plain"}, 415, "unsupported_media_type"),
    ("POST", "/v1/tickets", {}, {"content-encoding": "gzip"}, 415, "unsupported_media_type"),
    ("POST", "/v1/tickets", {}, {"origin": "https://evil.example"}, 403, "forbidden"),
    ("POST", "/v1/tickets", {}, {"origin": "null"}, 403, "forbidden"),
    ("DELETE", "/v1/tickets", None, {}, 405, "method_not_allowed"),
    ("GET", "/v1/nothing", None, {}, 404, "not_found"),
    ("GET", "/v1/sessions?limit=0", None, {}, 400, "bad_frame"),
    ("GET", "/v1/sessions?limit=x", None, {}, 400, "bad_frame"),
    ("GET", "/v1/sessions?limit=" + "9" * 5000, None, {}, 400, "bad_frame"),
    ("GET", "/v1/sessions?before=%00", None, {}, 400, "bad_frame"),
    ("GET", "/v1/sessions/%00", None, {}, 400, "bad_frame"),
    ("GET", "/v1/sessions/..%2f..%2fetc", None, {}, 404, "not_found"),
    ("GET", "/v1/sessions/" + "x" * 300, None, {}, 404, "not_found"),
    ("GET", "/v1/items/itm_nothing", None, {}, 404, "not_found"),
    ("GET", "/v1/sessions", None, {"host": "evil.example"}, 421, "misdirected"),
]


@pytest.mark.parametrize(("method", "path", "body", "headers", "status", "code"), BAD)
async def test_a_bad_request_has_one_shape_of_answer(
    visitor: Visitor, method: str, path: str, body: Any, headers: dict[str, str], status: int, code: str
) -> None:
    answer = visitor.request(method, path, body, headers=headers)
    assert (answer.status, answer.body["error"]["code"]) == (status, code)
    assert set(answer.body["error"]) <= {"code", "message", "retry_after"}
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "manifest-src 'self'" in answer.headers["content-security-policy"]
    host = headers.get("host") or urlsplit(visitor.served.url).netloc
    assert f"connect-src 'self' ws://{host}" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_refused_body_names_its_field_and_never_shows_what_stood_there(visitor: Visitor) -> None:
    for body, field in (
        ({"language": "secret"}, "language: Input should be 'pt', 'en', 'es', 'fr' or 'de'."),
        ({"service": "secret\0"}, "service: an id, a name or an address may not hold control characters"),
    ):
        told = visitor.request("POST", "/v1/tickets", body).body["error"]["message"]
        assert field in told
        assert "secret" not in told


def test_a_body_that_is_announced_as_too_long_is_refused_before_it_comes(running: Served) -> None:
    connection = http.client.HTTPConnection(urlsplit(running.url).netloc, timeout=60)
    try:
        connection.putrequest("POST", "/v1/tickets")
        connection.putheader("content-type", "application/json")
        connection.putheader("content-length", str(64 * 1024 + 1))
        connection.endheaders()
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())["error"]["code"]) == (413, "too_long")
    finally:
        connection.close()


def test_a_length_that_is_no_number_is_refused(running: Served) -> None:
    for length in ("-1", "1e9", "x", "5, 6"):
        connection = http.client.HTTPConnection(urlsplit(running.url).netloc, timeout=60)
        try:
            connection.putrequest("POST", "/v1/tickets")
            connection.putheader("content-length", length)
            connection.endheaders()
            assert connection.getresponse().status == 400
        finally:
            connection.close()


def test_a_body_without_a_length_is_counted_as_it_comes(running: Served) -> None:
    parts = urlsplit(running.url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    try:
        chunks = (b"x" * 65_536 for _ in range(200))
        headers = {"content-type": "application/json", "origin": running.url}
        try:
            connection.request("POST", "/v1/tickets", chunks, headers, encode_chunked=True)
        except ConnectionError:
            return  # Cut off while it was still sending: refused all the same.
        assert connection.getresponse().status == 413
    finally:
        connection.close()


async def test_too_many_tickets_are_refused_for_a_while(visitor: Visitor) -> None:
    session = visitor.ticket()["session_id"]
    answers = [visitor.request("POST", "/v1/tickets", {"session_id": session}) for _ in range(31)]
    refused = [each for each in answers if each.status == 429]
    assert refused
    assert refused[0].body["error"]["code"] == "rate_limited"
    assert int(refused[0].headers["retry-after"]) > 0


def test_secrets_are_not_in_the_log(running: Served) -> None:
    visitor = Visitor(running)
    answer = visitor.request("GET", "/v1/services")
    assert answer.status == 200
    told = running.log_text()
    assert visitor.cookie.partition("=")[2] not in told
    assert json.dumps("ticket") not in told
