"""The page that is shown when another cannot be: how to go on from it, and when to come back."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from starlette.requests import Request
from starlette.routing import Route

from server.errors import LoopwireError, NotFound, RateLimited, Unavailable
from server.html.render import Renderer
from server.http.pages import AGAIN_SECONDS, Pages

WEB = Path(__file__).parents[3] / "web"


async def answered(error: LoopwireError, language: str = "pt") -> tuple[int, dict[str, str], str]:
    """Ask for a page that fails like this; return the status, the headers and the page."""

    async def offers(_: str) -> bool:
        raise error

    pages = Pages(
        store=cast("Any", None),
        cores=cast("Any", None),
        renderer=Renderer(WEB),
        snapshot=cast("Any", None),
        offers=offers,
        language_of=lambda _: language,
        app="demo",
        service="submission",
        demo=True,
    )
    (empty,) = [each for each in pages.routes() if isinstance(each, Route) and each.path == "/"]
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"service=other", "headers": []}
    response = await empty.endpoint(Request(scope))
    return response.status_code, dict(response.headers), bytes(response.body).decode()


@pytest.mark.parametrize(("known", "told"), [(2.0, 2), (0.2, 1), (None, AGAIN_SECONDS)])
async def test_a_service_that_is_away_says_when_to_come_back_and_does_so_itself(
    known: float | None, told: int
) -> None:
    status, headers, page = await answered(Unavailable(retry_after=known))
    assert (status, headers["retry-after"]) == (503, str(told))
    assert f'<meta http-equiv="refresh" content="{told}">' in page
    assert '<a class="button" href="">Tentar de novo</a>' in page
    assert "A página abre sozinha" in page
    assert 'href="/">Começar' not in page


async def test_a_refusal_by_a_rate_says_when_it_ends_and_what_is_kept() -> None:
    status, headers, page = await answered(RateLimited(retry_after=12.4), "en")
    assert (status, headers["retry-after"]) == (429, "13")
    assert '<meta http-equiv="refresh" content="13">' in page
    assert "Your conversations are kept. The page opens by itself in 13 s." in page
    assert '<a class="button" href="">Try again</a>' in page


async def test_the_page_of_a_missing_address_offers_no_retry() -> None:
    status, headers, page = await answered(NotFound(), "en")
    assert status == 404
    assert "retry-after" not in headers
    assert "refresh" not in page and "Try again" not in page
    assert 'href="/">Start a conversation</a>' in page


@pytest.mark.parametrize("language", ["pt", "en"])
def test_the_page_of_a_start_can_be_asked_for_at_once(language: str) -> None:
    page = Renderer(WEB).page("starting.html", language, theme="", version="", seconds=5)
    assert 'href=""' in page
