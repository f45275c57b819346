"""Two tabs of one conversation: both show the same while it happens, and either can stop it."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from server.settings import Settings
from tests.e2e.conversation.person import Person
from tests.e2e.conversation.test_reload import OPEN, asks
from tests.parts.model import sentences
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

LONG = sentences(40)
SOCKETS: int = Settings.model_fields["sockets_per_session"].default
CROWD = """async (most) => {
    const { LoopwireClient } = await import("/static/sdk/client.js");
    const session = loopwire.session;
    const ticket = async () => {
        const headers = { "content-type": "application/json" };
        const body = JSON.stringify({ session_id: session });
        return (await fetch("/v1/tickets", { method: "POST", headers, body })).json();
    };
    window.crowd = [];
    for (let at = 0; at < most; at += 1) {
        const client = new LoopwireClient({ url: loopwire.options.url, session, ticket });
        crowd.push(client);
        await new Promise((resolve) => {
            client.addEventListener("state", ({ detail }) => detail.state === "open" && resolve());
            client.connect();
        });
    }
}"""
"""Open this conversation so many more times, as other tabs would, one after the other."""
STILL_OPEN = "crowd.filter(({ state }) => state === 'open').length"


async def test_a_second_tab_shows_the_same_rows_live(quick, kept_person):
    seller: Person = await kept_person(quick)
    await seller.open(await seller.begin("tenho uma Bimby TM5"))
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


@pytest.mark.conformance
async def test_a_stop_from_the_second_tab_keeps_the_text_and_says_who_stopped(remote, model, kept_person):
    seller: Person = await kept_person(remote)
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


async def test_a_replaced_tab_says_that_it_is_paused_and_reconnects_on_focus(quick, kept_person):
    seller: Person = await kept_person(quick)
    page = seller.page
    await seller.open(await seller.begin("tenho uma Bimby TM5"))
    await seller.settled()
    await page.evaluate(CROWD, SOCKETS)
    await expect(page.locator("body[data-state=closed]")).to_be_attached()
    bar = page.locator("#connection")
    await expect(bar).to_contain_text("Este separador está em pausa: a conversa está aberta em demasiados.")
    await expect(bar.get_by_role("button", name="Continuar aqui")).to_be_visible()
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await seller.connected()
    await expect(bar).to_be_hidden()
    await until_async(lambda: page.evaluate(f"() => {STILL_OPEN} === {SOCKETS - 1}"), what="the freed place")
    await seller.click_answer()
    await seller.settled()
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_a_conversation_that_another_tab_deleted_takes_nothing_more(quick, person, troubles):
    seller: Person = await person(quick)
    await seller.open(await seller.begin("tenho uma Bimby TM5"))
    await seller.settled()
    other = await seller.tab()
    page, bar, text = seller.page, seller.page.locator("#connection"), seller.page.locator("#composer-text")
    await text.fill("um rascunho")
    await seller.asked.locator(".option").first.focus()
    path = f"/v1/sessions/{seller.session}"
    await other.page.evaluate("(path) => fetch(path, { method: 'DELETE' })", path)
    await expect(bar).to_contain_text("Esta conversa já não existe.")
    await expect(text).to_be_focused()
    await expect(page.locator("#log button:enabled, .leads button:enabled, #send:enabled")).to_have_count(0)
    await page.keyboard.press("Alt+1")
    await page.keyboard.press("Enter")
    await text.press_sequentially("x")
    await expect(text).to_have_value("um rascunho")
    await expect(page.locator("#sending li")).to_have_count(0)
    # Also a program of the page that sends something is told what there is no more.
    await page.evaluate("void loopwire.message('x'); void loopwire.connect()")
    await expect(page.locator("body[data-state=closed]")).to_be_attached()
    await expect(bar).to_contain_text("Esta conversa já não existe.")
    troubles[:] = [each for each in troubles if "404" not in each]
