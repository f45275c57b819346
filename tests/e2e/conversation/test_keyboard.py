"""A whole submission without a mouse: Tab, Enter, arrows, numbers and Esc."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.e2e.conversation.person import Person, field_answer
from tests.e2e.conversation.test_reload import asks
from tests.parts.model import sentences

pytestmark = pytest.mark.page

MOST_TABS = 60


@pytest.mark.conformance
async def test_a_submission_is_completed_by_keyboard_alone(quick, kept_person):
    seller: Person = await kept_person(quick)
    await seller.open()
    keys = seller.page.keyboard
    await expect(seller.page.locator("#composer-text")).to_be_focused()
    await keys.type("tenho uma Bimby TM5")
    await keys.press("Enter")
    ways = ["number", "arrow", "enter"]

    async def answer() -> None:
        field = seller.asked.locator("form input")
        if await field.count():
            await tab_to(seller, "#log .row-block.open input")
            await keys.press("Control+A")
            await keys.type(await field_answer(field))
            await keys.press("Enter")
            return
        await tab_to(seller, "#log .row-block.open .option:first-child")
        way = ways[0]
        ways.append(ways.pop(0))
        if way == "number":
            await keys.press("1")
        elif way == "arrow":
            await keys.press("ArrowDown")
            await expect(seller.asked.locator(".option:not([hidden])").nth(1)).to_be_focused()
            await keys.press("ArrowUp")
            await expect(seller.asked.locator(".option").first).to_be_focused()
            await keys.press("Enter")
        else:
            await keys.press("Enter")
        await expect(seller.page.locator("#composer-text")).to_be_focused()

    await seller.sell(answer)
    await seller.shows_what_is_stored()
    await tab_to(seller, "#log .card.item a.primary")
    await keys.press("Enter")
    await expect(seller.page.locator("main h1")).to_have_text("Bimby TM5")


async def tab_to(seller: Person, selector: str) -> None:
    """Press Tab, or Shift+Tab from below, until the focus is there; every stop shows that it has the focus."""
    page = seller.page
    before = await page.evaluate(
        """(selector) => {
            const place = document.querySelector(selector).compareDocumentPosition(document.activeElement);
            return Boolean(place & Node.DOCUMENT_POSITION_FOLLOWING);
        }""",
        selector,
    )
    for _ in range(MOST_TABS):
        if await page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
        await page.keyboard.press("Shift+Tab" if before else "Tab")
        assert await page.evaluate(SHOWS_FOCUS), await page.evaluate("document.activeElement.outerHTML")
    raise AssertionError(f"{selector} is not reached by Tab")


SHOWS_FOCUS = """() => {
    const at = document.activeElement;
    if (at === document.body) return true;
    const ring = (each) => each && getComputedStyle(each).outlineStyle !== "none";
    return [at, at.parentElement, at.closest(".field, .composer")].some((each) =>
        ring(each) || (each && getComputedStyle(each).boxShadow !== "none"));
}"""


async def test_escape_in_the_composer_stops_the_answer(remote, model, kept_person):
    seller: Person = await kept_person(remote)
    await asks(seller, model, sentences(10))
    await seller.page.keyboard.press("Escape")
    await expect(seller.page.locator("#log .ended.stopped > span")).to_have_text("Interrompida por si")
    await seller.settled()
    await seller.page.keyboard.press("ArrowUp")
    await expect(seller.page.locator("#composer-text")).to_have_value("conte tudo")
    await seller.page.keyboard.press("Shift+Enter")
    await expect(seller.page.locator("#composer-text")).to_have_value("conte tudo\n")
    await seller.shows_what_is_stored()
    goes_on = seller.page.locator("#log .ended.stopped .link")
    await expect(goes_on).to_be_visible()
    model.will_say("Está bem.")
    await seller.say("outra coisa")
    await seller.settled()
    await expect(goes_on).to_be_hidden()
