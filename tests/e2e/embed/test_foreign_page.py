"""A page of an origin that is not allowed: its client stops, and says why."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page

from tests.e2e.embed.conftest import Site
from tests.parts.chromium import Troubles

pytestmark = pytest.mark.once

STOPPED = """async (chat) => {
    const { loopwire } = await import(`${chat}/static/sdk/index.js`);
    const talk = loopwire({ url: chat });
    const stopped = new Promise((resolve) =>
        talk.client.addEventListener("state", ({ detail }) => detail.next === "stop" && resolve(detail)));
    const refused = talk.send("olá").catch((error) => error.message);
    return { ...(await stopped), refused: await refused };
}"""


async def test_the_client_of_a_foreign_page_stops_with_the_sentence_of_the_server(
    page: Page, site: Site, troubles: Troubles
) -> None:
    await site.visit(page, "", at="thief")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    told: dict[str, Any] = await page.evaluate(STOPPED, site.chat)
    assert (told["state"], told["code"]) == ("closed", "forbidden")
    assert "LOOPWIRE_ALLOWED_ORIGINS" in told["message"]
    assert told["refused"] == told["message"], "the message that waited is refused, not kept for ever"
    assert len([each for each in asked if each.endswith("/v1/tickets")]) <= 2, "the request and its preflight"
    # The browser says that a request was refused.
    assert [each for each in troubles if "403" not in each] == []
    troubles.clear()
