"""The service worker shows what a push says and opens its conversation; while that is looked at it shows nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.async_api import Page

from server.callbacks.push_encryption import base64url_text
from tests.e2e.conversation.test_installed import written
from tests.parts.chromium import NewPage
from tests.parts.push_receiver import Browser
from tests.parts.receiver import receiving
from tests.parts.server import Served, served
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

RECORDS = """() => {
    self.shown = [];
    self.opened = [];
    registration.getNotifications = async ({ tag }) => shown.filter((each) => each.tag === tag);
    registration.showNotification = async (title, options) => void shown.push({ title, ...options });
    clients.openWindow = async (path) => void opened.push(path);
}"""
"""A headless browser refuses notifications, and opens a window for a real click alone: this one notes both."""

CLICK = """() => {
    const notification = { data: { session: "ses_1" }, close() {} };
    dispatchEvent(Object.assign(new ExtendableEvent("notificationclick"), { notification }));
}"""
MESSAGE = {"title": "Loopwire", "body": "Ana escreveu-lhe.", "session": "ses_1", "message": "msg_1"}


async def pushed(page: Page, url: str, **message: str) -> None:
    """Deliver a push to the worker of a page, as the browser does when the push service sends it."""
    devtools = await page.context.new_cdp_session(page)
    known: list[dict[str, Any]] = []
    devtools.on("ServiceWorker.workerRegistrationUpdated", lambda event: known.extend(event["registrations"]))
    await devtools.send("ServiceWorker.enable")
    await until_async(lambda: known, what="the registration")
    await devtools.send(
        "ServiceWorker.deliverPushMessage",
        {"origin": url, "registrationId": known[-1]["registrationId"], "data": json.dumps(message)},
    )
    await devtools.detach()


async def test_a_push_is_shown_and_opens_its_conversation(quick: Served, new_page: NewPage) -> None:
    page = await new_page()
    await written(page, quick.url)
    (worker,) = page.context.service_workers
    await worker.evaluate(RECORDS)
    await pushed(page, quick.url, **MESSAGE)
    await until_async(lambda: worker.evaluate("shown.length"), what="the notification")
    await pushed(page, quick.url, **MESSAGE)
    await pushed(page, quick.url, **{**MESSAGE, "session": "ses_2"})
    await until_async(lambda: worker.evaluate("shown.length > 1"), what="the other conversation's")
    shown, _ = await worker.evaluate("shown")
    assert (shown["title"], shown["body"]) == ("Loopwire", "Ana escreveu-lhe.")
    assert (shown["tag"], shown["data"]) == ("ses_1", {"session": "ses_1", "message": "msg_1"})
    await worker.evaluate(CLICK)
    await until_async(lambda: worker.evaluate("opened.length"), what="the window")
    assert await worker.evaluate("opened") == ["/s/ses_1"]


@pytest.mark.conformance
async def test_a_push_is_not_shown_while_its_conversation_is_looked_at(
    quick: Served, new_page: NewPage
) -> None:
    page = await new_page()
    await written(page, quick.url)
    await page.press("#composer-text", "Enter")
    await page.wait_for_url("**/s/*")
    await page.reload()  # A worker knows a window by the address that it was opened at.
    (worker,) = page.context.service_workers
    await worker.evaluate(RECORDS)
    await pushed(page, quick.url, **{**MESSAGE, "session": page.url.rpartition("/")[2]})
    await pushed(page, quick.url, **MESSAGE)
    await until_async(lambda: worker.evaluate("shown.length"), what="the other conversation's")
    assert [each["tag"] for each in await worker.evaluate("shown")] == ["ses_1"]


SUBSCRIBED = """(address, keys) => {
    const known = { endpoint: address, options: {}, ended: 0, unsubscribe: async () => void (known.ended += 1) };
    known.toJSON = () => ({ endpoint: address, expirationTime: null, keys });
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
        window.key = applicationServerKey;
        const text = atob(applicationServerKey.replaceAll("-", "+").replaceAll("_", "/"));
        known.options.applicationServerKey = Uint8Array.from(text, (each) => each.charCodeAt(0)).buffer;
        return (window.known = known);
    };
    PushManager.prototype.getSubscription = async () => window.known ?? null;
    Notification.requestPermission = async () => "granted";
    Object.defineProperty(Notification, "permission", { value: "granted" });
}"""
"""A headless browser has no push service: this one subscribes to an address of the test."""


async def test_the_switch_subscribes_the_browser_and_ends_that(new_page: NewPage) -> None:
    browser = Browser.new()
    async with receiving(answers=[201]) as receiver:
        push = {"LOOPWIRE_PUSH_CONTACT": "mailto:ops@shop.example", "LOOPWIRE_PUSH_HOSTS": receiver.host}
        with served({"LOOPWIRE_DEMO_DELAY_MS": "0", **push}) as running:
            page = await new_page()
            keys = {"p256dh": base64url_text(browser.point), "auth": base64url_text(browser.auth)}
            await page.add_init_script(f"({SUBSCRIBED})({json.dumps(receiver.url)}, {json.dumps(keys)})")
            await written(page, running.url)
            key = await page.evaluate("async () => (await (await fetch('/v1/push')).json()).key")
            switch = page.locator("[data-notify]")
            async with page.expect_response(lambda each: each.request.method == "PUT") as subscribed:
                await switch.dispatch_event("click")
            assert (await subscribed.value).status == 204
            assert await page.evaluate("window.key") == key
            async with page.expect_response(lambda each: each.request.method == "DELETE") as ended:
                await switch.dispatch_event("click")
            assert (await ended.value).status == 204
            await until_async(lambda: page.evaluate("known.ended"), what="the end of the subscription")
