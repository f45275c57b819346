"""An approval that is answered in writing: a plain yes or no presses its button, and anything else is a message."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.parts.sampled import later
from tests.parts.wait import until_async

HINT_LINE = 16
"""What a line of the hint is at least high, in px, when it is seen."""


@pytest.mark.parametrize(
    ("scenario", "hint", "placeholder"),
    [
        ("approval", "Outra coisa deixa o pedido sem resposta", "Responda sim ou não…"),
        later("ask", "Escrever aqui deixa a pergunta sem resposta", "Ou responda por escrito…"),
    ],
)
async def test_the_composer_hint_says_that_writing_leaves_the_question_unanswered(
    gallery, page, scenario, hint, placeholder
):
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
        later("Confirmar", {"approved": True}),
        (" SIM. ", {"approved": True}),
        later("Está bem!", {"approved": True}),
        later("sim pode ser", {"approved": True}),
        later("nao fazer", {"approved": False}),
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


@pytest.mark.parametrize(
    "typed", [later("sim?"), "sim, mas em branco", later("s"), later("no"), later("não\nsim")]
)
async def test_a_text_that_is_no_plain_yes_or_no_is_sent_as_a_message(gallery, page, typed):
    await gallery.open(page, "approval")
    await page.fill("#composer-text", typed)
    await page.press("#composer-text", "Enter")
    (sent,) = await until_async(lambda: gallery.received(page, "approval", "message"))
    assert sent["content"] == [{"type": "text", "text": typed}]
    assert await gallery.received(page, "approval", "resume") == []


@pytest.mark.parametrize("width", [390, later(1280)])
async def test_a_yes_that_may_mean_either_of_two_is_kept_and_both_still_wait(gallery, page, width):
    await page.set_viewport_size({"width": width, "height": 844})
    await gallery.open(page, "several")
    text, hint = page.locator("#composer-text"), page.locator("#composer-hint")
    await expect(text).to_have_attribute("placeholder", "Responda em cada um…")
    await text.fill("sim")
    await text.press("Enter")
    await expect(hint).to_have_text("Há 2 pedidos à espera: responda em cada um.")
    assert (await hint.bounding_box())["height"] >= HINT_LINE
    await expect(text).to_have_value("sim")
    await expect(page.locator("form[data-interrupt] .primary:enabled")).to_have_count(2)
    await gallery.go(page, "several")
    await expect(page.locator("form[data-interrupt]")).to_have_count(1)
    await expect(hint).to_have_text("Outra coisa deixa o pedido sem resposta")
    await text.press("Enter")
    (sent,) = await until_async(lambda: gallery.received(page, "several", "resume"))
    assert [each["interrupt_id"] for each in sent["entries"]] == ["int_2"]
    assert await gallery.received(page, "several", "message") == []


async def test_more_than_a_yes_is_sent_as_a_message_when_two_approvals_wait(gallery, page):
    await gallery.open(page, "several")
    await page.fill("#composer-text", "sim, aos dois")
    await page.press("#composer-text", "Enter")
    (sent,) = await until_async(lambda: gallery.received(page, "several", "message"))
    assert sent["content"] == [{"type": "text", "text": "sim, aos dois"}]


async def test_each_approval_button_is_described_by_its_question(gallery, page):
    await gallery.open(page, "several")
    for name in ("Confirmar", "Não fazer"):
        for button in await page.get_by_role("button", name=name).all():
            form = button.locator("xpath=ancestor::form")
            await expect(button).to_have_accessible_description(await form.locator("h2").inner_text())
