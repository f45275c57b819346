"""The pages of services without a browser: a form leads to the conversation with its answer, or is shown again."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest

from tests.integration.requests.conftest import RestCaller
from tests.integration.ws.visitor import Visitor
from tests.parts.images import form, png
from tests.parts.wait import until

pytestmark = pytest.mark.once

FORM = {"content-type": "application/x-www-form-urlencoded", "accept": "text/html", "accept-language": "en"}
FILLED = {"prompt": "Which?", "options": "A\nB", "item_context": "An item for <b>B</b>."}


def post(visitor: Visitor, fields: dict[str, str], path: str = "/services/decision") -> tuple[int, str]:
    """Send a form as a browser does; redirects are followed."""
    answer = visitor.request("POST", path, urlencode(fields).encode(), headers=FORM)
    return answer.status, answer.body.decode()


def shown_form(visitor: Visitor, path: str) -> str:
    """Return the form of a service's page."""
    page: str = visitor.request("GET", path, headers={"accept-language": "en"}).body.decode()
    return page.partition("<form")[2].partition("</form>")[0]


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
    assert f'href="/services/decision?from={session[1]}"' in again
    assert "<b>B</b>" not in again
    to_change = f"/services/decision?from={session[1]}"
    assert "An item for &lt;b&gt;B&lt;/b&gt;." in shown_form(visitor, to_change)
    example = shown_form(visitor, "/services/decision")
    assert "An item for" not in example
    assert shown_form(caller.stranger(), to_change) == example
    other = shown_form(visitor, f"/services/translator?from={session[1]}")
    assert other == shown_form(visitor, "/services/translator")


def test_a_form_with_a_wrong_field_comes_again_with_what_was_written(caller: RestCaller) -> None:
    status, page = post(caller, {**FILLED, "prompt": ""})
    assert status == 422
    assert "Write an answer." in page
    assert "An item for &lt;b&gt;B&lt;/b&gt;." in page


def test_languages_that_are_missing_are_asked_for_at_their_own_field(caller: RestCaller) -> None:
    texts = {"source_locale": "en", "target_locales": "", "context": "Catalog", "data": "name: Chair"}
    status, page = post(caller, texts, "/services/translator")
    assert status == 422
    field = page.partition('name="target_locales"')[2].partition("</div>")[0]
    assert 'aria-invalid="true"' in field
    assert page.count('aria-invalid="true"') == 1


def test_only_services_that_answer_requests_have_a_form(caller: RestCaller) -> None:
    for name in ("submission", "nothing"):
        missing = caller.request("GET", f"/services/{name}", headers={"accept": "text/html"})
        assert (missing.status, "<h1" in missing.body.decode()) == (404, True)
        told = caller.request("GET", f"/services/{name}", headers={"accept": "application/json"})
        assert (told.status, told.body["error"]["code"]) == (404, "not_found")
    listed = caller.request("GET", "/services", headers={"accept-language": "en"}).body.decode()
    assert 'href="/services/translator"' in listed
    assert 'href="/?service=chat"' in listed


def test_a_body_that_is_no_form_is_refused(caller: RestCaller) -> None:
    answer = caller.request("POST", "/services/decision", {"prompt": "Which?"})
    assert (answer.status, answer.body["error"]["code"]) == (400, "bad_frame")
    many = urlencode([("x", "1")] * 300).encode()
    assert caller.request("POST", "/services/decision", many, headers=FORM).status == 400
    long = urlencode({**FILLED, "prompt": "x" * 70_000}).encode()
    assert caller.request("POST", "/services/decision", long, headers=FORM).status == 413


def test_a_broken_form_is_no_line_of_the_log(caller: RestCaller) -> None:
    kind = {**FORM, "content-type": "multipart/form-data; boundary=x"}
    for broken in (b"--y", b"--x\r\n\xff: a", b"--x\n"):
        assert caller.request("POST", "/services/decision", broken, headers=kind).status == 400
    assert "python_multipart" not in caller.served.log_text()


