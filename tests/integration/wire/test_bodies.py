"""Bodies and addresses that are wrong: one shape of error, the right status, and nothing is changed."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.conversation.seller import Seller

pytestmark = pytest.mark.once

BODIES: dict[str, tuple[bytes, dict[str, str], int, str]] = {
    "no json": (b"hello", {}, 400, "bad_json"),
    "two values": (b"{}{}", {}, 400, "bad_json"),
    "not utf-8": (b'{"service":"\xff\xfe"}', {}, 400, "bad_json"),
    "a list": (b"[]", {}, 400, "bad_frame"),
    "null": (b"null", {}, 400, "bad_frame"),
    "a field more": (b'{"admin":true}', {}, 400, "bad_frame"),
    "a wrong type": (b'{"service":7}', {}, 400, "bad_frame"),
    "a long name": (b'{"service":"' + b"x" * 65 + b'"}', {}, 400, "bad_frame"),
    "NUL": (b'{"service":"a\\u0000"}', {}, 400, "bad_frame"),
    "an unknown language": (b'{"language":"it"}', {}, 400, "bad_frame"),
    "nesting without end": (b"[" * 30_000, {}, 400, "bad_json"),
    "an unknown service": (b'{"service":"../admin"}', {}, 404, "not_found"),
    "another type": (b"{}", {"content-type": "text/plain"}, 415, "unsupported_media_type"),
    "a form": (b"a=b", {"content-type": "application/x-www-form-urlencoded"}, 415, "unsupported_media_type"),
    "compressed": (gzip.compress(b"{}"), {"content-encoding": "gzip"}, 415, "unsupported_media_type"),
    "another origin": (b"{}", {"origin": "https://evil.example"}, 403, "forbidden"),
    "no origin": (b"{}", {"origin": "null"}, 403, "forbidden"),
}


@pytest.mark.parametrize("path", ["/v1/tickets", "/v1/sessions"])
@pytest.mark.parametrize("name", BODIES)
async def test_a_wrong_body_is_refused_in_one_shape(
    people: Callable[[], Seller], path: str, name: str
) -> None:
    body, headers, status, code = BODIES[name]
    person = people()
    answer = person.request("POST", path, body, headers=headers)
    assert (answer.status, answer.body["error"]["code"]) == (status, code)
    assert set(answer.body) == {"error"}
    assert set(answer.body["error"]) <= {"code", "message", "retry_after"}
    assert person.request("GET", "/v1/sessions").body["sessions"] == []


ADDRESSES: list[tuple[str, str, int, str]] = [
    ("GET", "/v1/nothing", 404, "not_found"),
    ("GET", "/v1/sessions/ses_nothing", 404, "not_found"),
    ("GET", "/v1/sessions/%2e%2e%2fsecret", 404, "not_found"),
    ("GET", "/v1/sessions/" + "x" * 4000, 404, "not_found"),
    ("GET", "/v1/sessions/ses_%F0%9F%92%A9", 404, "not_found"),
    ("GET", "/v1/sessions/a%00b", 400, "bad_frame"),
    ("GET", "/v1/items/itm_nothing", 404, "not_found"),
    ("GET", "/v1/sessions/ses_nothing/messages", 404, "not_found"),
    ("GET", "/v1/sessions?limit=0", 400, "bad_frame"),
    ("GET", "/v1/sessions?limit=101", 400, "bad_frame"),
    ("GET", "/v1/sessions?limit=1e3", 400, "bad_frame"),
    ("GET", "/v1/sessions?limit=%D9%A3", 400, "bad_frame"),
    ("GET", "/v1/sessions?limit=" + "9" * 5000, 400, "bad_frame"),
    ("GET", "/v1/sessions?limit=00005099999", 400, "bad_frame"),
    ("GET", "/v1/sessions?limit=000050" + "9" * 30, 400, "bad_frame"),
    ("GET", "/v1/sessions?before=%00", 400, "bad_frame"),
    ("DELETE", "/v1/sessions", 405, "method_not_allowed"),
    ("PUT", "/v1/tickets", 405, "method_not_allowed"),
    ("PATCH", "/v1/sessions/ses_nothing", 404, "not_found"),
]


@pytest.mark.parametrize(
    ("method", "path", "status", "code"), ADDRESSES, ids=[f"{m} {p[:48]}" for m, p, *_ in ADDRESSES]
)
async def test_a_wrong_address_is_refused_in_one_shape(
    people: Callable[[], Seller], method: str, path: str, status: int, code: str
) -> None:
    answer = people().request(method, path, {} if method in {"PATCH", "PUT"} else None)
    assert answer.headers["content-type"] == "application/json"
    assert (answer.status, answer.body["error"]["code"]) == (status, code)


@pytest.mark.parametrize("cursor", ["msg_nothing", "x" * 5000, "'; --", "%F0%9F%92%A9", "-1"])
async def test_an_unknown_cursor_causes_no_server_error(person: Seller, cursor: str) -> None:
    await person.say("olá")
    for path in ("/v1/sessions", f"/v1/sessions/{person.talk.session}/messages"):
        answer = person.request("GET", f"{path}?before={cursor.replace(' ', '%20')}")
        assert answer.status in {200, 400, 404}, (path, answer.body)
    assert person.stored() == person.talk.transcript.messages


async def test_data_of_another_principal_is_not_found(person: Seller, people: Callable[[], Seller]) -> None:
    person.opening = "Polly Magic"
    transcript = await person.sell()
    session, item = person.talk.session, transcript.state["item_id"]
    thief = people()
    asked: list[tuple[str, str, Any]] = [
        ("GET", f"/v1/sessions/{session}", None),
        ("GET", f"/v1/sessions/{session}/messages", None),
        ("PATCH", f"/v1/sessions/{session}", {"title": "mine"}),
        ("POST", "/v1/tickets", {"session_id": session}),
        ("GET", f"/v1/items/{item}", None),
        ("GET", f"/s/{session}", None),
        ("GET", f"/s/{session}/older", None),
        ("GET", f"/items/{item}", None),
    ]
    for method, path, body in asked:
        answer = thief.request(method, path, body)
        assert answer.status == 404, path
        assert transcript.state["reference"] not in str(answer.body)
    assert person.request("GET", f"/v1/sessions/{session}").body["title"] != "mine"
