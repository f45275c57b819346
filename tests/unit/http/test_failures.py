"""A failure that the client causes is not logged as an error."""

from __future__ import annotations

import json
import logging
import time
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from server.errors import BadFrame, Internal, LoopwireError, NotFound, RateLimited
from server.http.failures import HANDLERS, error_response
from server.http.request_log import RequestLog
from server.metrics import REGISTRY
from server.words import say
from tests.unit.http.asking import asked


async def test_a_client_that_hangs_up_in_mid_body_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    async def takes(request: Request) -> Response:
        await request.body()
        raise AssertionError("there was no whole body")

    app = Starlette(routes=[Route("/", takes, methods=["POST"])], exception_handlers=HANDLERS)
    coming = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
    sent: list[Any] = []

    async def receive() -> Any:
        return coming.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "query_string": b""}
    with caplog.at_level(logging.WARNING):
        await app(scope, receive, send)
    assert sent[0]["status"] == 400
    assert caplog.records == []


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/loopos_ai_decision", {"error": "Internal Server Error"}),
        ("/chat", {"error": "Internal Server Error"}),
        ("/v1/sessions", {"error": {"code": "internal", "message": Internal.text}}),
    ],
)
@pytest.mark.parametrize("error", [RuntimeError("a secret"), Internal()])
def test_a_bug_is_500_in_the_shape_of_its_path_and_one_line_of_the_log(
    path: str, body: Any, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(_: Request) -> Response:
        raise error

    app = RequestLog(Starlette(routes=[Route(path, fails)], exception_handlers=HANDLERS))
    with caplog.at_level(logging.INFO):
        answer = TestClient(app, raise_server_exceptions=False).get(path)
    assert (answer.status_code, answer.json()) == (500, body)
    assert answer.headers["x-request-id"].startswith("req_")
    lines: list[Any] = [each for each in caplog.records if each.getMessage() == "request"]
    assert [(each.fields["path"], each.fields["status"]) for each in lines] == [(path, 500)]


class WrongField(LoopwireError):
    """A field of a service's request is wrong."""

    code, status, text = "wrong_field", 422, "This field is wrong."


@pytest.mark.parametrize(
    ("error", "body", "retry_after"),
    [
        (NotFound(), {"error": {"code": "not_found", "message": NotFound.text}}, None),
        (
            RateLimited("Slowly.", retry_after=0.2),
            {"error": {"code": "rate_limited", "message": "Slowly.", "retry_after": 0.2}},
            "1",
        ),
        (
            RateLimited("Slowly.", retry_after=6.2),
            {"error": {"code": "rate_limited", "message": "Slowly.", "retry_after": 6.2}},
            "7",
        ),
        (
            WrongField(field="price"),
            {
                "error": {"code": "wrong_field", "message": "This field is wrong."},
                "detail": [{"loc": ["body", "price"], "msg": "This field is wrong.", "type": "wrong_field"}],
            },
            None,
        ),
        (WrongField(), {"error": {"code": "wrong_field", "message": "This field is wrong."}}, None),
        (
            BadFrame("No.", field="price"),
            {"error": {"code": BadFrame.code, "message": "No."}},
            None,
        ),
    ],
)
async def test_an_error_says_its_code_and_when_to_come_back_and_the_field_of_a_request(
    error: LoopwireError, body: Any, retry_after: str | None
) -> None:
    answer = await asked(error_response(error, {"path": "/v1/sessions"}), "GET", "/")
    assert (answer.status, json.loads(answer.body)) == (error.status, body)
    assert answer.headers.get("retry-after") == retry_after


@pytest.mark.parametrize(
    ("error", "body"),
    [
        (NotFound(), {"error": NotFound.text, "code": "not_found"}),
        (
            RateLimited("Too many of this app.", retry_after=6.6),
            {"error": say("chat.refused.rate_limited", "en"), "code": "rate_limited", "retry_after": 6.6},
        ),
        (
            WrongField(field="price"),
            {
                "error": "This field is wrong.",
                "code": "wrong_field",
                "detail": [{"loc": ["body", "price"], "msg": "This field is wrong.", "type": "wrong_field"}],
            },
        ),
        (Internal(), {"error": "Internal Server Error"}),
    ],
)
async def test_an_error_of_a_chat_is_a_sentence_in_the_language_of_who_asks(
    error: LoopwireError, body: Any
) -> None:
    scope = {"path": "/chat", "state": {"language": "en"}}
    answer = await asked(error_response(error, scope), "POST", "/chat")
    assert (answer.status, json.loads(answer.body)) == (error.status, body)
    assert answer.headers.get("retry-after") == ("7" if error.retry_after else None)


def test_errors_of_the_framework_have_the_same_shape_and_keep_their_headers() -> None:
    async def answers(_: Request) -> Response:
        return Response()

    async def fails(request: Request) -> Response:
        raise HTTPException(int(request.path_params["status"]))

    paths = ("/v1/sessions", "/v1/responses", "/chat")
    routes = [*(Route(each, answers, methods=["POST"]) for each in paths), Route("/fails/{status}", fails)]
    client = TestClient(Starlette(routes=routes, exception_handlers=HANDLERS))
    assert client.get("/nowhere").json() == {"error": {"code": "not_found", "message": "Not Found."}}
    refused = client.get("/v1/sessions")
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
    assert refused.json() == {"error": {"code": "method_not_allowed", "message": "Method Not Allowed."}}
    assert client.get("/chat").json() == {"error": "Method Not Allowed.", "code": "method_not_allowed"}
    assert client.get("/fails/418").json()["error"]["code"] == "i'm_a_teapot"
    assert client.get("/fails/413").json()["error"]["code"] == "too_long"
    assert client.get("/v1/responses").json()["error"]["type"] == "invalid_request_error"


async def logged(app: Any, path: str, caplog: pytest.LogCaptureFixture, *headers: tuple[str, str]) -> Any:
    """Ask, and return the line of the log."""
    caplog.clear()
    with caplog.at_level(logging.DEBUG, logger="server.http.request_log"):
        await asked(RequestLog(app), "GET", path, *headers)
    (line,) = [each for each in caplog.records if each.getMessage() == "request"]
    return line


async def test_a_request_is_one_line_of_what_it_was_and_quiet_ones_are_at_debug(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def answering(status: int, app: str | None) -> Any:
        async def answer(scope: Any, _receive: Any, send: Any) -> None:
            if app:
                scope["state"] = {"app": app}
            await send({"type": "http.response.start", "status": status, "headers": []})

        return answer

    line = await logged(answering(200, "shop"), "/" + "x" * 300, caplog)
    assert line.levelno == logging.INFO
    assert line.fields.pop("ms") >= 0
    assert line.fields == {"method": "GET", "path": "/" + "x" * 199, "status": 200, "app": "shop"}
    line = await logged(answering(404, None), "/s/1", caplog)
    assert "app" not in line.fields
    assert line.levelno == logging.INFO
    for status, path in ((200, "/static/a"), (200, "/healthz"), (200, "/readyz"), (429, "/static/a")):
        assert (await logged(answering(status, None), path, caplog)).levelno == logging.DEBUG


async def test_a_request_is_counted_with_its_time_also_where_it_fails() -> None:
    def counted(name: str, **labels: str) -> float:
        return REGISTRY.get_sample_value(f"loopwire_{name}", {"route": "/v1/tickets", **labels}) or 0

    def all_counted() -> tuple[float, float, float]:
        return (
            counted("requests_total", method="GET", status="204"),
            counted("requests_total", method="GET", status="0"),
            counted("request_seconds_count"),
        )

    async def answers(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})

    async def fails(*_: Any) -> None:
        raise RuntimeError

    before, seconds = all_counted(), counted("request_seconds_sum")
    began = time.monotonic()
    await asked(RequestLog(answers), "GET", "/v1/tickets")
    with pytest.raises(RuntimeError):
        await asked(RequestLog(fails), "GET", "/v1/tickets")
    assert 0 <= counted("request_seconds_sum") - seconds <= time.monotonic() - began
    assert [now - then for now, then in zip(all_counted(), before, strict=True)] == [1, 1, 2]


@pytest.mark.parametrize(
    ("given", "kept"), [("a" * 64, True), ("a" * 65, False), ("a.b:c_d-1", True), ("a b", False), ("", False)]
)
async def test_the_id_that_a_caller_gives_is_answered_where_it_is_one(given: str, kept: bool) -> None:
    async def answers(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})

    answer = await asked(RequestLog(answers), "GET", "/", ("x-request-id", given))
    assert (answer.headers["x-request-id"] == given) is kept
    assert kept or answer.headers["x-request-id"].startswith("req_")
