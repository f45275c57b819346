"""Questions of the assistant: forms, calls of the page's tools, and two open questions that are answered one by one."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, expect

from tests.e2e.conversation.person import Person
from tests.modelserver import Call, ModelRequest

pytestmark = pytest.mark.page

FORM = {
    "message": "Para marcar a recolha, faltam estes dados.",
    "questions": {
        "type": "object",
        "properties": {
            "boxes": {"type": "integer", "title": "Quantas caixas", "minimum": 1, "maximum": 20},
            "mail": {"type": "string", "title": "E-mail", "format": "email"},
            "floor": {"type": "string", "title": "Onde está", "enum": ["Rés do chão", "Andar"]},
        },
        "required": ["boxes", "mail"],
    },
}
PLACE = {
    "name": "where_am_i",
    "description": "Where the person is.",
    "parameters": {"type": "object", "properties": {"exact": {"type": "boolean"}}},
}
OFFER = """(tool) => {
    window.ran = [];
    loopwire.tool(tool, async (args) => { ran.push(args); return { city: "Aveiro" }; });
}"""
CARDS = "#log form[data-interrupt]"
SETTLED = "#log .settled"


def read(request: ModelRequest) -> str:
    """Say what the last calls gave."""
    return " | ".join(str(each) for each in request.outputs_since_user) or "nada"


async def asked(seller: Person, model, *calls: Call, cards: int = 1) -> Locator:
    """Ask something that the model answers by these calls, which wait; afterwards it says what they gave."""
    model.script.extend([list(calls), read])
    await seller.open()
    await seller.say("tratem disso")
    found = seller.page.locator(CARDS)
    await expect(found).to_have_count(cards)
    await seller.settled()
    return found


async def fills(form: Locator, *, mail: str = "ana@exemplo.pt") -> None:
    """Answer every question."""
    await form.get_by_label("Quantas caixas").fill("12")
    await form.get_by_label("E-mail").fill(mail)
    await form.get_by_label("Andar").check()


async def test_a_form_is_put_right_and_answered(chat, model, kept_person):
    seller: Person = await kept_person(chat, phone=True)
    form = await asked(seller, model, Call("ask_user", FORM))
    await seller.stays_in_its_width()
    await fills(form)
    await form.get_by_label("Quantas caixas").fill("200")
    await form.get_by_role("button", name="Enviar").click()
    await expect(form.locator(".error")).to_have_text("O máximo é 20.")
    await form.get_by_label("Quantas caixas").fill("12")
    await form.get_by_role("button", name="Enviar").click()
    await expect(seller.page.locator(f"{SETTLED} .given > div")).to_have_text(
        ["Quantas caixas12", "E-mailana@exemplo.pt", "Onde estáAndar"]
    )
    await seller.settled()
    await expect(seller.rows.last).to_contain_text("ana@exemplo.pt")
    await seller.stays_in_its_width()
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_an_error_that_only_the_server_finds_is_shown_in_the_page_language(chat, model, kept_person):
    seller: Person = await kept_person(chat)
    form = await asked(seller, model, Call("ask_user", FORM))
    await fills(form, mail="a" * 65 + "@exemplo.pt")
    await form.get_by_role("button", name="Enviar").click()
    wrong = "Escreva um endereço de e-mail, por exemplo ana@exemplo.pt."
    await expect(form.locator(".error")).to_have_text(wrong)
    await expect(form.get_by_label("E-mail")).to_be_focused()
    await expect(form.get_by_label("Quantas caixas")).to_have_value("12")
    await form.get_by_label("E-mail").fill("ana@exemplo.pt")
    await form.get_by_label("E-mail").press("Enter")
    await expect(seller.page.locator(f"{SETTLED} b")).to_have_text("Respondido")
    await seller.settled()
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_a_form_is_skipped(chat, model, kept_person):
    seller: Person = await kept_person(chat)
    form = await asked(seller, model, Call("ask_user", FORM))
    await form.get_by_role("button", name="Saltar").click()
    await expect(seller.page.locator(f"{SETTLED} b")).to_have_text("Saltado por si")
    await seller.settled()
    await expect(seller.rows.last).to_contain_text("cancelled")
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_writing_something_else_closes_a_form(chat, model, kept_person):
    seller: Person = await kept_person(chat)
    form = await asked(seller, model, Call("ask_user", FORM))
    await form.get_by_label("Quantas caixas").fill("12")
    await expect(seller.page.locator("#composer-hint")).to_have_text(
        "Escrever aqui deixa a pergunta sem resposta"
    )
    await seller.say("afinal deixe estar")
    await expect(seller.page.locator(f"{SETTLED} b")).to_have_text("Ficou sem resposta")
    await expect(seller.rows.last).to_contain_text("nada")
    await seller.settled()
    await expect(seller.page.locator(CARDS)).to_have_count(0)
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_two_questions_of_one_run_are_answered_one_after_the_other(chat, model, kept_person):
    seller: Person = await kept_person(chat)
    calls = (Call("list_my_items"), Call("list_my_conversations"))
    await asked(seller, model, *calls, cards=2)
    # Both at once, as a quick hand does: the second answer comes while the first one is at work.
    await seller.page.evaluate("""() => {
        for (const button of document.querySelectorAll("#log form[data-interrupt] .primary")) button.click();
    }""")
    await expect(seller.page.locator(f"{SETTLED} b")).to_have_text(["Confirmado", "Confirmado"])
    await seller.settled()
    await expect(seller.page.locator(".told")).to_have_count(0)
    await expect(seller.rows.last).to_contain_text("total")
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_a_tool_of_the_page_runs_once_in_the_tab_that_asked(chat, model, kept_person):
    seller: Person = await kept_person(chat)
    model.script.extend(["Olá.", [Call("where_am_i", {"exact": True})], read])
    await seller.open()
    await seller.say("olá")
    await seller.settled()
    other = await seller.tab()
    for each in (seller, other):
        await each.page.evaluate(OFFER, PLACE)
    await seller.say("onde estou?")
    for each in (seller, other):
        await expect(each.rows.last).to_contain_text("Aveiro")
        await each.settled()
    assert await seller.page.evaluate("ran") == [{"exact": True}]
    assert await other.page.evaluate("ran") == []
    assert await seller.drawn() == await other.drawn()
    await seller.shows_what_is_stored()
