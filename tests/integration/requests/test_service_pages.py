"""The pages of services without a browser: a form leads to the conversation with its answer, or comes again."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest

from tests.integration.requests.conftest import RestCaller
from tests.integration.ws.visitor import Visitor
from tests.parts.wait import until

pytestmark = pytest.mark.once

FORM = {"content-type": "application/x-www-form-urlencoded", "accept": "text/html", "accept-language": "en"}
FILLED = {"prompt": "Which?", "options": "A\nB", "item_context": "An item for <b>B</b>."}


def post(visitor: Visitor, fields: dict[str, str], path: str = "/services/decision") -> tuple[int, str]:
    """Send a form as a browser does; redirects are followed."""
    answer = visitor.request("POST", path, urlencode(fields).encode(), headers=FORM)
    return answer.status, answer.body.decode()


def test_a_form_leads_to_a_conversation_with_its_answer(caller: RestCaller) -> None:
    visitor = caller.stranger()
    visitor.ticket()
    status, page = post(visitor, FILLED)
    assert status == 200
    session = re.search(r'data-session="(ses_\w+)"', page)
    assert session is not None
    messages = f"/v1/sessions/{session[1]}/messages"

    def answer() -> list[str]:
        shown = visitor.request("GET", messages).body["messages"]
        return [each["content"]["data"]["decision"] for each in shown if each.get("activityType") == "block"]

    until(answer, what="the answer")
    assert answer() == ["B"]
    again = visitor.request("GET", f"/s/{session[1]}", headers={"accept": "text/html"}).body.decode()
    assert 'href="/services/decision"' in again
    assert "<b>B</b>" not in again


def test_a_form_with_a_wrong_field_comes_again_with_what_was_written(caller: RestCaller) -> None:
    status, page = post(caller, {**FILLED, "prompt": ""})
    assert status == 422
    assert "Write an answer." in page
    assert "An item for &lt;b&gt;B&lt;/b&gt;." in page


def test_only_services_that_answer_requests_have_a_form(caller: RestCaller) -> None:
    for name in ("submission", "nothing"):
        assert caller.request("GET", f"/services/{name}", headers={"accept": "text/html"}).status == 404
    listed = caller.request("GET", "/services", headers={"accept-language": "en"}).body.decode()
    assert 'href="/services/translator"' in listed
    assert 'href="/?service=chat"' in listed


def test_a_body_that_is_no_form_is_refused(caller: RestCaller) -> None:
    answer = caller.request("POST", "/services/decision", {"prompt": "Which?"})
    assert (answer.status, answer.body["error"]["code"]) == (400, "bad_frame")
    many = urlencode([("x", "1")] * 300).encode()
    assert caller.request("POST", "/services/decision", many, headers=FORM).status == 400


async def test_a_service_that_answers_requests_takes_no_messages(caller: RestCaller) -> None:
    visitor = caller.stranger()
    made = visitor.request("POST", "/v1/sessions", {"service": "decision"})
    talk = await visitor.open(session=made.body["id"])
    await talk.send({"type": "message", "id": "m1", "content": [{"type": "text", "text": "olá"}]})
    refused = await talk.until(lambda frame: frame.get("id") == "m1")
    assert (refused["type"], refused["code"]) == ("error", "bad_frame")
    assert "/loopos_ai_decision" in refused["message"]
    await visitor.aclose()
