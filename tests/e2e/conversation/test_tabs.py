"""Two tabs of one conversation: both show the same while it happens, and either can stop it."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.e2e.conversation.person import Person
from tests.e2e.conversation.test_reload import OPEN, asks
from tests.parts.model import sentences

pytestmark = pytest.mark.once

LONG = sentences(40)


async def test_a_second_tab_shows_the_same_rows_live(quick, person):
    seller: Person = await person(quick)
    await seller.open()
    await seller.say("tenho uma Bimby TM5")
    await seller.settled()
    other = await seller.tab()
    for by in (seller, other, seller):
        rows = await seller.rows.count()
        await by.click_answer()
        for each in (seller, other):
            await expect(each.rows.nth(rows)).to_be_attached()
            await each.settled()
        assert await seller.drawn() == await other.drawn()
    await seller.shows_what_is_stored()


async def test_a_stop_from_the_second_tab_keeps_the_text_and_says_who_stopped(remote, model, person):
    seller: Person = await person(remote)
    await asks(seller, model, LONG, words=25)
    other = await seller.tab()
    await expect(other.page.locator(OPEN)).to_contain_text("a4")
    # The model is held: no answer comes to its end by itself.
    await other.page.click("#stop")
    for each in (seller, other):
        await expect(each.page.locator("#log .ended.stopped > span")).to_have_text("Interrompida por si")
        await each.settled()
    for each in (seller, other):
        assert (await each.said())[1].startswith("Frase 1 tem a1 b1 c1 d1. Frase 2 tem a2")
        await expect(each.page.locator("#stop")).to_be_hidden()
        await each.shows_what_is_stored()
    assert await seller.drawn() == await other.drawn()
    await seller.reload()
    await expect(seller.page.locator("#log .ended.stopped > span")).to_have_text("Interrompida por si")
    model.will_say("Continuo então.")
    await seller.page.click("#log .ended.stopped button")
    await expect(seller.rows.last).to_contain_text("Continuo então.")
    await seller.settled()
    await seller.shows_what_is_stored()
