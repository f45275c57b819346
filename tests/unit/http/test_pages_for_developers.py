"""The pages that developers try things on: a marketplace that embeds the chat, and the frames of the socket."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from server.html.render import Renderer
from server.http.failures import HANDLERS
from server.http.market_page import MarketPage
from server.http.socket_page import SocketPage, channels

ROOT = Path(__file__).parents[3]
RENDERER = Renderer(ROOT / "web")


def language_of(_: Any) -> str:
    return "en"


def browser(routes: list[BaseRoute]) -> httpx2.AsyncClient:
    app = Starlette(routes=routes, exception_handlers=HANDLERS)
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://here")


@pytest.mark.parametrize(
    ("chat", "named"), [("", "'self'"), ("https://chat.example", "https://chat.example")]
)
async def test_a_market_embeds_the_chat_of_an_app_under_the_strictest_policy(chat: str, named: str) -> None:
    market = MarketPage(RENDERER, language_of, app="demo", chat_of=lambda _: chat)
    async with browser(market.routes()) as client:
        answer = await client.get("/demo", headers={"cookie": "theme=dark"})
    policy = answer.headers["content-security-policy"]
    assert f"script-src 'self' {named}; frame-src {named}; style-src 'self';" in policy
    assert policy.endswith("require-trusted-types-for 'script'; trusted-types 'none'")
    assert answer.headers["cross-origin-embedder-policy"] == "require-corp"
    assert (answer.headers["cache-control"], answer.headers["vary"]) == (
        "no-store",
        "Cookie, Accept-Language",
    )
    page = unescape(answer.text)
    assert '<html lang="en" data-theme="dark">' in page
    assert f'<script src="{chat}/widget.js" data-app="demo"' in page
    assert f'<iframe src="{chat}/embed/demo?service=value_estimation&' in page
    assert f"<code>{policy.partition('; require-trusted')[0]}</code>" in page
    assert "<code>require-trusted-types-for 'script'; trusted-types 'none'</code>" in page


def shown() -> Iterator[dict[str, Any]]:
    """Yield each frame that the page shows, with who sends it."""
    for channel in channels():
        assert channel["about"]
        for group in channel["groups"]:
            for frame in group["frames"]:
                yield {**frame, "action": group["action"], "address": channel["address"]}


def test_the_frames_of_the_socket_have_their_fields_and_an_example_that_is_one() -> None:
    document = json.loads((ROOT / "docs/protocol/asyncapi.json").read_text())
    frames = list(shown())
    assert {each["address"] for each in frames} == {each["address"] for each in document["channels"].values()}
    names = {name for each in document["channels"].values() for name in each["messages"]}
    assert {each["name"] for each in frames} == names
    hello = next(each for each in frames if each["type"] == "hello")
    assert hello["action"] == "receive"
    for each in frames:
        example = json.loads(each["example"])
        assert each["type"] in ("", example.get("type"))
        assert each["meaning"]
        if example:
            assert re.match(r'\{\n  "', each["example"]), "it is indented for people"
        assert {row.name for row in each["rows"]} >= {"type"} or not each["type"]


def test_a_field_with_one_of_several_shapes_names_their_types() -> None:
    rows = {(each["name"], row.name): row.type for each in shown() for row in each["rows"]}
    assert rows["Message", "content[].type"] == "text | answer | image"
    of_event = rows["Durable", "event.type"].split(" | ")
    assert {"RUN_STARTED", "TEXT_MESSAGE_CONTENT", "MESSAGES_SNAPSHOT"} <= set(of_event)
    assert rows["Snapshot", "events[].type"].split(" | ") == of_event


async def test_the_page_of_the_socket_is_in_the_language_of_its_reader_and_serves_its_documents() -> None:
    page = SocketPage(cast("Any", SimpleNamespace(language_of=language_of)), RENDERER)
    async with browser(page.routes()) as client:
        answer = await client.get("/docs/socket", headers={"cookie": "theme=light"})
        assert (answer.headers["cache-control"], answer.headers["vary"]) == (
            "no-store",
            "Cookie, Accept-Language",
        )
        assert '<html lang="en" data-theme="light">' in answer.text
        for each in shown():
            assert f'<section class="endpoint" id="{each["name"]}"' in answer.text
        for name in ("asyncapi.json", "schema.json"):
            document = await client.get(f"/docs/{name}")
            assert document.headers["content-type"] == "application/json"
            assert document.json() == json.loads((ROOT / "docs/protocol" / name).read_text())
        assert (await client.get("/docs/none.json")).status_code == 404
