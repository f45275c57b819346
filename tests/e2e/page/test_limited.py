"""A rate-limited page: it shows the reason, the time of the next try, and keeps the draft."""

from __future__ import annotations

import json
import re

import pytest
from playwright.async_api import Page, Route, WebSocketRoute, expect

from tests.parts.wait import until_async

pytestmark = pytest.mark.page

LIMITED = {"code": "rate_limited", "message": "This was sent too often in a short time. Wait a moment."}


async def limits_messages(page: Page, seconds: float) -> list[str]:
    """Refuse the first message as one too many for so many seconds; returns the ids of those that were refused."""
    refused: list[str] = []

    def stand(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def said(text: str | bytes) -> None:
            frame = json.loads(text)
            if frame["type"] == "message" and not refused:
                refused.append(frame["id"])
                told = {"type": "error", "id": frame["id"], "retry": True, "retry_after": seconds, **LIMITED}
                route.send(json.dumps(told))
            else:
                server.send(text)

        route.on_message(said)

    await page.route_web_socket("**/ws", stand)
    return refused


async def say(page: Page, text: str) -> None:
    """Write a message and send it."""
    await page.fill("#composer-text", text)
    await page.press("#composer-text", "Enter")


@pytest.mark.parametrize(("seconds", "when"), [(45.2, r"daqui a 46 s"), (3600, r"às \d\d:\d\d")])
async def test_a_message_too_many_says_when_it_goes_and_is_kept(gallery, page, seconds, when):
    await limits_messages(page, seconds)
    await gallery.open(page, "options")
    await say(page, "mais uma")
    words = f"Foram muitas mensagens em pouco tempo: esta fica guardada e segue sozinha {when}"
    await expect(page.locator("#sending small span")).to_have_text(re.compile(f"^{words}$"))
    await expect(page.locator("#sending .bubble")).to_have_text("mais uma")
    await expect(page.locator("#announcer span")).to_have_text(re.compile(words))


async def test_a_message_too_many_goes_by_itself_when_the_time_has_come(gallery, page):
    refused = await limits_messages(page, 0.3)
    await gallery.open(page, "options")
    await say(page, "mais uma")
    (sent,) = await until_async(lambda: gallery.received(page, "options", "message"))
    assert [sent["id"]] == refused


async def test_a_page_that_may_not_connect_yet_says_when_it_does(gallery, page, troubles):
    async def refuse(route: Route) -> None:
        error = {"error": {**LIMITED, "retry_after": 40}}
        await route.fulfill(status=429, headers={"retry-after": "40"}, json=error)

    await page.route("**/v1/tickets", refuse)
    await page.goto(gallery.of("options"))
    bar = page.locator("#connection")
    await expect(bar).to_contain_text("Foram abertas demasiadas ligações em pouco tempo.")
    await expect(bar).to_contain_text("Volta a ligar sozinha daqui a 40 s; o que escrever fica guardado.")
    await page.unroute("**/v1/tickets")
    await bar.get_by_role("button", name="Tentar já").click()
    await expect(page.locator("body[data-state=open]")).to_be_attached()
    await expect(bar).to_be_hidden()
    troubles[:] = [each for each in troubles if "429" not in each]
