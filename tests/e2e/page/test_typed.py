"""An approval that is answered in writing: a plain yes or no presses its button, and anything else is a message."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.parts.wait import until_async

HINT_LINE = 16
"""What a line of the hint is at least high, in px, when it is seen."""


@pytest.mark.parametrize(
    ("scenario", "hint", "placeholder"),
    [
        ("approval", "Outra coisa deixa o pedido sem resposta", "Responda sim ou não…"),
        ("ask", "Escrever aqui deixa a pergunta sem resposta", "Ou responda por escrito…"),
    ],
)
async def test_writing_instead_says_what_becomes_of_the_question(gallery, page, scenario, hint, placeholder):
    await page.set_viewport_size({"width": 1280, "height": 800})
    await gallery.open(page, scenario)
    said = page.locator("#composer-hint")
    await expect(said).to_have_text(hint)
    await expect(said).to_be_in_viewport(ratio=1)
    assert (await said.bounding_box())["height"] >= HINT_LINE
    await expect(page.locator("#composer-text")).to_have_attribute("placeholder", placeholder)


@pytest.mark.parametrize(
    ("typed", "payload"),
    [
        ("Confirmar", {"approved": True}),
        (" SIM. ", {"approved": True}),
        ("Está bem!", {"approved": True}),
        ("sim pode ser", {"approved": True}),
        ("nao fazer", {"approved": False}),
        ("Não, obrigada…", {"approved": False}),
    ],
)
async def test_a_typed_yes_or_no_presses_its_button(gallery, page, typed, payload):
    await gallery.open(page, "approval")
    await page.fill("#composer-text", typed)
    await page.press("#composer-text", "Enter")
    (sent,) = await until_async(lambda: gallery.received(page, "approval", "resume"))
    assert [(each["status"], each["payload"]) for each in sent["entries"]] == [("resolved", payload)]
    await expect(page.locator("#composer-text")).to_have_value("")
    assert await gallery.received(page, "approval", "message") == []


@pytest.mark.parametrize("typed", ["sim?", "sim, mas em branco", "s", "no", "não\nsim"])
async def test_what_is_no_plain_answer_is_a_message(gallery, page, typed):
    await gallery.open(page, "approval")
    await page.fill("#composer-text", typed)
    await page.press("#composer-text", "Enter")
    (sent,) = await until_async(lambda: gallery.received(page, "approval", "message"))
    assert sent["content"] == [{"type": "text", "text": typed}]
    assert await gallery.received(page, "approval", "resume") == []


async def test_two_that_wait_are_not_answered_by_one_word(gallery, page):
    await gallery.open(page, "approval")
    await page.evaluate("""() => {
        const row = document.querySelector("#row-blk_1").cloneNode(true);
        row.id = "row-blk_2";
        row.querySelector("form").dataset.interrupt = "int_2";
        document.getElementById("log").append(row);
    }""")
    await page.fill("#composer-text", "sim")
    await page.press("#composer-text", "Enter")
    await until_async(lambda: gallery.received(page, "approval", "message"))
    assert await gallery.received(page, "approval", "resume") == []
