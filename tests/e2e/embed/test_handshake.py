"""The handshake of a frame and its page: who answers what, from where, and with which nonce.

Each test lies before the handshake is done, and fails where one check alone is left out.
"""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Frame, Page, expect

from tests.e2e.embed.conftest import Site, Widget
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

HOST = """<script>
  window.heard = [];
  window.answer = (id, theme, to) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => heard.push([theme, data.method]);
    const result = { hostContext: { theme, loopwire: { closable: true, open: true } } };
    to.postMessage({ jsonrpc: '2.0', id, result }, '*', [port2]);
  };
  window.hello = new Promise((done) =>
    addEventListener('message', ({ data }) => data.method === 'ui/initialize' && done(data.id)));
</script>"""
"""A page that answers a frame by hand."""

EVIL = """<script>
  top.postMessage({ jsonrpc: '2.0', id: 1, method: 'ui/initialize' }, '*');
  onmessage = ({ data, ports }) => {
    if (ports.length) document.title = 'got a port';
    else document.title ||= data;
  };
</script>"""
"""A page of another site in the place of the frame."""


async def embedded(site: Site, page: Page, *, host: str, more: str = "") -> Frame:
    """Open a page that shows a frame for the page at `host`, and return the frame."""
    source = f"{site.chat}/embed/shop?service=chat&amp;host={host}"
    await site.visit(page, f'{HOST}{more}<iframe id="frame" src="{source}"></iframe>')
    handle = await page.locator("#frame").element_handle()
    frame = await handle.content_frame()
    assert frame is not None
    await expect(frame.locator("form[data-ready]")).to_be_attached()
    return frame


async def is_answered_by_the_right_one(page: Page, frame: Frame, nonce: str) -> None:
    """Give the true answer, and see that no other one was taken."""
    await page.evaluate("(id) => answer(id, 'light', frame.contentWindow)", nonce)
    await expect(frame.locator("html[data-theme=light] body.closable")).to_be_attached()
    await until_async(lambda: page.evaluate("heard.length > 0"), what="the frame")
    assert {theme for theme, _ in await page.evaluate("heard")} == {"light"}


async def test_a_frame_takes_no_answer_without_its_nonce(site: Site, new_page: Any) -> None:
    page: Page = await new_page()
    frame = await embedded(site, page, host=site.at("shop"))
    nonce = await page.evaluate("hello")
    for lie in (f"{nonce}a", 1, None, ""):
        await page.evaluate("(id) => answer(id, 'dark', frame.contentWindow)", lie)
    await is_answered_by_the_right_one(page, frame, nonce)


async def test_a_frame_takes_no_answer_of_another_frame_of_its_page(site: Site, new_page: Any) -> None:
    page: Page = await new_page()
    frame = await embedded(
        site, page, host=site.at("shop"), more='<iframe id="ad" srcdoc="<p>x</p>"></iframe>'
    )
    nonce = await page.evaluate("hello")
    handle = await page.locator("#ad").element_handle()
    ad = await handle.content_frame()
    assert ad is not None
    lie = """(id) => {
      const { port2 } = new MessageChannel();
      const result = { hostContext: { theme: 'dark', loopwire: { closable: true } } };
      parent.frame.contentWindow.postMessage({ jsonrpc: '2.0', id, result }, '*', [port2]);
    }"""
    await ad.evaluate(lie, nonce)
    await is_answered_by_the_right_one(page, frame, nonce)


async def test_a_frame_takes_no_answer_of_a_page_of_another_origin_than_its_address_names(
    site: Site, new_page: Any, troubles: Any
) -> None:
    page: Page = await new_page()
    await page.context.add_init_script("Crypto.prototype.getRandomValues = (bytes) => bytes")
    frame = await embedded(site, page, host=site.chat)
    seen = "window.seen = new Promise((done) => addEventListener('message', ({ data }) => data === 'last' && done(1)))"
    await frame.evaluate(f"() => {{ {seen} }}")
    lie = "answer('0'.repeat(32), 'dark', frame.contentWindow); frame.contentWindow.postMessage('last', '*')"
    await page.evaluate(lie)
    assert await frame.evaluate("seen") == 1
    await expect(frame.locator("body.closable")).to_have_count(0)
    assert await page.evaluate("heard") == []
    troubles.clear()


async def test_the_loader_gives_no_port_to_another_site_in_the_place_of_its_frame(
    site: Site, new_page: Any, troubles: Any
) -> None:
    page: Page = await new_page()
    await site.visit(page, site.tag())
    widget = Widget(page)
    await page.evaluate("window.ids = []; addEventListener('message', ({ data }) => ids.push(data.id))")
    await widget.open()
    site.hosts.page = {}, EVIL
    frame = "document.querySelector('loopwire-chat').shadowRoot.querySelector('iframe').contentWindow"
    await page.evaluate(f"{frame}.location = '{site.at('evil')}/'")
    await until_async(lambda: page.evaluate("ids.includes(1)"), what="the request of the other site")
    await page.evaluate(f"{frame}.postMessage('no port', '*')")
    evil = next(each for each in page.frames if each.url.startswith(site.at("evil")))
    await until_async(evil.title, what="the marker behind what may have been an answer")
    assert await evil.title() == "no port"
    # Nor is it taken for the frame, which would have asked before it was loaded.
    await expect(widget.window.get_by_role("alert")).to_be_visible()
    troubles.clear()


async def test_the_loader_gives_no_port_to_another_frame_of_the_same_server(
    site: Site, new_page: Any
) -> None:
    page: Page = await new_page()
    source = f"{site.chat}/embed/shop?service=chat&amp;host={site.at('shop')}"
    await site.visit(page, f'<iframe id="other" src="{source}"></iframe>{site.tag()}')
    note = "addEventListener('message', ({ source }) => asked.push(source === other.contentWindow))"
    await page.evaluate(f"window.asked = []; {note}")
    await Widget(page).open()
    handle = await page.locator("#other").element_handle()
    other = await handle.content_frame()
    assert other is not None
    # Its request came while the chat had a frame of its own.
    await page.evaluate("other.src = other.src")
    await until_async(lambda: page.evaluate("asked.includes(true)"), what="the request of the other frame")
    await expect(other.locator("form[data-ready]")).to_be_attached()
    await other.evaluate("() => new Promise((done) => setTimeout(done))")
    await expect(other.locator("body.closable")).to_have_count(0)
