"""The layers of the page: nothing covers words, and no name moves those around it."""

from __future__ import annotations

from itertools import product

import pytest
from playwright.async_api import Page, expect

from tests.parts.sampled import later


@pytest.mark.conformance
async def test_the_actions_of_a_message_cover_none_of_its_words(gallery, page):
    for state, messages in (("failed", ["msg_1"]), ("finished", ["msg_2", "msg_3"])):
        await page.set_viewport_size({"width": 1440, "height": 900})
        await gallery.open(page, state)
        for width, message in product((1440, 1100), messages):
            await page.set_viewport_size({"width": width, "height": 900})
            await covers_none_of_its_words(page, message)


async def covers_none_of_its_words(page: Page, message: str) -> None:
    """Show the actions of a message by a mouse that is over its words."""
    await page.mouse.move(0, 0)
    await page.hover(f"#row-{message} .prose")
    bar = page.locator(f"#row-{message} loopwire-actions")
    await expect(bar).to_have_css("opacity", "1")
    covered = await bar.evaluate("""(bar) => {
        const [box, words] = [bar, bar.closest('.row').querySelector('.prose')]
            .map((each) => each.getBoundingClientRect());
        return box.left < words.right && box.bottom > words.top + 2;
    }""")
    assert not covered, (page.viewport_size, message)
    await bar.locator("button").first.hover()
    await expect(bar).to_have_css("opacity", "1")
    wide, shown = await page.locator("#scroll").evaluate("(each) => [each.scrollWidth, each.clientWidth]")
    assert wide <= shown


async def test_a_name_cannot_turn_the_words_around_it(gallery, page):
    await gallery.open(page, "form")
    line = page.locator("#row-blk_2 .answered")
    name, change = line.locator("b"), line.locator(".link")
    await name.evaluate("(each) => each.textContent = '\u202eevil'")
    left, right = await name.bounding_box(), await change.bounding_box()
    assert left is not None and right is not None
    assert left["x"] + left["width"] < right["x"]
    assert (
        await page.evaluate("getComputedStyle(document.querySelector('.bubble p')).unicodeBidi")
        == "plaintext"
    )


@pytest.mark.conformance
async def test_option_keys_are_shown_where_they_choose(gallery, page):
    await gallery.open(page, "options")
    key = page.locator("#row-blk_4 .option kbd >> nth=0")
    before = "each => getComputedStyle(each, '::before').content"
    await page.focus("#scroll")
    await expect(key).to_be_hidden()
    await page.focus("#composer-text")
    await expect(key).to_be_visible()
    assert await key.evaluate(before) == '"Alt "'
    await page.focus("#row-blk_4 .option >> nth=0")
    await expect(key).to_be_visible()
    assert await key.evaluate(before) == "none"


@pytest.mark.parametrize("touch", [pytest.param(True, id="touch"), later(False, id="mouse")])
async def test_the_actions_of_a_message_cover_no_words_on_a_phone(gallery, kept_page, touch):
    page = await kept_page(viewport={"width": 360, "height": 800}, is_mobile=touch, has_touch=touch)
    await gallery.open(page, "finished")
    bar = page.locator("#row-msg_2 loopwire-actions")
    await page.hover("#row-msg_2 .prose")
    await expect(bar).to_have_css("opacity", "0")
    await bar.evaluate("(each) => each.classList.add('open')")
    await expect(bar).to_have_css("opacity", "1")
    covered = await bar.evaluate("""(bar) => {
        const box = bar.getBoundingClientRect();
        return [...document.querySelectorAll('#log .row')].filter((row) => {
            const words = (row.querySelector('.prose, .bubble, summary, p') ?? row).getBoundingClientRect();
            return box.left < words.right && box.right > words.left && box.top < words.bottom && box.bottom > words.top;
        }).map((row) => row.id);
    }""")
    assert covered == []


@pytest.mark.conformance
async def test_the_loop_of_a_handoff_stands_clear_of_its_words(gallery, page):
    await gallery.open(page, "options")
    for width in (390, 1440):
        await page.set_viewport_size({"width": width, "height": 800})
        gap = await page.locator(".row-handoff").first.evaluate("""(row) => {
            const range = new Range();
            range.selectNodeContents(row.querySelector('p'));
            const { right } = row.querySelector('.loop path').getBoundingClientRect();
            return range.getBoundingClientRect().left - right;
        }""")
        assert gap >= 4, width


@pytest.mark.parametrize("width", [later(1280), 1440])
@pytest.mark.conformance
async def test_the_bar_of_the_connection_covers_no_message(gallery, page, width):
    await page.set_viewport_size({"width": width, "height": 900})
    await gallery.open(page, "streaming")
    await page.evaluate("document.getElementById('scroll').scrollTop = 0")
    first = await page.locator("#log .bubble").first.bounding_box()
    await page.goto(gallery.of("offline"))
    bar = page.locator("#connection")
    await expect(bar).to_be_visible()
    box = await bar.bounding_box()
    assert first is not None and box is not None
    assert box["y"] + box["height"] <= first["y"]
