"""A failure of the model in mid-sentence: the page explains it, keeps the text, and a retry works."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.e2e.conversation.person import Person
from tests.modelserver import CANARY, named
from tests.parts.model import sentences
from tests.parts.sampled import later

pytestmark = pytest.mark.page

LONG = sentences(10)
SAID = {
    "cut": "A resposta parou a meio.",
    "length": "A resposta era longa demais e parou a meio.",
    "unauthorized": "O servidor do modelo recusou o pedido.",
}
WITH_TEXT = {"cut", "length"}


@pytest.mark.parametrize("fault", ["cut", later("length"), later("unauthorized")])
async def test_a_broken_answer_can_be_tried_again(remote, model, person, fault):
    seller: Person = await person(remote)
    model.server.faults.add(named("cut", after=12) if fault == "cut" else named(fault))
    model.will_say(LONG)
    await seller.open()
    await seller.say("conte tudo")
    failed = seller.page.locator("#log .ended.failed")
    await expect(failed.locator("b")).to_have_text(SAID[fault])
    await seller.settled()
    assert CANARY not in await seller.page.content()
    if fault in WITH_TEXT:
        assert "Frase 2 tem" in (await seller.said())[1]
    await seller.shows_what_is_stored()
    await expect(seller.page.locator("#sessions .state.failed")).to_have_text("A resposta falhou")
    await seller.reload()
    await expect(failed.locator("b")).to_have_text(SAID[fault])
    if fault != "unauthorized":
        model.script.assert_complete()
        model.will_say("Desta vez correu bem.")
    await seller.page.get_by_role("button", name="Tentar de novo").click()
    await expect(seller.rows.last).to_contain_text(
        "d10." if fault == "unauthorized" else "Desta vez correu bem."
    )
    await seller.settled()
    assert (await seller.said()).count("conte tudo") == 1
    await expect(seller.page.get_by_role("img", name="Versão 2 de 2")).to_be_visible()
    await seller.shows_what_is_stored()
