"""Every service that answers requests: its example, what it refuses, and its session."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from http.client import HTTPConnection
from typing import Any

import pytest

from server.auth import KEY_PREFIX
from server.services import services
from tests.integration.requests.conftest import RestCaller
from tests.parts.server import Served

pytestmark = pytest.mark.once

CONTRACTS = {name: each.contract for name, each in services().items() if each.contract is not None}
DECISION: dict[str, Any] = {
    "prompt": "In which condition is it?",
    "options": ["Excellent", "Good", "Fair", "Poor"],
    "item_context": "A phone with a cracked screen.",
    "language": "en-US",
}


@pytest.mark.parametrize("name", CONTRACTS)
def test_the_example_of_a_service_is_answered_with_its_fields(caller: RestCaller, name: str) -> None:
    contract = CONTRACTS[name]
    answer = caller.request("POST", contract.path, contract.example)
    assert answer.status == 200, answer.body
    contract.response.model_validate(answer.body)
    assert answer.headers["x-loopwire-demo"] == "true"


@pytest.mark.parametrize("name", CONTRACTS)
def test_a_request_without_its_fields_is_refused_as_fastapi_does(caller: RestCaller, name: str) -> None:
    answer = caller.request("POST", CONTRACTS[name].path, {})
    assert answer.status == 422
    assert {tuple(each) for each in answer.body["detail"]} == {("loc", "msg", "type")}
    assert all(each["loc"][0] == "body" for each in answer.body["detail"])


def test_a_request_that_is_no_json_is_refused(caller: RestCaller) -> None:
    answer = caller.request("POST", "/loopos_ai_decision", b"{")
    assert (answer.status, answer.body["error"]["code"]) == (400, "bad_json")
    answer = caller.request("POST", "/loopos_ai_decision", b"{}", headers={"content-type": "text/plain"})
    assert (answer.status, answer.body["error"]["code"]) == (415, "unsupported_media_type")


def test_a_decision_is_one_of_the_options_as_the_caller_wrote_it(caller: RestCaller) -> None:
    answer = caller.request("POST", "/loopos_ai_decision", {**DECISION, "options": " Excellent ,Poor,, Poor"})
    assert answer.body["decision"] == "Poor"


def test_a_request_is_a_run_of_a_session_that_its_name_leads_to(caller: RestCaller) -> None:
    named = {**DECISION, "session_id": "order-4711"}
    first, second = (caller.request("POST", "/loopos_ai_decision", named) for _ in range(2))
    assert first.headers["x-loopwire-session"] == second.headers["x-loopwire-session"]
    assert first.headers["x-loopwire-run"] != second.headers["x-loopwire-run"]
    other = caller.request("POST", "/loopos_ai_decision", {**DECISION, "session_id": "order-4712"})
    assert other.headers["x-loopwire-session"] != first.headers["x-loopwire-session"]
    job = f"/v1/jobs/{first.headers['x-loopwire-run']}"
    done = caller.request("GET", f"{job}?session_id=order-4711").body
    assert (done["status"], done["result"]) == ("done", first.body)
    assert caller.request("GET", f"{job}?session_id=order-4712").status == 404
    assert caller.request("GET", job).status == 404


def test_a_visitor_sees_its_own_request_as_a_conversation_with_the_answer_as_a_block(
    caller: RestCaller,
) -> None:
    visitor = caller.stranger()
    visitor.ticket()
    answer = visitor.request("POST", "/loopos_ai_decision", DECISION)
    session = answer.headers["x-loopwire-session"]
    messages = visitor.request("GET", f"/v1/sessions/{session}/messages").body["messages"]
    assert "cracked screen" in messages[0]["content"]
    block = next(each["content"] for each in messages if each.get("activityType") == "block")
    assert (block["kind"], block["data"]) == ("response", answer.body)
    assert "data" not in str(messages[0].get("metadata"))


def test_a_request_for_several_judgements_gets_them_all(caller: RestCaller) -> None:
    about = {
        "marketplace_posting_title": "iPhone 12",
        "marketplace_posting_description": "Ligue-me para 912 345 678.",
        "brand_name": "aple",
        "reference_brands": "id;name\n7;Apple\n9;Samsung\n",
        "product_name": "iPhone 13",
        "reference_products": "1,iPhone 12\n2,iPhone 14\n",
    }
    body = caller.request("POST", "/loopos_ai_c2c_validation", {"agent_specific": about}).body
    assert body["approved"] is False
    assert 0 < len(body["message_to_user"]) <= 200
    assert (body["new_brand"], body["existing_brand_id"], body["existing_brand_name"]) == (False, 7, "Apple")
    assert (body["new_product"], body["existing_product_id"]) == (True, None)


@pytest.mark.conformance
def test_a_body_over_ten_mebibytes_is_refused_by_its_length(loopwire: Served) -> None:
    connection = HTTPConnection(loopwire.url.removeprefix("http://"), timeout=60)
    connection.putrequest("POST", "/loopos_ai_decision")
    connection.putheader("content-type", "application/json")
    connection.putheader("content-length", str((10 << 20) + 1))
    connection.endheaders()
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["error"]["code"]) == (413, "too_long")
    connection.close()


@pytest.mark.conformance
def test_a_body_over_ten_mebibytes_without_a_length_is_refused_by_its_count(caller: RestCaller) -> None:
    headers = {"content-type": "application/json", "x-forwarded-for": caller.address}
    for size, status in ((10 << 20, 400), ((10 << 20) + 1, 413)):
        connection = HTTPConnection(caller.served.url.removeprefix("http://"), timeout=60)
        parts = (b"x" * min(1 << 16, size - at) for at in range(0, size, 1 << 16))
        connection.request("POST", "/loopos_ai_decision", parts, headers, encode_chunked=True)
        answer = connection.getresponse()
        assert answer.status == status
        assert json.loads(answer.read())["error"]["code"] == {400: "bad_json", 413: "too_long"}[status]
        connection.close()


def test_a_repeated_key_is_the_same_request(caller: RestCaller) -> None:
    key = {"idempotency-key": "order-1"}
    first, second = (caller.request("POST", "/loopos_ai_decision", DECISION, headers=key) for _ in range(2))
    assert first.headers["x-loopwire-run"] == second.headers["x-loopwire-run"]
    assert first.body == second.body
    other = caller.request("POST", "/loopos_ai_decision", {**DECISION, "prompt": "Which?"}, headers=key)
    assert (other.status, other.body["error"]["code"]) == (409, "id_reused")
    wrong = caller.request("POST", "/loopos_ai_decision", DECISION, headers={"idempotency-key": "a b"})
    assert (wrong.status, wrong.body["error"]["code"]) == (400, "bad_frame")


@pytest.mark.parametrize("path", ["/loopos_ai_decision", "/chat", "/v1/tickets"])
def test_a_client_that_reads_no_answer_before_its_body_has_left_is_told_that_it_is_too_long(
    caller: RestCaller, path: str
) -> None:
    body = b" " * (10 * 1024 * 1024 + 5)
    headers = {"content-type": "application/json", "x-forwarded-for": caller.address}
    asked = urllib.request.Request(f"{caller.served.url}{path}", body, headers)
    with pytest.raises(urllib.error.HTTPError) as told:
        urllib.request.urlopen(asked, timeout=60)
    assert told.value.code == 413
    assert json.loads(told.value.read())


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/loopos_ai_decision", {"authorization": f"Bearer {KEY_PREFIX}nothing"}, 401),
        ("/chat", {"content-type": "text/plain"}, 415),
        ("/loopos_ai_translator", {"origin": "https://evil.example"}, 403),
        ("/loopos_ai_nothing", {}, 404),
        ("/v1/sessions/ses_nothing/files", {}, 401),
        ("/healthz", {}, 405),
    ],
    ids=lambda value: str(value) if isinstance(value, int) else "",
)
def test_such_a_client_is_told_of_each_refusal_that_comes_before_its_body(
    caller: RestCaller, path: str, headers: dict[str, str], status: int
) -> None:
    named = {"content-type": "application/json", "x-forwarded-for": caller.address, **headers}
    asked = urllib.request.Request(f"{caller.served.url}{path}", b" " * 9_500_000, named)
    with pytest.raises(urllib.error.HTTPError) as told:
        urllib.request.urlopen(asked, timeout=60)
    with told.value:
        assert (told.value.code, bool(told.value.read())) == (status, True)
