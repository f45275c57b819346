"""Chats that are removed from a page after their frames have answered: nothing of them is left."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import CDPSession, Page, expect

from tests.e2e.embed.conftest import Site, Widget
from tests.e2e.embed.test_page_messages import signed
from tests.e2e.embed.test_widget import PHONE
from tests.parts.sampled import later
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

MOUNT = """async () => {
  const chat = document.createElement('loopwire-chat');
  chat.setAttribute('app', 'shop');
  document.body.append(chat);
  const ready = new Promise((done) => chat.addEventListener('loopwire:ready', done));
  chat.open();
  await ready;
  (window.hosts ??= []).push(new WeakRef(chat));
}"""
"""What mounts a chat and waits for its frame; the page holds it weakly."""

SAY = """async (token) => {
  const big = new Array(1000).fill('x');
  await Loopwire.identify(async () => big && token);
  await Loopwire.registerTool('cart', {}, () => big);
  await Loopwire.setContext({ big: big.length });
  (window.texts ??= []).push(new WeakRef(big));
}"""
"""What says something to it. The functions are the page's own, and know nothing of the chat."""


async def listeners(page: Page, session: CDPSession) -> list[int]:
    """Count the listeners of the page's own objects."""
    counts = []
    for what in ("window", "document", "document.documentElement"):
        found = await session.send("Runtime.evaluate", {"expression": what})
        told = await session.send("DOMDebugger.getEventListeners", {"objectId": found["result"]["objectId"]})
        await session.send("Runtime.releaseObject", {"objectId": found["result"]["objectId"]})
        counts.append(len(told["listeners"]))
    return counts


@pytest.mark.parametrize("how", ["chat.remove()", later("chat.destroy()"), later("Loopwire.destroy()")])
async def test_nothing_holds_a_chat_that_is_removed_after_its_frame_has_answered(
    site: Site, new_page: Any, how: str
) -> None:
    page: Page = await new_page()
    await site.visit(page, f'<script src="{site.chat}/widget.js" async></script>')
    await page.wait_for_function("Boolean(window.Loopwire?.mount)")
    session = await page.context.new_cdp_session(page)
    before = await listeners(page, session)
    for _ in range(3):
        await page.evaluate(MOUNT)
        await page.evaluate(SAY, signed("ana"))
        await page.evaluate(f"() => {{ const chat = document.querySelector('loopwire-chat'); {how}; }}")
        await expect(page.locator("loopwire-chat")).to_have_count(0)
    assert await listeners(page, session) == before

    async def left(of: str) -> int:
        await session.send("HeapProfiler.collectGarbage")
        count: int = await page.evaluate(f"{of}.filter((each) => each.deref()).length")
        return count

    async def are_gone() -> bool:
        return await left("hosts") == 0

    await until_async(are_gone, what="the end of the chats")
    if how == "Loopwire.destroy()":
        assert await left("texts") == 0
    assert page.frames == [page.main_frame]


async def test_on_a_phone_a_chat_that_is_removed_takes_its_entry_of_the_history_with_it(
    site: Site, new_page: Any
) -> None:
    page: Page = await new_page(**PHONE)
    await site.visit(page, site.tag())
    await Widget(page).open()
    assert await page.evaluate("Boolean(history.state?.loopwire)")
    await page.evaluate("Loopwire.destroy()")
    await until_async(lambda: page.evaluate("!history.state?.loopwire"), what="the former entry")
    assert page.url == site.at("shop") + "/"
