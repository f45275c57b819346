"""Every state, in both themes and on both screens: accessible, in the frame, and without a word from the browser."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from tests.e2e.axe import AXE, TAGS, looked_at
from tests.e2e.scenarios import SCENARIOS
from tests.e2e.still import at_rest
from tests.parts.sampled import is_whole, later

SCREENS = {
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
    "desktop": {"viewport": {"width": 1440, "height": 900}},
}
THEMES = {"phone": ("light", "dark"), "desktop": ("dark", "light")}
STATES = sorted(SCENARIOS)
SHOWN = [
    later(state, screen) if (place + on) % 2 else (state, screen)
    for place, state in enumerate(STATES)
    for on, screen in enumerate(SCREENS)
]
"""Each state on one of the screens; on the other one in the whole of the suite."""
RULES = {"runOnly": {"type": "tag", "values": TAGS}}
OF_BOTH_THEMES = {"failed", "finished", "form", "markdown", "operator", "refused"}
"""States with colours that no other state has: in both themes; the others in the second one in `make conformance`."""
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
"""The rules that judge colours: of all others a theme changes nothing."""


@pytest.mark.parametrize(("state", "screen"), SHOWN)
async def test_a_state_fits_the_screen_and_is_accessible(gallery, kept_page, state, screen):
    """The server draws one of the themes, the page turns into the other."""
    drawn, other = THEMES[screen]
    page = await kept_page(**SCREENS[screen])
    await gallery.open(page, state, theme=drawn)
    assert await page.evaluate("document.documentElement.dataset.theme") == drawn
    await FITS[screen](page)
    if state == "demo":
        await page.click("#demo button")
    await page.evaluate(AXE)
    themes = ((drawn, RULES, 21), (other, COLOURS, 1))
    for theme, rules, least in themes if is_whole() or state in OF_BOTH_THEMES else themes[:1]:
        await page.evaluate("(theme) => (document.documentElement.dataset.theme = theme)", theme)
        await at_rest(page)
        found = await looked_at(page, rules)
        told = [
            (theme, each["id"], node["html"][:160], node["failureSummary"])
            for each in found["violations"]
            for node in each["nodes"]
        ]
        assert told == []
        assert found["passes"] >= least


async def no_part_scrolls_sideways(page: Page) -> None:
    """Look at three narrower widths, and come back to the first."""
    for width in (360, 640, 1024):
        await page.set_viewport_size({"width": width, "height": 740})
        for place in ("html", "#scroll", "#talk"):
            wide, shown = await page.locator(place).evaluate("(each) => [each.scrollWidth, each.clientWidth]")
            assert wide <= shown, f"{place} at {width}"
    await page.set_viewport_size(SCREENS["desktop"]["viewport"])


async def controls_are_large_enough(page: Page) -> None:
    """What a finger presses has a height for it."""
    small = await page.evaluate("""() => [...document.querySelectorAll('button, input, textarea, summary, a')]
        .filter((each) => each.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
        .filter((each) => !each.closest('.side, .unseen') && !each.matches('.skip'))
        .map((each) => {
            const box = (each.closest('.field, .composer') ?? each).getBoundingClientRect();
            const least = each.matches('.link, #demo button') ? 24 : 44;
            return box.height < least ? `${each.outerHTML.slice(0, 90)} ${box.height}` : '';
        }).filter(Boolean)""")
    assert small == []


FITS = {"desktop": no_part_scrolls_sideways, "phone": controls_are_large_enough}


@pytest.mark.conformance
async def test_bubbles_options_and_the_composer_share_their_right_edge(gallery, page):
    await page.set_viewport_size(SCREENS["desktop"]["viewport"])
    await gallery.open(page, "options")
    edges = await page.evaluate("""['.bubble', '.options', '.composer']
        .map((each) => Math.round(document.querySelector(each).getBoundingClientRect().right))""")
    assert len(set(edges)) == 1


@pytest.mark.conformance
async def test_the_rows_of_the_log_follow_each_other_without_a_gap(gallery, page):
    """Each row's stretch begins where the one before it ended."""
    await gallery.open(page, "finished")
    gaps = await page.evaluate("""() => {
        const rows = [...document.querySelectorAll('#log > .row')];
        return rows.slice(1).map((row, at) => row.offsetTop - rows[at].offsetTop - rows[at].offsetHeight);
    }""")
    assert set(gaps) == {0}


async def test_reduced_motion_stops_every_animation(gallery, new_page):
    page = await new_page(reduced_motion="reduce")
    await gallery.open(page, "handoff")
    await gallery.go(page, "handoff")
    await page.locator(".row-handoff.live-now").wait_for()
    running = await page.evaluate(
        "document.getAnimations().filter((each) => each.effect.getTiming().duration > 80).length"
    )
    assert running == 0


async def test_a_conversation_reads_without_script(gallery, new_page):
    page = await new_page(java_script_enabled=False)
    await page.goto(gallery.of("finished"))
    assert "Fujifilm X-T30 II com 18-55" in await page.inner_text("#log")
    assert await page.locator("noscript").count() == 1
