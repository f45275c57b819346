"""The clock of a page, which a test stops and moves by hand: a second in it is the same on every machine."""

from __future__ import annotations

from playwright.async_api import Page

LEAP_MS = 30_000
"""Far enough for a slow machine, and not as far as htmx waits for a response, which may be on its way."""


async def stand_still(page: Page) -> None:
    """Stop the clock of a page whose clock was installed; it leaps ahead, since it cannot go back."""
    await page.clock.pause_at(await page.evaluate("Date.now()") + LEAP_MS)


async def at_rest(page: Page) -> None:
    """Wait until the page has its style sheets and what moves has come to its end; what was taken out is at rest.

    A page that was sent to another shows its text before its sheets have come, when a machine is slow.
    """
    await page.evaluate("""() => Promise.all([...document.querySelectorAll("link[rel=stylesheet]")]
        .filter((each) => !each.sheet && document.readyState !== "complete")
        .map((each) => new Promise((came) => (each.onload = each.onerror = came))))""")
    await page.evaluate("""() => Promise.allSettled(document.getAnimations()
        .filter((each) => each.effect.getTiming().iterations !== Infinity)
        .map((each) => each.finished))""")


async def drawn(page: Page) -> None:
    """Wait until the page has drawn a frame, and whatever hears of scrolling and sizes has heard of it."""
    await page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")
