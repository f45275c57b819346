"""Messages written while an answer runs: they wait in the dock, go in their order, and can be taken back."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.e2e.conversation.person import Person
from tests.e2e.conversation.test_reload import QUESTION, asks
from tests.parts.model import sentences

pytestmark = pytest.mark.once

LONG = sentences(10)
WAITS = "Na fila: segue quando esta resposta acabar"
WATCH_QUEUE = """() => {
    window.queueSaid = [];
    new MutationObserver(() => {
        for (const each of document.querySelectorAll("#queue small span")) queueSaid.push(each.textContent);
    }).observe(document.getElementById("queue"), { childList: true, subtree: true, characterData: true });
}"""
FULL = "A fila está cheia: espere por esta resposta"


async def test_queued_messages_stand_in_the_dock_and_are_sent_in_order(remote, model, kept_person):
    seller: Person = await kept_person(remote)
    tap = await asks(seller, model, LONG, words=5)
    docked = seller.page.locator("#queue > li")
    for number in (1, 2, 3):
        await expect(seller.page.locator("#composer-hint")).to_have_text("Pode escrever já: fica na fila")
        await seller.say(f"pergunta {number}")
        await expect(docked).to_have_count(number)
        await expect(docked.last.locator("small span")).to_have_text(WAITS)
    await expect(seller.page.locator("#composer-hint")).to_have_text(FULL)
    await seller.page.fill("#composer-text", "pergunta a mais")
    await expect(seller.page.locator("#send")).to_be_disabled()
    await seller.page.press("#composer-text", "Enter")
    await expect(docked).to_have_count(3)
    await expect(seller.page.locator("#composer-text")).to_have_value("pergunta a mais")
    other = await seller.tab()
    await expect(other.page.locator("#queue .bubble")).to_have_text(
        ["pergunta 1", "pergunta 2", "pergunta 3"]
    )
    await (
        other.page.locator("#queue > li", has_text="pergunta 2").get_by_role("button", name="Retirar").click()
    )
    for each in (seller, other):
        await expect(each.page.locator("#queue .bubble")).to_have_text(["pergunta 1", "pergunta 3"])
    model.will_say("Resposta 1.")
    model.will_say("Resposta 3.")
    tap.open()
    for each in (seller, other):
        await expect(each.rows.last).to_contain_text("Resposta 3.")
        await each.settled()
        await expect(each.page.locator("#composer-hint")).to_contain_text("Enter envia")
    model.script.assert_complete()
    said = [each for each in await seller.said() if not each.startswith("Frase")]
    assert said[0] == QUESTION
    assert [each for each in said if "pergunta 2" not in each][1:] == [
        "pergunta 1",
        "Resposta 1.",
        "pergunta 3",
        "Resposta 3.",
    ]
    assert await seller.drawn() == await other.drawn()
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_a_queued_message_survives_a_reload_and_can_be_taken_back(remote, model, kept_person):
    seller: Person = await kept_person(remote)
    tap = await asks(seller, model, LONG, words=5)
    await seller.say("espere por mim")
    await expect(seller.page.locator("#queue small span")).to_have_text(WAITS)
    await seller.reload()
    await expect(seller.page.locator("#queue .bubble")).to_have_text(["espere por mim"])
    await seller.page.get_by_role("button", name="Retirar").click()
    await expect(seller.page.locator("#queue > li")).to_have_count(0)
    tap.open()
    await seller.settled()
    assert model.script.left == 0
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_a_stop_says_that_queued_messages_go_next_and_sends_them(remote, model, kept_person):
    seller: Person = await kept_person(remote)
    await asks(seller, model, LONG, words=5)
    docked = seller.page.locator("#queue > li small span")
    for number in (1, 2):
        await seller.say(f"pergunta {number}")
        await expect(docked).to_have_count(number)
        await expect(docked.last).to_have_text(WAITS)
        model.will_say(f"Resposta {number}.")
    await seller.page.evaluate(WATCH_QUEUE)
    await seller.page.click("#stop")
    await expect(seller.rows.last).to_contain_text("Resposta 2.")
    await seller.settled()
    assert "Segue a seguir: só a resposta parou" in await seller.page.evaluate("window.queueSaid")
    said = " ".join(await seller.seen("said"))
    assert "A resposta para. As 2 mensagens à espera seguem a seguir." in said
    assert (await seller.said())[2:] == ["pergunta 1", "Resposta 1.", "pergunta 2", "Resposta 2."]
    await seller.shows_what_is_stored()


async def test_messages_that_the_queue_refuses_return_to_the_composer_in_order(remote, model, kept_person):
    seller: Person = await kept_person(remote)
    tap = await asks(seller, model, LONG, words=5)
    texts = [f"recado {number}" for number in range(1, 7)]
    await seller.page.evaluate(
        """(texts) => {
            const field = document.getElementById("composer-text");
            for (const text of texts) {
                field.value = text;
                field.dispatchEvent(new Event("input", { bubbles: true }));
                field.form.requestSubmit();
            }
        }""",
        texts,
    )
    await expect(seller.page.locator("#queue .bubble")).to_have_text(texts[:3])
    await expect(seller.page.locator("#composer-text")).to_have_value("\n".join(texts[3:]))
    for text in texts[:3]:
        model.will_say(f"Resposta a {text}.")
    tap.open()
    await seller.settled()
