"""A tablet is as wide as a desktop and is touched: each control is large enough for a finger there too."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.e2e.conversation.test_touch import FINGER, INLINE, TOO_SMALL
from tests.e2e.still import at_rest
from tests.parts.images import png
from tests.parts.sampled import later

TABLET = {"viewport": {"width": 1180, "height": 820}, "is_mobile": True, "has_touch": True}


@pytest.mark.parametrize(
    "state", ["finished", *map(later, ("failed", "markdown", "approval", "ask", "form", "options", "photos"))]
)
async def test_what_is_pressed_on_a_tablet_is_large_enough(gallery, kept_page, state):
    page = await kept_page(**TABLET)
    await gallery.open(page, state)
    await gallery.go(page, state)
    if state == "markdown":
        await page.locator("[data-copy-code]").first.wait_for()
    await at_rest(page)
    assert await page.evaluate("matchMedia('(pointer: coarse) and (min-width: 1024px)').matches")
    small = await page.evaluate(TOO_SMALL, [FINGER, INLINE])
    # A link within a sentence of an answer has the height of its words.
    assert [each for each in small if "nofollow" not in each] == []


@pytest.mark.conformance
async def test_a_chosen_picture_is_removed_with_a_finger(gallery, kept_page):
    page = await kept_page(**TABLET)
    await gallery.open(page, "options")
    files = [
        {"name": f"{each}.png", "mimeType": "image/png", "buffer": png(each)} for each in ("red", "blue")
    ]
    await page.set_input_files("#photos-input", files)
    remove = page.locator("#photos button")
    await expect(remove).to_have_count(2)
    # Within the composer each counts by itself.
    for each in await remove.all():
        box = await each.bounding_box()
        assert box is not None and min(box["width"], box["height"]) >= FINGER
    await remove.first.tap()
    await expect(remove).to_have_count(1)
