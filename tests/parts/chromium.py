"""The system's Chromium, driven by Playwright; no browser is ever downloaded."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    ViewportSize,
    async_playwright,
    expect,
)

from tests.parts.missing import skip_missing

# The first is the same engine without the windows of the others: it takes a third less time.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
)

PATIENCE_MS = 60_000
"""How long anything in a browser may take: only a wait that fails costs time."""

SIZE: ViewportSize = {"width": 1280, "height": 720}
"""The size of a page that a test does not name."""

FORGET = """
if (window === top && !window.name) try {
    window.name = "known";
    localStorage.clear();
    sessionStorage.clear();
} catch { /* A page without an address has no storage. */ }
"""
"""Empties the storage before the first page of a test, when the last page of the test before it has gone."""

NewPage = Callable[..., Awaitable[Page]]


def executable() -> str | None:
    """Find a Chromium: TEST_CHROMIUM, the PATH, or macOS's own place."""
    found = [
        os.environ.get("TEST_CHROMIUM"),
        *map(shutil.which, _NAMES),
        str(_MAC) if _MAC.exists() else None,
    ]
    return next(filter(None, found), None)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of a Chromium."""
    path = executable()
    if path is None:
        skip_missing("Chromium", "apt-get install chromium, or TEST_CHROMIUM")
    return path


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(chromium: str) -> AsyncIterator[Browser]:
    """Yield one headless browser for the whole session."""
    async with async_playwright() as playwright:
        expect.set_options(timeout=PATIENCE_MS)
        launched = await playwright.chromium.launch(
            executable_path=chromium, headless=True, args=list(QUIET), timeout=2 * PATIENCE_MS
        )
        yield launched
        await launched.close()


class Troubles(list[str]):
    """The complaints of a browser: uncaught errors, console errors, refused by the CSP."""

    def watch(self, page: Page) -> None:
        """Write down what this page complains of."""
        page.on("pageerror", lambda error: self.append(f"{page.url}: {error}"))
        page.on("console", lambda said: self._hear(page, said))

    def _hear(self, page: Page, said: ConsoleMessage) -> None:
        if said.type == "error":
            self.append(f"{page.url}: {said.text}")


@pytest.fixture
def troubles() -> Troubles:
    """Return the complaints of this test's pages; a test that expects some clears the list."""
    return Troubles()


@pytest_asyncio.fixture(loop_scope="session")
async def new_page(browser: Browser, troubles: Troubles) -> AsyncIterator[NewPage]:
    """Yield a factory of pages, each in a context of its own (another person); options are Playwright's.

    A page that complained of anything fails the test at its end.
    """
    contexts: list[BrowserContext] = []

    async def make(**options: Any) -> Page:
        context = await browser.new_context(**{"locale": "pt-PT", **options})
        context.set_default_timeout(PATIENCE_MS)
        context.on("page", troubles.watch)
        contexts.append(context)
        return await context.new_page()

    yield make
    for context in contexts:
        await context.close()
    assert not troubles, "the browser complained:\n" + "\n".join(troubles)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def kept(browser: Browser) -> AsyncIterator[dict[str, tuple[Page, Troubles]]]:
    """Yield the pages that the tests of this module share, by their options, each with what it complains of."""
    pages: dict[str, tuple[Page, Troubles]] = {}
    yield pages
    for each, _ in pages.values():
        await each.context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def kept_page(browser: Browser, kept: dict[str, tuple[Page, Troubles]]) -> AsyncIterator[NewPage]:
    """Yield a factory of pages for tests that change nothing of a browser: half of what `new_page` costs.

    A module has one page for the same options and the same `scripts`, which run before those of the page. It comes in
    its first size and with an empty storage, and complaints fail the test that heard them. What stays with a page for
    good (a route, a clock, a script, a listener) needs a page of `new_page`.
    """
    given: list[tuple[Page, Troubles]] = []

    async def make(*scripts: str, **options: Any) -> Page:
        name = json.dumps([scripts, options], sort_keys=True)
        if name not in kept:
            context = await browser.new_context(**{"locale": "pt-PT", **options})
            context.set_default_timeout(PATIENCE_MS)
            kept[name] = await context.new_page(), Troubles()
            kept[name][1].watch(kept[name][0])
            for script in (FORGET, *scripts):
                await kept[name][0].add_init_script(script)
        given.append(kept[name])
        page, heard = kept[name]
        heard.clear()
        await page.set_viewport_size(options.get("viewport", SIZE))
        return page

    yield make
    for page, heard in given:
        await page.evaluate("window.name = ''")
        await page.mouse.move(0, 0)
        await page.context.clear_cookies()
        assert not heard, "the browser complained:\n" + "\n".join(heard)


@pytest_asyncio.fixture(loop_scope="session")
async def page(new_page: NewPage) -> Page:
    """Return one page."""
    return await new_page()
