"""The client of a search server over HTTP: what it asks, what it keeps of an answer, and what it does not bear."""

from __future__ import annotations

import gzip
import json

import pytest

from server.agents.tools.search_server import MOST_BYTES, MOST_RESULTS, SearchServer
from server.errors import Unavailable
from server.tracing.trace_context import TraceContext, follow_with
from tests.parts.searching import searching

GOOD = "https://www.olx.pt/d/anuncio/iphone-12-IDabc.html"
HUGE = 50 * 1024 * 1024


async def test_pages_come_as_plain_text_with_addresses_that_can_be_shown() -> None:
    async with searching() as engine:
        server = SearchServer(engine.url + "/")
        engine.body = {
            "results": [
                {"url": "javascript:alert(1)", "title": "a script"},
                {"url": "https://user:pass@evil.example/", "title": "a password"},
                {"url": 'https://evil.example/"><script>', "title": "a mark"},
                {"url": "data:text/html,<b>", "title": "data"},
                {"url": ["https://list.example"], "title": "no text"},
                "no object",
                {"url": GOOD, "title": "<b>iPhone</b> 12 &lt;script&gt;x\u0000", "content": "a\n\n 150 \u20ac" * 500},
                {"url": GOOD, "title": "again"},
                {"url": "https://www.custojusto.pt/1", "title": None, "content": 7},
            ]
        }  # fmt: skip
        found = await server.search("iPhone 12", "pt-PT")
        assert [each.url for each in found] == [GOOD, "https://www.custojusto.pt/1"]
        assert found[0].title == "iPhone 12 x" and "\n" not in found[0].text and len(found[0].text) == 500
        assert found[1].title == found[1].text == ""
        assert engine.asked == [{"path": "/search", "q": "iPhone 12", "format": "json", "language": "pt-PT"}]
        engine.body = {"results": [{"url": f"https://shop.example/{n}"} for n in range(100)]}
        assert len(await server.search("many", "en")) == MOST_RESULTS
        await server.aclose()


async def test_a_search_continues_the_trace_at_work() -> None:
    async with searching() as engine:
        server = SearchServer(engine.url)
        await server.search("a", "en")
        follow_with(lambda: TraceContext("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"))
        await server.search("b", "en")
        await server.aclose()
    sent = [[each for each in head if each.startswith("trace")] for head in engine.heads]
    assert sent == [[], ["traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"]]
    assert all("accept-encoding: identity" in head for head in engine.heads)
    assert all(any(each.startswith("user-agent: loopwire/") for each in head) for head in engine.heads)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (500, {"results": []}),
        (403, b"JSON is off here"),
        (302, {"results": []}),
        (200, b"<html>not JSON</html>"),
        (200, b"\xff\xfe\x00"),
        (200, b"[" * 200_000),
        (200, {"results": {"url": GOOD}}),
        (200, ["results"]),
    ],
    ids=str,
)
async def test_an_answer_that_is_no_result_is_a_part_that_is_away(status: int, body: object) -> None:
    async with searching() as engine:
        engine.status, engine.body = status, body
        engine.headers = {"location": f"{engine.url}/elsewhere"}
        server = SearchServer(engine.url)
        with pytest.raises(Unavailable):
            await server.search("anything", "en")
        assert len(engine.asked) == 1, "a redirect was followed"
        await server.aclose()


async def test_a_silent_or_oversized_answer_of_a_search_server_is_unavailable() -> None:
    async with searching() as engine:
        server, hurried = SearchServer(engine.url), SearchServer(engine.url, timeout_s=0.2)
        engine.silent = True
        with pytest.raises(Unavailable):
            await hurried.search("slow", "en")
        engine.silent, engine.endless_bytes = False, HUGE
        with pytest.raises(Unavailable):
            await server.search("large", "en")
        assert engine.sent < HUGE
        engine.endless_bytes = 0
        engine.body = gzip.compress(json.dumps({"results": [], "pad": " " * (2 * MOST_BYTES)}).encode())
        engine.headers = {"content-encoding": "gzip"}
        with pytest.raises(Unavailable):
            await server.search("a small body that would become a large one", "en")
        await server.aclose()
        await hurried.aclose()
    with pytest.raises(Unavailable):
        await SearchServer("http://127.0.0.1:1").search("nobody is there", "en")
