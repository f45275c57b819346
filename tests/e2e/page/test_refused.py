"""An item that the shop does not take: the stepper and the card say so on every screen."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

VISIBLE_WIDTH = 20


async def test_the_card_of_a_refused_item_says_so_and_promises_nothing(gallery, page):
    await gallery.open(page, "refused")
    card = page.get_by_role("article", name="Fujifilm X-T30 II com 18-55")
    tag = card.locator(".tag")
    await expect(tag).to_have_text("Artigo recusado")
    await expect(tag).to_have_class("tag bad")
    await expect(tag.locator("use")).to_have_attribute("href", re.compile("#warning$"))
    await expect(card.locator(".next, a, [data-share]")).to_have_count(0)
    await expect(page.locator("#log .tag.good")).to_have_count(0)


@pytest.mark.conformance
async def test_the_last_step_of_a_refused_item_is_not_done(gallery, page):
    await gallery.open(page, "refused")
    steps = page.get_by_role("list", name="Passos").get_by_role("listitem")
    await expect(steps).to_have_count(4)
    await expect(steps.last).to_have_attribute("aria-current", "step")
    for width in (1440, 1024, 800, 640):
        await page.set_viewport_size({"width": width, "height": 800})
        await expect(steps.last.locator("span").first).to_have_text("Perguntas · Recusado")
        box = await steps.last.locator("span").first.bounding_box()
        assert box is not None and box["width"] > VISIBLE_WIDTH, width
        done, refused = [
            await step.evaluate("(each) => getComputedStyle(each, '::before').backgroundColor")
            for step in (steps.first, steps.last)
        ]
        assert done != refused, width
    await gallery.open(page, "finished")
    await expect(page.locator("#stepper")).not_to_contain_text("Recusado")


async def test_a_phone_names_the_refusal_below_the_title(gallery, page):
    await page.set_viewport_size({"width": 390, "height": 800})
    await gallery.open(page, "refused")
    await expect(page.locator("#stepper .sub")).to_be_visible()
    await expect(page.locator("#stepper .sub")).to_have_text("Recusado")
