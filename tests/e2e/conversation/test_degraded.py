"""An outage of Redis: the page shows a quiet notice, also after a reload, and removes it by itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.async_api import expect

from tests.e2e.conversation.person import Person
from tests.parts.live import Live, breakable
from tests.parts.sampled import later
from tests.parts.server import Served, served

HELLO = "Olá, o que é que posso vender aqui e como funciona?"
SAID = {
    "pt": "As respostas podem chegar com atraso. Nada do que escreve se perde.",
    "en": "Answers may come late. Nothing you write is lost.",
}


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    """Yield a Redis for all tests: each mends it."""
    with breakable() as running:
        yield running


@pytest.fixture(scope="module")
def lone(live: Live) -> Iterator[Served]:
    """Yield a server over it."""
    with served({"REDIS_URL": live.url, "LOOPWIRE_DEMO_DELAY_MS": "2"}) as running:
        yield running


@pytest.mark.parametrize(("language", "phone"), [later("pt", False), ("en", True)])
async def test_present_and_new_tabs_show_the_outage_until_it_is_over(live, lone, person, language, phone):
    seller: Person = await person(lone, language=language, phone=phone)
    await seller.open()
    await seller.say(HELLO)
    await seller.settled()
    bar = seller.page.get_by_role("status").and_(seller.page.locator("#connection"))
    await expect(bar).to_be_hidden()
    live.hurt("gone")
    try:
        await expect(bar).to_have_text(SAID[language], use_inner_text=True)
        await expect(bar.get_by_role("button")).to_have_count(0)
        await seller.say("tenho uma Bimby TM5")
        await seller.settled()
        await seller.reload()
        await expect(bar).to_have_text(SAID[language], use_inner_text=True)
        await seller.shows_what_is_stored()
    finally:
        live.heal("gone")
    await expect(bar).to_be_hidden()
    await seller.connected()
    await seller.reload()
    await seller.say("sim")
    await seller.settled()
    await expect(bar).to_be_hidden()
    await seller.shows_what_is_stored()
