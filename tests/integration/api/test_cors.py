"""CORS: pages of an app's origins call REST as that app, without cookies; pages of other origins do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.services import services
from tests.integration.agui.caller import body_of
from tests.integration.requests.conftest import RestCaller
from tests.integration.requests.test_chat import body_of as chat_body
from tests.integration.ws.visitor import Answer
from tests.parts.sampled import one_of
from tests.parts.server import Backend, Served, apart, served

pytestmark = pytest.mark.once

SHOP, BOOKS = "https://shop.example", "https://books.example:8443"
APPS = f"""
[shop]
origins = ["{SHOP}"]

[books]
origins = ["{BOOKS}"]
services = ["translator", "chat"]
service = "chat"
"""
FOREIGN = [
    "https://evil.example", "null", f"{SHOP}.evil.example", "http://shop.example", f"{SHOP}:8443", f"{SHOP}/",
    "https://books.example", "https://a.shop.example", "*", "",
]  # fmt: skip


@pytest.fixture(scope="module")
def place(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield a server of two apps, each with a page of its own."""
    path: Path = tmp_path_factory.mktemp("apps") / "apps.toml"
    path.write_text(APPS)
    with apart(backend) as own:
        settings = {"LOOPWIRE_APPS": str(path), "LOOPWIRE_DEMO_DELAY_MS": "0"}
        with served({**own.environment, **settings}) as running:
            yield running


def _translation() -> dict[str, Any]:
    contract = services()["translator"].contract
    assert contract is not None
    return dict(contract.example)


CALLS: list[tuple[str, str, Any, int]] = [
    ("GET", "/v1/services", None, 200),
    ("GET", "/v1/sessions", None, 200),
    ("GET", "/v1/sessions/ses_nothing", None, 404),
    ("POST", "/v1/tickets", {"service": "chat"}, 200),
    ("POST", "/v1/tickets", {"admin": True}, 400),
    ("POST", "/v1/sessions", {"service": "chat"}, 201),
    ("POST", "/agui/chat", body_of("cors", "run", ("m1", "olá")), 200),
    ("POST", "/chat", chat_body("olá"), 200),
    ("POST", "/chat", {}, 422),
    ("POST", "/loopos_ai_translator", _translation(), 200),
]


def ask(place: Served, origin: str, method: str, path: str, body: Any = None, **more: str) -> Answer:
    """Ask as a browser does for a page of this origin: without a cookie."""
    named = {name.replace("_", "-"): value for name, value in more.items()}
    return RestCaller(place).request(method, path, body, headers={"origin": origin, **named})


def ask_first(place: Served, origin: str, method: str, path: str) -> Answer:
    """Ask whether the page may ask."""
    asked = {"access_control_request_method": method, "access_control_request_headers": "content-type"}
    return ask(place, origin, "OPTIONS", path, **asked)


@pytest.mark.parametrize("origin", [SHOP, BOOKS])
def test_a_page_of_an_app_calls_rest_and_reads_answers_and_errors(place: Served, origin: str) -> None:
    for method, path, body, wanted in CALLS:
        # The app of books does not have the submission.
        status = 404 if (origin, path) == (BOOKS, "/chat") else wanted
        before = ask_first(place, origin, method, path)
        assert (before.status, before.headers["access-control-allow-origin"]) == (204, origin)
        assert method in before.headers["access-control-allow-methods"]
        assert {"authorization", "content-type", "idempotency-key", "last-event-id"} <= set(
            before.headers["access-control-allow-headers"].split(", ")
        )
        answer = ask(place, origin, method, path, body)
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (status, origin), path
        assert "ratelimit" in answer.headers["access-control-expose-headers"]
        for each in (before, answer):
            assert "origin" in each.headers["vary"].lower()
            assert each.headers["access-control-allow-credentials"] is None


@pytest.mark.parametrize("origin", one_of(3, FOREIGN))
def test_a_page_of_another_origin_sends_nothing_and_reads_nothing(place: Served, origin: str) -> None:
    for method, path, body, _ in CALLS:
        if path == "/v1/tickets":
            continue
        before = ask_first(place, origin, method, path)
        assert (before.status, before.headers["access-control-allow-origin"]) == (403, None), path
        answer = ask(place, origin, method, path, body)
        assert answer.headers["access-control-allow-origin"] is None, path
        assert method == "GET" or answer.status == 403, path


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_page_of_another_origin_reads_why_it_gets_no_ticket(place: Served, origin: str) -> None:
    read = None if origin in {"*", "", f"{SHOP}/"} else origin
    before = ask_first(place, origin, "POST", "/v1/tickets")
    assert (before.status, before.headers["access-control-allow-origin"]) == (204 if read else 403, read)
    for key in ({}, {"authorization": "Bearer lwk_x"}):
        answer = ask(place, origin, "POST", "/v1/tickets", {"service": "chat"}, **key)
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (403, read)
        assert answer.headers["access-control-allow-credentials"] is None
        assert "ALLOWED_ORIGINS" in answer.body["error"]["message"]


def test_a_page_reaches_only_the_services_of_its_app(place: Served) -> None:
    names = {
        origin: {each["name"] for each in ask(place, origin, "GET", "/v1/services").body["services"]}
        for origin in (SHOP, BOOKS)
    }
    assert names[BOOKS] == {"translator", "chat"}
    assert "submission" in names[SHOP]
    assert ask(place, BOOKS, "POST", "/v1/tickets", {"service": "submission"}).status == 404


@pytest.mark.parametrize("path", ["/", "/services", "/docs", "/s/ses_nothing", "/preferences", "/healthz"])
def test_pages_of_other_origins_cannot_read_the_pages_of_the_server(place: Served, path: str) -> None:
    assert ask(place, SHOP, "GET", path).headers["access-control-allow-origin"] is None
    assert ask_first(place, SHOP, "GET", path).headers["access-control-allow-origin"] is None
