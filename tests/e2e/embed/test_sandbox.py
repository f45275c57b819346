"""The frame where its surroundings are unusual: within a sandbox, and alone, as the WebView of an app shows it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Frame, Page, expect

from tests.e2e.embed.conftest import Hosts, Site, secure_site
from tests.e2e.embed.test_widget import say
from tests.parts.chromium import Troubles
from tests.parts.sampled import later
from tests.parts.server import Backend

pytestmark = pytest.mark.once

PHONE = {"width": 390, "height": 844}
DOCUMENT = (Path(__file__).parents[3] / "docs/embedding.md").read_text()


async def embedded(page: Page, site: Site, attributes: str) -> Frame:
    """Show the frame with these attributes in a page of the shop."""
    await site.visit(
        page,
        f'<iframe src="{site.chat}/embed/shop" title="Chat" width="400" height="700" {attributes}></iframe>',
    )
    handle = await page.locator("iframe").element_handle()
    frame = await handle.content_frame()
    assert frame is not None
    return frame


@pytest.mark.conformance
async def test_the_documented_sandbox_lets_the_conversation_go_on_after_a_reload(
    backend: Backend, hosts: Hosts, new_page: Any
) -> None:
    page: Page = await new_page()
    (sandbox,) = re.findall(r'sandbox="[a-z -]+"', DOCUMENT)
    with secure_site(backend, hosts) as site:
        frame = await embedded(page, site, sandbox)
        await say(frame, "Polly Magic")
        rows = await frame.locator("#log > .row").count()
        frame = await embedded(page, site, sandbox)
        await expect(frame.locator("#log > .row")).to_have_count(rows)
        await frame.locator(".row-block.open .option").first.click()
        await expect(frame.locator("#log .answered").first).to_be_visible()
        # Its socket must not be opened anew while the server ends.
        await page.close()


@pytest.mark.parametrize("tokens", [later("allow-scripts"), "allow-scripts allow-forms allow-popups"])
async def test_a_sandbox_that_takes_the_origin_is_told(
    site: Site, new_page: Any, troubles: Troubles, tokens: str
) -> None:
    page: Page = await new_page()
    frame = await embedded(page, site, f'sandbox="{tokens}"')
    await expect(frame.get_by_role("status")).to_have_text(
        "A página em que está não deixa esta conversa funcionar."
    )
    await expect(frame.locator("#composer-text")).to_be_disabled()
    assert [each for each in troubles if "allow-same-origin" in each] != []
    # The browser says what it refuses a frame without an origin.
    troubles.clear()


async def test_a_web_view_shows_the_frame_alone_and_keeps_its_conversation(site: Site, new_page: Any) -> None:
    page: Page = await new_page(viewport=PHONE)
    await page.goto(f"{site.chat}/embed/shop")
    await say(page.main_frame, "Polly Magic")
    rows = await page.locator("#log > .row").count()
    await page.reload()
    await expect(page.locator("#log > .row")).to_have_count(rows)
    await page.locator(".row-block.open .option").first.click()
    await expect(page.locator("#log .answered").first).to_be_visible()
