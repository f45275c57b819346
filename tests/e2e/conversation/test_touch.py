"""A sale by fingers, 320 px wide and at 400 %: controls are large enough, faults are named, the log keeps its room."""

from __future__ import annotations

from functools import partial

import pytest
from playwright.async_api import expect

from tests.e2e.conversation.person import Person
from tests.e2e.still import at_rest
from tests.parts.wait import until_async

pytestmark = pytest.mark.page

SMALL_PHONE = {"width": 320, "height": 568}
ZOOMED = {"width": 320, "height": 256}
"""A window of 1280 x 1024 px at 400 %, as WCAG 1.4.10 measures it."""
LEAST_LOG = 200
FINGER = 44
INLINE = 24

TOO_SMALL = """([finger, inline]) => {
    const area = (each) => [each, each.closest("label, .field, .composer")].filter(Boolean)
        .map((one) => one.getBoundingClientRect());
    return [...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter((each) => {
        const { width, right, left } = each.getBoundingClientRect();
        const isShown = each.checkVisibility({ opacityProperty: true, visibilityProperty: true });
        if (!isShown || width <= 1 || right <= 0 || left >= innerWidth) return false;
        const least = each.matches(".link, p a") ? inline : finger;
        return !area(each).some((box) => box.width >= Math.min(least, finger) && box.height >= least);
    }).map((each) => `${each.offsetWidth} x ${each.offsetHeight} ${each.outerHTML}`);
}"""
"""What a finger would miss: controls below 44 px, and links in a line below 24 px."""

ROOM = """() => {
    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
    const end = box(".dock").top;
    return [end - Math.max(0, box(".head").bottom), box("#log > .row:last-child").bottom - end];
}"""
"""How high the log is between the head and the place to write, and how far its last row lies below that place."""

IS_FAULT_SEEN = """() => {
    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
    const fault = [...document.querySelectorAll("#log .open :is(.field.wrong, .error)")];
    return fault.length === 2 && fault.map((each) => each.getBoundingClientRect())
        .every(({ top, bottom }) => top >= Math.max(0, box(".head").bottom) && bottom <= box(".dock").top);
}"""
"""Are the field of a refused answer and what is wrong with it between the head and the place to write?"""

UNREACHED = """() => [...document.querySelectorAll(".side :is(a[href], button, input)")].filter((each) => {
    if (!each.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    each.scrollIntoView({ block: "nearest" });
    const [box, side] = [each, each.closest(".side")].map((one) => one.getBoundingClientRect());
    return box.left < side.left || box.right > side.right || box.top < 0 || box.bottom > innerHeight;
}).map((each) => each.outerHTML)"""
"""What of the drawer cannot be brought into it by scrolling."""

CUT = """() => {
    const text = document.getElementById("composer-text");
    const probe = Object.assign(document.createElement("span"), { textContent: text.placeholder });
    probe.style.cssText = `position: absolute; white-space: nowrap; font: ${getComputedStyle(text).font}`;
    document.body.append(probe);
    const over = probe.getBoundingClientRect().width - text.clientWidth;
    probe.remove();
    const cut = [...document.querySelectorAll("#log *, .dock *, .drawer-open .side *")]
        .filter((each) => each.clientWidth > 1 && each.scrollWidth > each.clientWidth + 1)
        .filter((each) => getComputedStyle(each).overflowX !== "visible" && each.textContent.trim());
    return [...(over > 0 ? [`placeholder by ${over}: ${text.placeholder}`] : []), ...cut.map((each) => each.outerHTML)];
}"""
"""What is cut off: the words of the place to write, and whatever hides a part of its own text."""


LISTEN = """() => {
    window.pressedBy = [];
    addEventListener("pointerdown", (event) => pressedBy.push(event.pointerType), true);
}"""
"""Write down by what each control is pressed."""


async def is_touchable(seller: Person, state: str) -> None:
    """Hold a state against its measures, on a small phone and at 400 %."""
    page = seller.page
    for size in (ZOOMED, SMALL_PHONE):
        await page.set_viewport_size(size)
        await at_rest(page)
        assert await page.evaluate(TOO_SMALL, [FINGER, INLINE]) == [], (state, size)
        await seller.stays_in_its_width()
        if state == "drawer":
            assert await page.evaluate(UNREACHED) == [], size
        if state in {"empty", "drawer"}:  # There is no log yet, or it lies below.
            continue
        assert await page.evaluate(CUT) == [], (state, size)
        # The page marks the question of a refused answer where it is, above the rows that refuse it, and shows that.
        shown = IS_FAULT_SEEN if state == "refused field" else f"() => ({ROOM})()[1] <= 0"
        await until_async(partial(page.evaluate, shown), what="the end of the log")
        room, _ = await page.evaluate(ROOM)
        assert room >= LEAST_LOG, (state, size)


async def names_its_fault(seller: Person, place: str) -> None:
    """The open question says that its answer is wrong, and the sentence that says why belongs to it."""
    wrong = seller.asked.locator(place)
    await expect(wrong).to_have_attribute("aria-invalid", "true")
    described = (await wrong.get_attribute("aria-describedby") or "").split()
    error = seller.asked.locator(".error")
    await expect(error).to_be_visible()
    assert await error.get_attribute("id") in described


@pytest.mark.conformance
async def test_a_sale_is_completed_by_fingers_at_320_px_and_400_percent(quick, kept_person):
    seller: Person = await kept_person(quick, phone=True)
    page = seller.page
    await page.set_viewport_size(SMALL_PHONE)
    await seller.open()
    assert await page.evaluate("matchMedia('(pointer: coarse)').matches")
    await page.evaluate(LISTEN)
    await is_touchable(seller, "empty")
    await seller.say("tenho uma Bimby TM5")
    await seller.settled()
    await is_touchable(seller, "options")
    seen: set[str] = set()

    async def look() -> None:
        field = seller.asked.locator("form input")
        if await field.count() and "field" not in seen:
            seen.add("field")
            await is_touchable(seller, "field")
            await field.fill("não sei dizer isso assim")
            await seller.press(seller.asked.locator(".primary"))
            await names_its_fault(seller, "form input")
            await seller.settled()
            await is_touchable(seller, "refused field")
        elif await seller.asked.locator("fieldset").count() and "choice" not in seen:
            seen.add("choice")
            await is_touchable(seller, "choice")

    await seller.sell(seller.click_answer, each=look)
    assert seen == {"field", "choice"}
    await is_touchable(seller, "finished")
    await page.set_viewport_size(SMALL_PHONE)
    await seller.press(page.locator("[data-open-drawer]"))
    await expect(page.locator(".drawer-open .side")).to_be_visible()
    await is_touchable(seller, "drawer")
    assert set(await page.evaluate("window.pressedBy")) == {"touch"}
