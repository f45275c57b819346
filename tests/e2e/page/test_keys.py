"""The keys of the page and their list, and the signs of a hidden tab: its title and, if allowed, a notification."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, Page, expect

from tests.e2e.axe import AXE, TAGS, looked_at
from tests.e2e.page.conftest import Gallery
from tests.parts.wait import until_async

HIDE = """(hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
RECORD = """
window.told = [];
window.Notification = class extends Notification {
    static permission = "default";
    static async requestPermission() { return (this.permission = "granted"); }
    constructor(title, options) { super(title, options); told.push([title, options.body]); }
};
"""
"""A headless browser refuses notifications without asking anybody: this one is asked, and allows them."""
PHONE = """
Notification = class extends Notification {
    constructor() { throw new TypeError("Illegal constructor."); }
};
ServiceWorkerRegistration.prototype.showNotification = async function (title, { body, tag, data }) {
    told.push([title, body, tag, data.session]);
};
"""
"""So does a browser of a phone, which shows notifications of a service worker only."""


async def test_keys_act_from_the_composer_and_are_listed(gallery, page):
    await gallery.open(page, "options")
    await page.focus("#composer-text")
    await page.keyboard.type("?")
    await expect(page.locator("#composer-text")).to_have_value("?")
    await page.fill("#composer-text", "")
    await page.keyboard.press("Alt+q")
    await expect(page.locator("#row-blk_4 .option").first).to_be_focused()
    await page.keyboard.press("?")
    dialog = page.locator("dialog[open]")
    await expect(dialog).to_be_visible()
    assert await dialog.locator("dt").all_inner_texts() == [
        "Enter",
        "Shift + Enter",
        "↑",
        "Esc",
        "Alt + 1–9",
        "Alt + Q",
        "Ctrl + K",
        "?",
    ]
    await page.evaluate(AXE)
    found = await looked_at(page, {"runOnly": {"type": "tag", "values": TAGS}})
    assert [each["id"] for each in found["violations"]] == []
    # What stands behind the list does not answer to keys.
    await page.keyboard.press("Alt+1")
    assert await gallery.received(page, "options", "message") == []
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await expect(page.locator("#row-blk_4 .option").first).to_be_focused()
    await page.focus("#composer-text")
    label = await page.locator("#row-blk_4 .option").nth(1).get_attribute("data-label")
    await page.keyboard.press("Alt+2")
    await expect(page.locator("#row-blk_4 .answered")).to_contain_text(str(label))
    await expect(page.locator("#composer-text")).to_have_value("")


async def asks_for_notifications(gallery: Gallery, page: Page) -> Locator:
    """Turn the switch on and hide the tab; returns the switch."""
    await gallery.open(page, "streaming")
    switch = page.locator("[data-notify]")
    await expect(switch).to_have_attribute("aria-pressed", "false")
    await switch.click()
    await expect(switch).to_have_attribute("aria-pressed", "true")
    await page.evaluate(HIDE, True)
    return switch


async def test_a_hidden_tab_counts_in_its_title_and_notifies_those_who_asked(gallery, new_page):
    page = await new_page(service_workers="block")
    await page.add_init_script(RECORD)
    await asks_for_notifications(gallery, page)
    title = await page.title()
    await gallery.go(page, "streaming")
    await until_async(lambda: page.evaluate("told.length === 1"), what="the notification")
    assert await page.evaluate("told") == [["Loopwire", "A resposta está pronta."]]
    assert await page.title() == f"(1) {title}"
    await page.evaluate(HIDE, False)
    assert await page.title() == title


@pytest.mark.conformance
async def test_a_phone_notifies_by_its_service_worker(gallery, new_page):
    page = await new_page()
    await page.add_init_script(RECORD + PHONE)
    await asks_for_notifications(gallery, page)
    await page.evaluate("async () => void (await navigator.serviceWorker.ready)")
    await gallery.go(page, "streaming")
    await until_async(lambda: page.evaluate("told.length === 1"), what="the notification")
    told = ["Loopwire", "A resposta está pronta.", "streaming", "streaming"]
    assert await page.evaluate("told") == [told]


@pytest.mark.conformance
async def test_where_the_browser_shows_no_notification_the_switch_goes_off_and_says_so(gallery, new_page):
    page = await new_page(service_workers="block")
    await page.add_init_script(RECORD + PHONE)
    switch = await asks_for_notifications(gallery, page)
    await gallery.go(page, "streaming")
    await expect(switch).to_have_attribute("aria-pressed", "false")
    said = page.locator("#side > [role=alert]")
    await expect(said).to_have_text("Este navegador não mostra avisos: ficaram desligados.")
    await switch.click()
    await expect(said).to_have_count(0)
    await expect(switch).to_have_attribute("aria-pressed", "true")
