"""Several conversations: the list with their states, going from one to the other, texts not yet sent, preferences."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import expect

from tests.e2e.conversation.person import OF_A_POLLY, ROOT, Person
from tests.e2e.conversation.test_reload import asks
from tests.parts.model import sentences

pytestmark = pytest.mark.page


_WORDS = {code: json.loads((ROOT / f"web/words/{code}.json").read_text()) for code in ("pt", "en")}
_SAME = set(_WORDS["pt"].values()) & set(_WORDS["en"].values())
SAID_IN = {code: [each for each in words.values() if each not in _SAME] for code, words in _WORDS.items()}
"""The sentences of the page that one language alone has."""

SHOWN = """(sentences) => {
    const known = new Set(sentences);
    const said = "script, style, .prose, .bubble, [data-answer], .answered > span, legend bdi, #title, .sessions b";
    const found = [];
    const look = (text, at) => known.has(text.trim()) && found.push(`${text.trim()} in ${at.outerHTML.slice(0, 200)}`);
    for (const each of document.body.querySelectorAll("*")) {
        if (each.closest(said)) continue;
        for (const name of ["aria-label", "title", "placeholder", "alt", "data-say"])
            if (each.hasAttribute(name)) look(each.getAttribute(name), each);
        for (const node of each.childNodes) if (node.nodeType === Node.TEXT_NODE) look(node.data, each);
    }
    return found;
}"""
"""Which of these sentences the page says of itself, seen or read: not in what was said in the conversation."""


async def test_the_list_shows_each_conversation_with_its_state(remote, model, kept_person):
    seller: Person = await kept_person(remote)
    lines = seller.page.locator("#sessions li")
    tap = await asks(seller, model, sentences(5))
    await expect(lines).to_have_count(1)
    await expect(lines.locator(".state")).to_have_text("A responder…")
    await seller.page.click("#stop")
    await seller.settled()
    await expect(lines.locator(".state")).to_have_text("Interrompida por si")
    tap.open()
    first = seller.session
    await seller.page.click("a.new")
    await expect(seller.page.locator("#empty")).to_be_visible()
    model.will_say("Que produto é?")
    await seller.say("outra coisa")
    await expect(seller.rows.last).to_contain_text("Que produto é?")
    await seller.settled()
    await expect(lines).to_have_count(2)
    await expect(lines.first.locator("a")).to_have_attribute("aria-current", "page")
    assert seller.session != first
    await lines.last.locator("a").click()
    await seller.page.wait_for_url(f"**/s/{first}")
    await seller.connected()
    await expect(seller.rows.first).to_contain_text("conte tudo")
    await seller.shows_what_is_stored()
    await seller.page.go_back()
    await seller.connected()
    await expect(seller.rows.first).to_contain_text("outra coisa")
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_the_done_conversation_names_its_item(quick, kept_person):
    seller: Person = await kept_person(quick, phone=True)
    await seller.open(await seller.begin("Polly Magic"))
    await seller.settled()
    await seller.click_answer()
    await expect(seller.page.locator("#log > .row-user")).to_have_count(2)
    await seller.settled()
    await expect(seller.page.locator("#sessions .state")).to_have_text("À espera da sua resposta")
    await seller.more(*OF_A_POLLY)
    reference = await seller.page.locator("#log .card.item .reference").text_content()
    await seller.page.click("[data-open-drawer]")
    await expect(seller.page.locator("#sessions .state.done")).to_have_text(f"Artigo criado · {reference}")
    await seller.stays_in_its_width()
    await seller.page.keyboard.press("Escape")
    await expect(seller.page.locator("[data-open-drawer]")).to_be_focused()
    await seller.say("280 euros")
    await expect(seller.page.locator("#sessions .state.done")).to_have_text("Artigo criado · 280 €")


@pytest.mark.conformance
async def test_text_that_was_not_sent_is_kept_for_each_conversation(quick, kept_person):
    seller: Person = await kept_person(quick)
    field = seller.page.locator("#composer-text")
    first = await seller.begin("tenho uma Bimby TM5")
    await seller.open(first)
    await seller.settled()
    await field.fill("rascunho da primeira\nem duas linhas")
    await seller.page.click("a.new")
    await expect(field).to_have_value("")
    await seller.say("Polly Magic")
    await seller.settled()
    second = seller.path
    await field.fill("rascunho da segunda")
    await seller.reload()
    await expect(field).to_have_value("rascunho da segunda")
    await seller.open(first)
    await expect(field).to_have_value("rascunho da primeira\nem duas linhas")
    await seller.say("sim")
    await seller.settled()
    await seller.reload()
    await expect(field).to_have_value("")
    await seller.open(second)
    await expect(field).to_have_value("rascunho da segunda")


@pytest.mark.conformance
async def test_language_and_theme_are_kept(quick, kept_person):
    seller: Person = await kept_person(quick, color_scheme="light")
    root = seller.page.locator("html")
    await seller.open(await seller.begin("tenho uma Bimby TM5"))
    await seller.settled()
    async with seller.page.expect_response("**/preferences"):
        await seller.page.click("[data-theme-switch]")
    await expect(root).to_have_attribute("data-theme", "dark")
    await seller.page.click("button[data-language=en]")
    await expect(root).to_have_attribute("lang", "en")
    await seller.connected()
    await expect(root).to_have_attribute("data-theme", "dark")
    assert await seller.page.evaluate("getComputedStyle(document.body).colorScheme") in {"dark", "normal"}
    await expect(seller.page.locator("#composer-hint")).to_contain_text("Enter sends")
    seller.language = "en"
    await seller.shows_what_is_stored()
    assert await seller.page.evaluate(SHOWN, SAID_IN["pt"]) == []
    asked = seller.page.locator("#log fieldset:has([data-answer]:enabled)").last
    await expect(asked.locator("legend")).to_contain_text("Product")
    assert await asked.locator(".label").all_inner_texts() == ["Yes, Bimby TM5", "No, another one"]
    await seller.click_answer()
    await seller.settled()
    await seller.shows_what_is_stored()
    assert await seller.page.evaluate(SHOWN, SAID_IN["pt"]) == []
    await expect(seller.page.locator("#log .prose").last).to_contain_text("The item is created.")
    await seller.page.click("button[data-language=pt]")
    await expect(root).to_have_attribute("lang", "pt-PT")
    await seller.connected()
    assert await seller.page.evaluate(SHOWN, SAID_IN["en"]) == []
