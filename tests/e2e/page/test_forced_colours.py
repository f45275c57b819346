"""The page in forced colours: lines replace the meaning of backgrounds."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from tests.e2e.still import at_rest, drawn
from tests.parts.sampled import later

LINES = """(selector) => [...document.querySelectorAll(`${selector}:not([hidden])`)].map((each) => {
    const { borderTopStyle, borderTopWidth, outlineStyle } = getComputedStyle(each);
    return (borderTopStyle !== "none" && parseFloat(borderTopWidth) >= 1) || outlineStyle !== "none";
})"""
WIRE = """() => {
    const canvas = getComputedStyle(document.body).backgroundColor;
    return [...document.querySelectorAll("#log > .row, .stepper li")]
        .map((each) => getComputedStyle(each, "::before"))
        .filter(({ content, display }) => content !== "none" && display !== "none")
        .map(({ backgroundColor, borderTopWidth }) => backgroundColor !== canvas || parseFloat(borderTopWidth) >= 1);
}"""

RING = """() => {
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
    return [outlineStyle, parseFloat(outlineWidth)];
}"""
SYSTEM = """() => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style = "forced-color-adjust: none; background: Highlight; color: HighlightText";
    const { backgroundColor, color } = getComputedStyle(probe);
    probe.remove();
    return [backgroundColor, color];
}"""
"""The colours of what is chosen."""
MARK = (
    """(box) => [getComputedStyle(box).backgroundColor, getComputedStyle(box, "::after").borderBottomColor]"""
)
"""The colours of the box of a task and of the mark in it."""
BUTTON = """(button) => {
    const { backgroundColor, color, forcedColorAdjust } = getComputedStyle(button);
    return [backgroundColor, color, forcedColorAdjust];
}"""


@pytest.mark.conformance
async def test_parts_with_a_background_have_a_line_in_forced_colours(gallery, kept_page):
    page = await kept_page(forced_colors="active")
    for state, selectors in (
        ("options", (".bubble", ".option", ".composer", ".send")),
        ("form", (".form", ".field", ".button.primary")),
    ):
        await gallery.open(page, state)
        await page.focus("#composer-text")
        for selector in selectors:
            lines = await page.evaluate(LINES, selector)
            assert lines and all(lines), (state, selector, lines)
        wire = await page.evaluate(WIRE)
        assert wire and all(wire), (state, wire)
    assert (
        await page.evaluate("getComputedStyle(document.querySelector('.composer')).outlineStyle") == "solid"
    )


async def test_what_has_the_focus_has_a_ring_in_forced_colours(gallery, kept_page):
    page = await kept_page(forced_colors="active")
    await gallery.open(page, "options")
    await page.keyboard.press("Tab")
    for selector in (".option", "#side a", "#send"):
        await page.locator(selector).locator("visible=true").first.focus()
        style, width = await page.evaluate(RING)
        assert style == "solid" and width >= 2, (selector, style, width)


@pytest.mark.conformance
async def test_a_task_that_is_done_has_a_mark_in_forced_colours(gallery, kept_page):
    page = await kept_page(forced_colors="active")
    await gallery.open(page, "markdown")
    await gallery.go(page, "markdown")
    await drawn(page)
    box = page.locator(".task.done > span").first
    await box.wait_for()
    assert await box.evaluate(MARK) == await page.evaluate(SYSTEM)


@pytest.mark.conformance
async def test_the_words_of_a_button_are_not_covered_in_forced_colours(gallery, kept_page):
    """The browser draws a ground of its own behind words whose colour it does not set."""
    page = await kept_page(forced_colors="active")
    await gallery.open(page, "form")
    await page.fill("#composer-text", "a")
    await at_rest(page)
    for button in (".button.primary", "#send"):
        told = await page.locator(button).first.evaluate(BUTTON)
        assert told == [*await page.evaluate(SYSTEM), "none"], button


@pytest.mark.parametrize(
    ("state", "bar", "width", "scheme"),
    [
        later("form", ".form-bar progress", 1440, "light"),
        ("tool", ".tool progress", 1440, "dark"),
        later("form", ".now progress", 390, "dark"),
        later("form", ".form-bar progress", 1440, "dark"),
        later("tool", ".tool progress", 1440, "light"),
        later("form", ".now progress", 390, "light"),
    ],
)
async def test_a_measure_shows_how_far_it_is_in_forced_colours(gallery, kept_page, state, bar, width, scheme):
    page = await kept_page(forced_colors="active", color_scheme=scheme)
    await page.set_viewport_size({"width": width, "height": 800})
    await gallery.open(page, state)
    progress = page.locator(bar).first
    await progress.evaluate("(each) => { each.max = 2; each.value = 1; }")
    with Image.open(BytesIO(await progress.screenshot())) as picture:
        middle = picture.convert("RGB")
        row = [middle.getpixel((middle.width * part // 8, middle.height // 2)) for part in (1, 2, 6, 7)]
    assert row[0] == row[1] != row[2] == row[3]
