"""From the first word to the item, in a browser, by typing only and by clicking only, in both languages."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from server.words import Words
from tests.e2e.conversation.person import ROOT, Person
from tests.parts.sampled import later

CASES = {
    "en by typing on a phone": ("en", "typing", True, "I want to sell a Polly Magic"),
    "pt by typing on a phone": ("pt", "typing", True, "quero vender uma cadeira Tripp Trapp"),
    "pt by clicking": ("pt", "clicking", False, ""),
    "en by clicking on a phone": ("en", "clicking", True, ""),
}
SAMPLE = ("en by typing on a phone",)
WORDS = Words(ROOT / "web/words")


@pytest.mark.page
@pytest.mark.parametrize("case", [*SAMPLE, *(later(each) for each in CASES if each not in SAMPLE)])
async def test_a_conversation_leads_to_an_item(quick, kept_person, case):
    language, by, phone, opening = CASES[case]
    seller: Person = await kept_person(quick, language=language, phone=phone)
    await seller.open()
    if opening:
        await seller.say(opening)
    else:
        await seller.page.click("#examples button >> nth=1")
    answer = seller.type_answer if by == "typing" else seller.click_answer
    await seller.sell(answer, each=seller.stays_in_its_width)
    await shows_the_item(seller)
    live = await seller.drawn()
    assert live == await seller.stored_drawn()
    assert sum(await seller.seen("shifts")) < 0.02
    await seller.reload()
    await seller.earlier()
    assert await seller.drawn() == live


async def shows_the_item(seller: Person) -> None:
    """The item of the card exists, for the API as for its own page."""
    state = (await seller.rest("/v1/sessions"))["sessions"][0]
    assert state["id"] == seller.session
    assert state["status_line"] == "done"
    card = seller.page.locator("#log .card.item")
    path = str(await card.locator("a.primary").get_attribute("href"))
    item = await seller.rest(f"/v1{path}")
    assert item["status"] == "complete"
    await expect(card.locator(".reference")).to_have_text(item["reference"])
    shown = await seller.page.context.new_page()
    await shown.goto(seller.served.url + path)
    await expect(shown.locator("h1")).to_have_text(item["product"])
    await expect(shown.locator(".reference")).to_have_text(item["reference"])
    for each in item["answers"]:
        await expect(shown.locator(".lines div", has_text=each["title"]).locator("dd")).to_have_text(
            each["shown"]
        )
    await expect(seller.page.locator("#stepper .sub")).to_have_text(
        WORDS.say(seller.language, "steps.complete")
    )
    await shown.close()
