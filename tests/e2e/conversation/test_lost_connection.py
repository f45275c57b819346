"""A cut wire, a lost network, a killed server: the page shows the loss, keeps the draft and reconnects."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.e2e.conversation.conftest import behind
from tests.e2e.conversation.person import Person
from tests.e2e.conversation.test_reload import asks, flows
from tests.e2e.still import stand_still
from tests.parts.model import sentences

pytestmark = pytest.mark.once

LONG = sentences(20)
PATIENCE_MS = 1500
# Only the process that is killed has a short lease: on a busy machine the next one would lose its own.
SHORT_LEASE = {"LOOPWIRE_LEASE_SECONDS": "5"}
CUT = (
    "WebSocket connection",
    "net::ERR_",
    "Failed to load resource",
    "htmx:error: Failed to fetch",
    # Chromium says this when it asks for a service worker's script again and no server answers.
    "An unknown error occurred when fetching the script.",
)


def only_cuts(troubles: list[str]) -> None:
    """A browser itself tells that it could not connect; nothing else may be told."""
    assert [each for each in troubles if not any(cut in each for cut in CUT)] == []
    troubles.clear()


async def test_a_page_without_internet_keeps_messages_and_gets_the_answer_later(
    remote, model, person, troubles
):
    seller: Person = await person(remote)
    await seller.page.clock.install()
    tap = await asks(seller, model, LONG)
    bar = seller.page.locator("#connection")
    await expect(bar).to_be_hidden()
    await is_cut_off(seller)
    await seller.page.clock.run_for(PATIENCE_MS - 1)
    await expect(bar).to_be_hidden()
    await seller.page.clock.run_for(1)
    await expect(bar).to_contain_text("Sem internet.")
    await seller.page.clock.resume()
    await seller.say("e também isto")
    await expect(seller.page.locator("#queue, #sending").get_by_text("e também isto")).to_be_visible()
    await seller.page.fill("#composer-text", "por acabar")
    await expect(seller.page.locator("#composer-hint")).to_have_text("Segue quando a ligação voltar")
    model.will_say("Isto também.")
    tap.open()
    await seller.page.context.set_offline(False)
    await expect(seller.rows.last).to_contain_text("Isto também.")
    await expect(bar).to_be_hidden()
    await seller.settled()
    await expect(seller.page.locator("#composer-text")).to_have_value("por acabar")
    assert [each for each in await seller.said() if not each.startswith("Frase")] == [
        "conte tudo",
        "e também isto",
        "Isto também.",
    ]
    only_cuts(troubles)
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_a_stop_without_a_connection_is_said_to_wait_and_happens(remote, model, person, troubles):
    seller: Person = await person(remote)
    tap = await asks(seller, model, LONG)
    await seller.page.context.set_offline(True)
    await expect(seller.page.locator("body[data-state=offline]")).to_be_attached()
    await seller.page.locator("#stop").click()
    await expect(seller.page.locator("#composer-hint")).to_have_text("Para quando houver ligação")
    await seller.page.context.set_offline(False)
    await expect(seller.page.locator("#log .ended.stopped > span")).to_have_text("Interrompida por si")
    tap.open()
    await seller.settled()
    only_cuts(troubles)
    await seller.shows_what_is_stored()


async def is_cut_off(seller: Person) -> None:
    """Take the internet away while the page's clock stands still.

    A request that is on its way then gets no answer and no failure, and the leaps of the clock would end its patience.
    """
    await expect(seller.page.locator(".htmx-request")).to_have_count(0)
    await stand_still(seller.page)
    await seller.page.context.set_offline(True)
    await expect(seller.page.locator("body[data-state=offline]")).to_be_attached()


@pytest.mark.conformance
async def test_a_short_loss_of_the_connection_shows_no_notice(remote, model, person, troubles):
    seller: Person = await person(remote)
    await seller.page.clock.install()
    tap = await asks(seller, model, LONG)
    await is_cut_off(seller)
    await seller.page.clock.run_for(PATIENCE_MS - 1)
    await seller.page.context.set_offline(False)
    await seller.connected()
    await seller.page.clock.run_for(10 * PATIENCE_MS)
    await seller.page.clock.resume()
    await flows(seller, tap, 7, "d2.")
    tap.open()
    await seller.settled()
    assert [text for text in await seller.seen("bar") if text] == []
    only_cuts(troubles)
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_a_server_that_was_killed_is_found_again_and_the_conversation_goes_on(
    serve_each, person, troubles
):
    first = serve_each({"LOOPWIRE_DEMO_DELAY_MS": "2000", **SHORT_LEASE})
    seller: Person = await person(first)
    await seller.open()
    await seller.say("Olá, o que é que posso vender aqui e como funciona?")
    await expect(seller.page.locator("#log loopwire-text")).to_contain_text(" ")
    # A word takes two seconds: it dies in mid-sentence, however long the browser took to look.
    first.kill()
    await expect(seller.page.locator("#connection")).to_contain_text("A restabelecer a ligação…")
    await seller.say("tenho uma Bimby TM5")
    port = int(first.url.rpartition(":")[2])
    serve_each({"LOOPWIRE_DEMO_DELAY_MS": "2"}, data_dir=first.data_dir, port=port)
    await expect(seller.page.locator("#connection")).to_be_hidden()
    await expect(seller.asked).to_have_count(1)
    await seller.settled()
    only_cuts(troubles)
    await seller.shows_what_is_stored()
    await seller.click_answer()
    await seller.settled()
    await expect(seller.asked).to_have_count(1)
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_an_answer_that_another_process_takes_over_is_drawn_in_the_open_tab(
    serve_each, model_port, model, person, troubles
):
    first = serve_each({**behind(model_port), **SHORT_LEASE})
    seller: Person = await person(first)
    await asks(seller, model, LONG)
    first.kill()
    await expect(seller.page.locator("#connection")).to_contain_text("A restabelecer a ligação…")
    model.will_say("Agora sim.")
    serve_each(behind(model_port), data_dir=first.data_dir, port=int(first.url.rpartition(":")[2]))
    await expect(seller.rows.last).to_contain_text("Agora sim.")
    await seller.settled()
    await expect(seller.rows.last.locator(".who b")).to_have_text("Identificação")
    await expect(seller.rows).to_have_count(2)
    only_cuts(troubles)
    await seller.shows_what_is_stored()
