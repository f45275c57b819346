"""A page of an origin that is not allowed: its client stops, and says why."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Page

from tests.e2e.embed.conftest import Site

STOPPED = """async (chat) => {
    const { LoopwireClient } = await import(`${chat}/static/sdk/client.js`);
    const client = new LoopwireClient({ url: chat });
    const stopped = new Promise((resolve) =>
        client.addEventListener("state", ({ detail }) => detail.next === "stop" && resolve(detail)));
    client.connect();
    return stopped;
}"""


async def test_the_client_of_a_foreign_page_stops_with_the_sentence_of_the_server(
    page: Page, site: Site
) -> None:
    await site.visit(page, "", at="thief")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    told: dict[str, Any] = await page.evaluate(STOPPED, site.chat)
    assert (told["state"], told["code"]) == ("closed", "forbidden")
    assert "LOOPWIRE_ALLOWED_ORIGINS" in told["message"]
    assert len([each for each in asked if each.endswith("/v1/tickets")]) <= 2, "the request and its preflight"
