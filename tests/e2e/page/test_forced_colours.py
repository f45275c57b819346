"""The page in forced colours: lines replace the meaning of backgrounds."""

from __future__ import annotations

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


async def test_what_a_background_says_has_a_line_in_forced_colours(gallery, new_page):
    page = await new_page(forced_colors="active")
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
