"""A failure that the client causes is not logged as an error."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from server.errors import Internal
from server.http.failures import HANDLERS
from server.http.request_log import RequestLog


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