@pytest.mark.parametrize("path", ["/services/decision", "/chat"])
def test_a_form_in_a_charset_that_raises_is_refused_as_one_that_is_not_read(
    caller: RestCaller, path: str
) -> None:
    body, kind = form({"prompt": "a..b"}, [])
    for charset in ("undefined", "punycode"):
        head = {"content-type": f"{kind['content-type']}; charset={charset}", "accept": "application/json"}
        answer = caller.request("POST", path, body, headers=head)
        assert (answer.status, "UTF-8" in str(answer.body)) == (415, True), answer.body
    urlencoded = {"content-type": f"{FORM['content-type']}; charset=utf-16", "accept": "application/json"}
    assert caller.request("POST", "/services/decision", b"prompt=a", headers=urlencoded).status == 415


DOCUMENT = {"agent_specific.doc_type": "dni-es", "agent_specific.number": "12345678Z"}


def post_document(visitor: Visitor, *pictures: bytes) -> tuple[int, str]:
    """Send the form of a document, as a browser does where not each picture was chosen."""
    body, kind = form(DOCUMENT, [*pictures, b""])
    answer = visitor.request("POST", "/services/id_validator", body, headers={**FORM, **kind})
    return answer.status, answer.body.decode()


def test_a_form_with_pictures_leads_to_a_conversation_that_shows_neither_them_nor_the_number(
    caller: RestCaller,
) -> None:
    visitor = caller.stranger()
    visitor.ticket()
    status, page = post_document(visitor, png(), png("blue"))
    assert status == 200
    session = re.search(r'data-session="(ses_\w+)"', page)
    assert session is not None
    messages = f"/v1/sessions/{session[1]}/messages"

    def answers() -> list[dict[str, object]]:
        shown = visitor.request("GET", messages).body["messages"]
        return [each["content"]["data"] for each in shown if each.get("activityType") == "block"]

    until(answers, what="the answer")
    (answer,) = answers()
    assert answer["status"] == "ERROR_IMAGE_QUALITY"
    assert "was not read" in str(answer["message"])  # The demo model sees nothing.
    for shown in (page, visitor.request("GET", f"/s/{session[1]}", headers=FORM).body.decode()):
        assert "12345678Z" not in shown
        assert "/blobs/" not in shown
        assert "data:;base64" not in shown


def test_a_form_without_a_picture_or_with_one_that_cannot_be_read_comes_again_and_asks_for_it(
    caller: RestCaller,
) -> None:
    status, page = post_document(caller)
    assert status == 422
    assert "Choose or take a picture." in page
    assert "Choose the pictures again" not in page
    status, page = post_document(caller, png(), b"no picture")
    assert status == 422
    assert "One of the files is no picture, or one that cannot be read" in page
    assert "Choose the pictures again" in page
    assert 'value="12345678Z"' in page


def test_a_listing_may_have_pictures_and_needs_none(caller: RestCaller) -> None:
    asked = {"agent_specific.product_name": "iPhone 12", "agent_specific.user_description": "like new"}
    page = caller.request("GET", "/services/c2c_descriptor", headers=FORM).body.decode()
    assert page.count("data-picture") == 3
    for pictures, status in (([b""], 200), ([png(), b""], 200), ([b"no picture"], 422)):
        visitor = caller.stranger()
        visitor.ticket()
        body, kind = form(asked, pictures)
        answer = visitor.request("POST", "/services/c2c_descriptor", body, headers={**FORM, **kind})
        assert answer.status == status
        assert ("is no picture" in answer.body.decode()) == (status == 422)


async def test_a_service_that_answers_requests_takes_no_messages(caller: RestCaller) -> None:
    visitor = caller.stranger()
    made = visitor.request("POST", "/v1/sessions", {"service": "decision"})
    talk = await visitor.open(session=made.body["id"])
    await talk.send({"type": "message", "id": "m1", "content": [{"type": "text", "text": "olá"}]})
    refused = await talk.until(lambda frame: frame.get("id") == "m1")
    assert (refused["type"], refused["code"]) == ("error", "bad_frame")
    assert "/loopos_ai_decision" in refused["message"]
    await visitor.aclose()
