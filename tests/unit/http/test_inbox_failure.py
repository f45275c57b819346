"""Errors of the inbox: a page for people, JSON for programs, and nothing of the cause of one that nobody expected."""

from __future__ import annotations

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx2
import pytest

from server.html.render import Renderer
from server.http.inbox.endpoint import InboxPages
from server.limits import Limits
from server.rooms.admission import Admission

WEB = Path(__file__).parents[3] / "web"
PARTS = SimpleNamespace(store=SimpleNamespace(inbox=None), limits=Limits(), language_of=lambda _: "en")


async def fail(_: Any) -> Any:
    """Fail as no operator expects."""
    raise RuntimeError("secret detail")


@pytest.mark.parametrize(("accept", "kind"), [("text/html", "text/html"), ("*/*", "application/json")])
async def test_an_unexpected_error_of_the_inbox_is_a_page_for_people(
    accept: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    access = SimpleNamespace(signed_in=fail)
    inbox = InboxPages(cast("Any", PARTS), Renderer(WEB), cast("Any", access), cast("Admission", None))
    transport = httpx2.ASGITransport(cast("Any", inbox), raise_app_exceptions=False)
    with caplog.at_level(logging.ERROR):
        async with httpx2.AsyncClient(transport=transport, base_url="http://here") as client:
            answer = await client.get("/inbox", headers={"accept": accept})
    assert answer.status_code == 500
    assert answer.headers["content-type"].partition(";")[0] == kind
    assert "secret detail" not in answer.text
    assert ("<h1" in answer.text) == (kind == "text/html")
    assert "GET /inbox failed" in caplog.text


@pytest.mark.parametrize(("accept", "kind"), [("text/html", "text/html"), ("*/*", "application/json")])
async def test_an_address_of_the_inbox_that_there_is_not_is_a_page_for_people(accept: str, kind: str) -> None:
    inbox = InboxPages(cast("Any", PARTS), Renderer(WEB), cast("Any", None), cast("Admission", None))
    transport = httpx2.ASGITransport(cast("Any", inbox))
    async with httpx2.AsyncClient(transport=transport, base_url="http://here") as client:
        answer = await client.get("/inbox/nothing", headers={"accept": accept})
        refused = await client.post("/inbox", headers={"accept": accept})
    assert answer.status_code == 404
    assert answer.headers["content-type"].partition(";")[0] == kind
    assert ("This page does not exist" in answer.text) == (kind == "text/html")
    assert refused.status_code == 405
