"""Interrupts in the page: each is answered once, by keys as by clicks, and a late answer shows the reason."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.e2e.page.test_stream import WATCH
from tests.parts.sampled import later
from tests.parts.wait import until_async

CARD = "#row-blk_1 form"
GIVEN = {
    "name": "Ana Sousa",
    "email": "ana@exemplo.pt",
    "day": "2026-11-24",
    "boxes": 12,
    "weight": 1.5,
    "floor": "lift",
    "fragile": False,
}


async def fill(page: Page) -> None:
    """Answer every question that needs it."""
    await page.get_by_label("Nome de quem entrega").fill("Ana Sousa")
    await page.get_by_label("E-mail").fill("ana@exemplo.pt")
    await page.get_by_label("Dia da recolha").fill("2026-11-24")
    await page.get_by_label("Quantas caixas").fill("12")
    await page.get_by_label("Peso aproximado").fill("1,5")
    await page.get_by_role("radiogroup", name="Onde está").get_by_label("Andar com elevador").check()
    await page.get_by_role("radiogroup", name="É frágil?").get_by_label("Não").check()


async def test_a_yes_by_the_keyboard_is_sent_once_and_folds(gallery, page):
    await gallery.open(page, "approval")
    await page.evaluate(WATCH)
    card = page.get_by_role("form", name="Criar o artigo «Fujifilm X-T30 II com 18-55» na sua conta?")
    yes = card.get_by_role("button", name="Confirmar")
    await expect(page.locator("#row-cal_1")).to_contain_text("à espera de si")
    await yes.press("Enter")
    (sent,) = await until_async(lambda: gallery.received(page, "approval", "resume"))
    entry = {"interrupt_id": "int_1", "status": "resolved", "payload": {"approved": True}}
    assert sent["entries"] == [entry]
    await expect(yes).to_be_disabled()
    await expect(card.get_by_role("button", name="Não fazer")).to_be_disabled()
    await expect(page.locator("#composer-text")).to_be_focused()
    await gallery.go(page, "approval")
    await expect(page.locator("#row-blk_1 .settled")).to_contain_text("Confirmado")
    await expect(page.locator("#row-cal_1")).to_contain_text("Criou o artigo")
    assert await page.locator("#row-blk_1 button").count() == 0
    told = await page.evaluate("window.told")
    assert len([each for each in told if each.endswith("Confirmado")]) == 1


async def test_a_no_is_sent_as_a_no(gallery, page):
    await gallery.open(page, "approval")
    await page.get_by_role("button", name="Não fazer").click()
    (sent,) = await until_async(lambda: gallery.received(page, "approval", "resume"))
    assert sent["entries"][0] == {
        "interrupt_id": "int_1",
        "status": "resolved",
        "payload": {"approved": False},
    }


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("answered", "Foi respondido noutro sítio: esta resposta não contou."),
        later("expired", "O prazo passou: esta resposta não contou."),
        later("not_found", "Esta pergunta já não se aplica."),
    ],
)
async def test_an_answer_that_is_too_late_shows_why_and_leaves_no_dead_button(gallery, page, code, words):
    await gallery.open(page, "approval")
    await gallery.refuse(page, "approval", "resume", {"code": code, "message": ""})
    await page.get_by_role("button", name="Confirmar").click()
    await expect(page.locator(f"{CARD} .told")).to_have_text(words)
    await expect(page.locator("#announcer")).to_contain_text(words)
    await expect(page.locator(f"{CARD} button").first).to_be_hidden()
    await gallery.go(page, "approval")
    await expect(page.locator("#row-blk_1 .settled")).to_contain_text("Confirmado")
    await expect(page.locator("#row-blk_1 .told")).to_have_text(words)


@pytest.mark.parametrize(
    ("code", "message", "words"),
    [
        later("unavailable", "", "Não foi enviada. Tente de novo."),
        later("budget", "", "O limite de hoje foi atingido: esta resposta não seguiu."),
        (
            "bad_answer",
            "A resposta tem um campo que não foi pedido.",
            "A resposta tem um campo que não foi pedido.",
        ),
    ],
)
async def test_a_refused_answer_can_be_given_again(gallery, page, code, message, words):
    await gallery.open(page, "ask")
    await gallery.refuse(page, "ask", "resume", {"code": code, "message": message})
    await fill(page)
    await page.get_by_role("button", name="Enviar", exact=True).first.click()
    await expect(page.locator(f"{CARD} .told")).to_have_text(words)
    await expect(page.locator(f"{CARD} .primary")).to_be_enabled()
    await expect(page.get_by_label("Quantas caixas")).to_have_value("12")
    await expect(page.get_by_label("Quantas caixas")).to_be_enabled()


async def test_an_error_that_the_server_finds_is_shown_at_its_field(gallery, page):
    await gallery.open(page, "ask")
    refusal = {"code": "bad_answer", "message": "boxes: O máximo é 10."}
    await gallery.refuse(page, "ask", "resume", refusal)
    await fill(page)
    await page.locator(f"{CARD} .primary").click()
    boxes = page.get_by_label("Quantas caixas")
    await expect(boxes).to_be_focused()
    await expect(page.locator(f"{CARD} .error")).to_have_text("O máximo é 10.")
    await boxes.fill("9")
    await expect(page.locator(f"{CARD} .error")).to_have_count(0)


async def test_answers_are_judged_in_their_place_and_sent_as_what_they_are(gallery, page):
    await gallery.open(page, "ask")
    await page.locator(f"{CARD} .primary").click()
    name, boxes = page.get_by_label("Nome de quem entrega"), page.get_by_label("Quantas caixas")
    await expect(name).to_be_focused()
    await expect(name).to_have_attribute("aria-invalid", "true")
    await expect(page.locator(f"{CARD} .error")).to_have_count(6)
    await fill(page)
    await expect(page.locator(f"{CARD} .error")).to_have_count(0)
    await page.get_by_label("E-mail").fill("ana")
    await page.get_by_label("Dia da recolha").fill("2026-11-21")
    await boxes.fill("1.200")
    await page.get_by_label("Peso aproximado").fill("um saco")
    await boxes.press("Enter")
    errors = page.locator(f"{CARD} .error")
    await expect(errors).to_have_text(
        [
            "Escreva um endereço de e-mail, por exemplo ana@exemplo.pt.",
            "Escolha o dia 22/11/2026 ou um depois.",
            "O máximo é 20.",
            "Escreva só o número, por exemplo 12,5.",
        ]
    )
    described = (await page.get_by_label("E-mail").get_attribute("aria-describedby") or "").split()
    assert [await page.locator(f"#{each}").count() for each in described] == [1, 1]
    assert await gallery.received(page, "ask", "resume") == []
    await page.get_by_label("E-mail").fill("ana@exemplo.pt")
    await page.get_by_label("Peso aproximado").fill("1,5")
    await page.get_by_label("Dia da recolha").fill("2026-11-24")
    await boxes.fill("12")
    await boxes.press("Enter")
    (sent,) = await until_async(lambda: gallery.received(page, "ask", "resume"))
    assert sent["entries"] == [{"interrupt_id": "int_2", "status": "resolved", "payload": GIVEN}]
    await gallery.go(page, "ask")
    given = page.locator("#row-blk_1 .given > div")
    await expect(given.nth(2)).to_have_text("Dia da recolha24/11/2026")
    await expect(given.nth(6)).to_have_text("É frágil?Sim")


async def test_questions_can_be_skipped(gallery, page):
    await gallery.open(page, "ask")
    await page.get_by_role("button", name="Saltar").click()
    (sent,) = await until_async(lambda: gallery.received(page, "ask", "resume"))
    assert sent["entries"] == [{"interrupt_id": "int_2", "status": "cancelled"}]


@pytest.mark.conformance
async def test_a_form_that_is_filled_in_survives_a_reload(gallery, page):
    await gallery.open(page, "ask")
    await fill(page)
    await page.reload()
    await expect(page.locator("body[data-state=open]")).to_be_attached()
    await expect(page.get_by_label("Nome de quem entrega")).to_have_value("Ana Sousa")
    await expect(page.get_by_label("Andar com elevador")).to_be_checked()


async def test_an_answer_that_the_wire_lost_is_sent_again(gallery, page):
    """The first socket dies with the answer; the card stays closed and the next socket carries the same frame."""
    await gallery.open(page, "approval")
    await gallery.refuse(page, "approval", "resume", None, times=1)
    await page.get_by_role("button", name="Confirmar").click()
    (sent,) = await until_async(lambda: gallery.received(page, "approval", "resume"))
    assert [sent["id"]] == await gallery.refused(page, "approval")
    await expect(page.locator(f"{CARD} .primary")).to_be_disabled()


async def test_an_answer_that_is_faster_than_its_question_goes_again_by_itself(gallery, page):
    """The server knows the question a moment later than the screen; nobody has to press twice."""
    await gallery.open(page, "approval")
    busy = {"code": "busy", "message": "full", "retry": True, "retry_after": 0.25}
    await gallery.refuse(page, "approval", "resume", busy, times=1)
    await page.get_by_role("button", name="Confirmar").click()
    (sent,) = await until_async(lambda: gallery.received(page, "approval", "resume"))
    assert [sent["id"]] == await gallery.refused(page, "approval")
    await expect(page.locator(f"{CARD} .primary")).to_be_disabled()
    await gallery.go(page, "approval")
    await expect(page.locator("#row-blk_1 .settled")).to_contain_text("Confirmado")
    await expect(page.locator("#row-blk_1 .told")).to_have_count(0)


async def test_a_card_can_be_answered_while_another_answer_is_at_work(gallery, page):
    await gallery.open(page, "approval")
    await gallery.go(page, "approval", last=1)
    await expect(page.locator("#log[data-running]")).to_be_attached()
    await page.locator(f"{CARD} .primary").click()
    await until_async(lambda: gallery.received(page, "approval", "resume"))
    await expect(page.locator(f"{CARD} .primary")).to_be_disabled()


@pytest.mark.conformance
async def test_the_jump_button_is_hidden_while_a_form_field_has_the_focus(gallery, page):
    await page.set_viewport_size({"width": 390, "height": 700})
    await gallery.open(page, "ask")
    await expect(page.get_by_role("heading", name="Faltam alguns dados")).to_be_in_viewport()
    await page.mouse.move(195, 350)
    await page.mouse.wheel(0, -3000)
    await expect(page.locator("#jump")).to_be_visible()
    await page.locator("#log .asks input").first.evaluate("(field) => field.focus({ preventScroll: true })")
    await expect(page.locator("#jump")).to_be_hidden()
    await page.focus("#composer-text")
    await expect(page.locator("#jump")).to_be_visible()


@pytest.mark.conformance
async def test_a_long_form_is_read_from_its_beginning_and_followed_when_sent(gallery, page):
    await page.set_viewport_size({"width": 390, "height": 700})
    await gallery.open(page, "ask")
    await expect(page.get_by_role("heading", name="Faltam alguns dados")).to_be_in_viewport()
    await expect(page.locator("#jump")).to_be_hidden()
    await page.get_by_role("button", name="Saltar").click()
    await gallery.go(page, "ask")
    await expect(page.locator("#log > .row").last).to_be_in_viewport()
