"""Deep Chat in Chromium, on a page of the server's own origin; without cookies it leaves them out of its requests."""

from __future__ import annotations

import json
from urllib.parse import urlencode
from uuid import uuid4

from playwright.async_api import Playwright, Route, async_playwright

from tests.integration.clients.client import Page, Shown
from tests.parts.chromium import PATIENCE_MS, executable
from tests.parts.element import BUNDLE, FOLDER
from tests.parts.missing import skip_missing

LOOK = "() => ({ ...shown, messages: shown.messages(), session: shown.session() })"


class DeepChat:
    """The page of tests/parts/deep_chat/agui.html."""

    async def open(self, page: Page) -> None:
        """Open it in a browser of its own."""
        self._playwright: Playwright | None = None
        if not BUNDLE.exists() or executable() is None:
            skip_missing("Deep Chat, or Chromium for it", "make parts")
        self._playwright = await async_playwright().start()
        browser = await self._playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
        self._page = await browser.new_page()
        self._page.set_default_timeout(PATIENCE_MS)
        self._complaints: list[str] = []
        self._page.on("pageerror", lambda error: self._complaints.append(str(error)))
        await self._page.route("**/deep-chat.js", lambda route: route.fulfill(path=BUNDLE))
        await self._page.route("**/deep-chat?*", self._document)
        tool = {"declared": page.tool.declared, "gives": page.tool.gives} if page.tool else None
        options = {"service": page.service, "threadId": str(uuid4()), "jar": page.jar, "tool": tool}
        query = urlencode({name: json.dumps(value) for name, value in options.items()})
        await self._page.goto(f"{page.url}/deep-chat?{query}")
        await self._page.wait_for_function("() => window.shown?.session")

    async def say(self, text: str) -> None:
        """Type it and wait for the end of its answer."""
        before = await self._page.evaluate("() => shown.answered ?? 0")
        await self._page.locator("#text-input").fill(text)
        await self._page.locator("#text-input").press("Enter")
        await self._page.wait_for_function("(before) => window.shown?.answered > before", arg=before)

    async def stop(self) -> None:
        """Press its button."""
        await self._page.locator(".input-button").last.click()

    async def reload(self) -> None:
        """Reload the page."""
        await self._page.reload()
        await self._page.wait_for_function("() => window.shown?.session")

    async def shows(self) -> Shown:
        """Look at what it shows."""
        shown = await self._page.evaluate(LOOK)
        return Shown(
            said=[(role, text) for role, text in shown["messages"]],
            blocks=list(shown["blocks"].values()),
            state=shown["state"],
            session=shown["session"] or "",
            called=shown["called"],
            complaints=self._complaints,
        )

    async def aclose(self) -> None:
        """Close the browser."""
        if self._playwright is not None:
            await self._playwright.stop()

    async def _document(self, route: Route) -> None:
        await route.fulfill(path=FOLDER / "agui.html", content_type="text/html")
