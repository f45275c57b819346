"""The accessibility of the live page: axe finds no fault, a screen reader gets whole sentences, no row jumps."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.e2e.axe import AXE, TAGS, looked_at
from tests.e2e.conversation.person import DESKTOP, PHONE, Person
from tests.e2e.conversation.test_reload import asks
from tests.e2e.still import at_rest
from tests.modelserver import named
from tests.parts.model import sentences
from tests.parts.sampled import later, pairs

pytestmark = pytest.mark.page

RULES = {
    "light": {"runOnly": {"type": "tag", "values": TAGS}},
    "dark": {"runOnly": {"type": "rule", "values": ["color-contrast"]}},
}
LEAST_PASSES = {"light": 20, "dark": 1}
MOST_SAID = 12
MOST_SHIFT = 0.02


async def is_accessible(seller: Person, state: str) -> None:
    """Axe finds nothing in this state on either screen or in the dark colours, and nothing scrolls sideways."""
    page = seller.page
    await page.evaluate(AXE)
    for screen, theme in pairs((PHONE, DESKTOP), ("light", "dark")):
        await page.set_viewport_size(screen)
        await page.evaluate("(theme) => (document.documentElement.dataset.theme = theme)", theme)
        await at_rest(page)
        found = await looked_at(page, RULES[theme])
        told = [
            (state, screen["width"], theme, each["id"], node["html"][:200], node["failureSummary"])
            for each in found["violations"]
            for node in each["nodes"]
        ]
        assert told == []
        assert found["passes"] >= LEAST_PASSES[theme]
        await seller.stays_in_its_width()
    await page.set_viewport_size(DESKTOP)


async def test_a_submission_is_accessible_at_every_kind_of_state(quick, kept_person):
    seller: Person = await kept_person(quick)
    await seller.open()
    await is_accessible(seller, "empty")
    await seller.say("tenho uma Bimby TM5")
    await seller.settled()
    await is_accessible(seller, "options")
    seen: set[str] = set()

    async def look() -> None:
        field = seller.asked.locator("form input")
        if not await field.count() or "form" in seen:
            return
        seen.add("form")
        await is_accessible(seller, "form")
        await field.fill("não sei dizer isso assim")
        await seller.asked.locator(".primary").click()
        await expect(seller.asked.locator(".error")).to_be_visible()
        await seller.settled()
        await is_accessible(seller, "form error")
        await expect(seller.asked.locator("input")).to_have_attribute("aria-invalid", "true")

    await seller.sell(seller.click_answer, each=look)
    assert seen
    await is_accessible(seller, "finished")


@pytest.mark.conformance
async def test_an_answer_is_accessible_while_it_comes_and_when_it_failed(remote, model, kept_person):
    seller: Person = await kept_person(remote)
    model.server.faults.add(named("cut", after=9), when=lambda request: "outra" in request.last_user_text)
    tap = await asks(seller, model, sentences(8))
    await seller.say("outra vez")
    await expect(seller.page.locator("#queue small")).to_be_visible()
    await is_accessible(seller, "streaming")
    model.will_say(sentences(4))
    tap.open()
    await expect(seller.page.locator("#log .ended.failed")).to_be_visible()
    await seller.settled()
    await is_accessible(seller, "failed")


@pytest.mark.parametrize("phone", [later(False, id="desktop"), pytest.param(True, id="phone")])
async def test_a_long_answer_is_told_by_the_sentence_and_moves_nothing(remote, model, kept_person, phone):
    answer = sentences(43)
    assert len(answer.split()) == 301
    seller: Person = await kept_person(remote, phone=phone)
    model.will_say(answer, delay=0.004)
    await seller.open()
    await seller.say("conte tudo")
    await expect(seller.rows.last).to_contain_text("d43.")
    await seller.settled()
    said = await seller.seen("said")
    assert " ".join("".join(said).split()) == " ".join(answer.split())
    assert len(said) <= MOST_SAID
    assert sum(await seller.seen("shifts")) < MOST_SHIFT, (await seller.seen("moved"))[:9]
    await seller.stays_in_its_width()
