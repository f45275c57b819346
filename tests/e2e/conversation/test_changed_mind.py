"""A person changes their mind: another product when the item exists, an answer corrected, two clicks at once."""

from __future__ import annotations

import asyncio
import re

import pytest
from playwright.async_api import expect

from tests.e2e.axe import is_without_fault
from tests.e2e.conversation.person import OF_A_POLLY, YES, Person
from tests.e2e.hold import Hold

pytestmark = pytest.mark.page

LINES = """(each) => {
    const words = document.createTreeWalker(each, NodeFilter.SHOW_TEXT, (text) =>
        text.data.trim() ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP).nextNode();
    const range = document.createRange();
    range.selectNodeContents(words);
    return range.getClientRects().length;
}"""

PHONE_390 = {"width": 390, "height": 844}
WRITTEN = "#log > .row-user"
OF_A_BIMBY = ("Excelente", "Sim, tudo funciona", "Em bom estado", "Sim")
"""The answers until it is asked for a date."""


@pytest.mark.conformance
async def test_another_product_closes_the_open_question_and_gets_its_own_item(quick, kept_person):
    seller: Person = await kept_person(quick)
    await seller.open(await seller.begin("Polly Magic", "sim"))
    await seller.settled()
    await expect(seller.asked).to_contain_text("Em que estado")
    await seller.say("afinal quero vender outra coisa")
    await seller.settled()
    await expect(seller.asked).to_have_count(0)
    await expect(seller.rows.last).to_contain_text("marca e o modelo")
    await seller.more("tenho uma Bimby TM5", "sim", *OF_A_BIMBY)
    await seller.sell(seller.click_answer)
    await expect(seller.page.locator("#log .card.item h2")).to_have_text("Bimby TM5")
    live = await seller.drawn()
    assert live == await seller.stored_drawn()
    await seller.reload()
    await seller.earlier()
    assert await seller.drawn() == live


async def test_an_answer_is_changed_by_its_own_link(quick, kept_person):
    seller: Person = await kept_person(quick)
    await seller.open(await seller.begin("Polly Magic", "sim", "Excelente"))
    await seller.settled()
    answered = seller.page.locator("#log .answered", has_text="Em que estado")
    await expect(answered.locator("b")).to_have_text("Excelente")
    opener = answered.get_by_role("button", name="Alterar")
    row = seller.page.locator("#log .row-block.answered", has_text="Em que estado")
    await opener.click()
    await expect(row.get_by_role("button", name="Excelente")).to_be_disabled()
    await expect(row.locator(".option:enabled").first).to_be_focused()
    await is_without_fault(seller.page, ".again:not([hidden]) .options")
    await opener.click()
    await expect(row.locator(".option:visible")).to_have_count(0)
    await opener.click()
    open_question = await seller.asked.locator("legend").inner_text()
    await row.get_by_role("button", name="Bom").click()
    await seller.settled()
    await expect(answered.locator("b")).to_have_text("Bom")
    await expect(row.locator(".option:visible")).to_have_count(0)
    assert await seller.asked.locator("legend").inner_text() == open_question
    await seller.more(*OF_A_POLLY[1:])
    written = seller.page.locator("#log .row-block.answered", has=seller.page.locator(".again form")).last
    await written.get_by_role("button", name="Alterar").click()
    await is_without_fault(seller.page, ".again:not([hidden]) form")
    await written.get_by_role("button", name="Alterar").click()
    shown = seller.page.locator("#log .card.item .lines div", has_text=re.compile("^Estado"))
    await expect(shown.locator("dd")).to_have_text("Bom")
    await shown.get_by_role("button", name="Alterar: Estado").click()
    await expect(seller.asked.locator("legend")).to_contain_text("Em que estado")
    await seller.asked.get_by_role("button", name="Excelente").click()
    await seller.settled()
    await expect(seller.page.locator("#log .card.item").last).to_contain_text("Excelente")
    await seller.shows_what_is_stored()


@pytest.mark.parametrize(
    ("language", "told", "labels"),
    [
        ("pt", "bom mas a bateria está fraca", ["Sim, é isso", "Só «Bom»", "Excelente", "Razoável", "Mau"]),
        (
            "en",
            "good but the battery is weak",
            ["Yes, that is it", "Only “Good”", "Excellent", "Fair", "Poor"],
        ),
    ],
)
@pytest.mark.conformance
async def test_a_misread_answer_is_put_right_by_one_tap(quick, kept_person, language, told, labels):
    """All choices stand between the head and the place to write, 390 px wide."""
    seller: Person = await kept_person(quick, phone=True, language=language)
    await seller.page.set_viewport_size(PHONE_390)
    await seller.open(await seller.begin("Dyson V11 Absolute", YES[language], told))
    await seller.settled()
    assert await seller.asked.locator(".option .label").all_inner_texts() == labels
    await expect(seller.asked).to_be_in_viewport(ratio=1)
    await seller.stays_in_its_width()
    right = labels[3]
    await seller.asked.get_by_role("button", name=right, exact=True).click()
    await seller.settled()
    await expect(seller.page.locator("#log .answered b").last).to_have_text(right)
    await expect(seller.asked).not_to_contain_text(right)
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_a_misread_figure_is_edited_where_it_was_understood(quick, kept_person):
    seller: Person = await kept_person(quick, phone=True)
    await seller.page.set_viewport_size(PHONE_390)
    begun = ("Dyson V11 Absolute", "sim", "bom", "tudo funciona", "uns 40 talvez")
    await seller.open(await seller.begin(*begun))
    await seller.settled()
    await expect(seller.asked).to_be_in_viewport(ratio=1)
    field = seller.asked.locator("input")
    await expect(field).to_have_value("40")
    await field.fill("35")
    await seller.asked.get_by_role("button", name="Sim, é isso").click()
    await seller.settled()
    await expect(seller.page.locator("#log .answered b").last).to_have_text(re.compile("^35"))
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_words_without_blanks_stay_inside_and_short_ones_whole(quick, kept_person):
    seller: Person = await kept_person(quick, phone=True)
    await seller.open()
    await seller.say("<b>olá</b> 🚲 " + "A" * 900)
    await seller.settled()
    await seller.stays_in_its_width()
    assert (await seller.said())[0].startswith("<b>olá</b> 🚲 AAA")
    await seller.say("Polly Magic")

    async def answer() -> None:
        if await seller.asked.filter(has_text="Está certo assim?").count():
            await seller.press(seller.asked.locator(".primary"))
        elif await seller.asked.filter(has_text="acessórios").count():
            await seller.say("W" * 180)
        else:
            await seller.click_answer()

    await seller.sell(answer, each=seller.stays_in_its_width)
    value = seller.page.locator("#log .card.item dd", has_text="Excelente")
    assert await value.evaluate(LINES) == 1
    await expect(seller.page.locator("#log .card.item dd").last).to_have_text("W" * 180)
    await seller.page.click("#log .card.item a.primary")
    await expect(seller.page.locator("main h1")).to_have_text("Polly Magic")
    # Its words can be read before its stylesheets are there; it is painted only with them.
    await seller.page.wait_for_load_state()
    assert await seller.page.evaluate("document.documentElement.scrollWidth") == 360
    await seller.page.go_back()
    await seller.connected()
    await seller.earlier()
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_a_long_question_that_was_left_stays_inside(quick, kept_person):
    seller: Person = await kept_person(quick, phone=True)
    await seller.open()
    await seller.say("Fujifilm X-T30 II")
    long = seller.asked.filter(has_text="manchas, fungo ou riscos")
    while True:
        await seller.settled()
        if await long.count():
            break
        await seller.click_answer()
    await seller.say("afinal quero vender outra coisa")
    await seller.settled()
    left = seller.page.locator("#log .asked-line", has_text="manchas, fungo ou riscos")
    await expect(left.locator("ul")).to_be_hidden()
    await left.locator("summary").tap()
    await expect(left.locator("ul")).to_be_visible()
    await seller.stays_in_its_width()
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_a_double_click_and_two_tabs_answer_each_question_once(quick, person):
    seller: Person = await person(quick)
    hold = Hold()
    await seller.page.context.route_web_socket("**/ws", hold.wire)
    await seller.open()
    # The second click comes before anything is answered, also where a server is quicker than a hand.
    hold.everything()
    await seller.page.locator("#examples button").nth(1).dblclick()
    hold.let_go()
    await seller.settled()
    assert len(await seller.said()) == 2
    hold.everything()
    await seller.asked.locator(".option").first.dblclick()
    hold.let_go()
    await seller.settled()
    assert (await seller.said()).count("Sim, Bimby TM5") == 1
    other = await seller.tab()
    options = [each.asked.locator(".option") for each in (seller, other)]
    written = await seller.page.locator(WRITTEN).count()
    hold.everything()
    await asyncio.gather(options[0].nth(0).click(), options[1].nth(1).click())
    hold.let_go()
    for each in (seller, other):
        await expect(each.page.locator(WRITTEN)).to_have_count(written + 2)
        await each.settled()
        await expect(each.asked).to_have_count(1)
    assert await seller.drawn() == await other.drawn()
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_a_refused_answer_of_the_composer_is_replied_to_at_the_end(quick, kept_person):
    seller: Person = await kept_person(quick, phone=True)
    page = seller.page
    field, jump = seller.asked.locator("form input"), page.locator("#jump")
    await seller.open(await seller.begin("tenho uma Bimby TM5", "sim", *OF_A_BIMBY))
    await seller.settled()
    await expect(field).to_have_count(1)
    for _ in range(2):
        await seller.say("isso é complicado")
        await seller.settled()
    await expect(field).to_have_attribute("aria-invalid", "true")
    await expect(field).to_have_value("")
    await expect(seller.rows.last).to_be_in_viewport()
    await expect(jump).to_have_text("Ir para a pergunta")
    await jump.click()
    await expect(field).to_be_focused()
    await expect(field).to_be_in_viewport()
    await expect(jump).to_have_text("Ir para o fim")
    await jump.click()
    await expect(seller.rows.last).to_be_in_viewport()


@pytest.mark.conformance
async def test_the_title_follows_the_first_message_when_that_is_edited(quick, kept_person):
    seller: Person = await kept_person(quick)
    page = seller.page
    await seller.open(await seller.begin("tenho uma Bimby TM5", "sim"))
    await seller.settled()
    line = page.locator("#sessions a[aria-current] b")
    await expect(line).to_have_text("Bimby TM5")
    await page.get_by_role("button", name="Editar mensagem").first.press("Enter")
    field = page.get_by_role("textbox", name="Nova versão da mensagem")
    await field.fill("bom dia, como funciona isto?")
    await field.press("Enter")
    await expect(line).to_have_text("bom dia, como funciona isto?")


@pytest.mark.conformance
async def test_beside_the_last_question_rows_are_changed_and_words_are_added(quick, kept_person):
    seller: Person = await kept_person(quick, phone=True)
    await seller.page.set_viewport_size(PHONE_390)
    told = "Polly Magic, foi lavada na máquina, dormiu na cave"
    await seller.open(await seller.begin(told, "sim", *OF_A_POLLY[:4]))
    await seller.settled()
    rows = seller.asked.locator(".kept .lines > div")
    await expect(rows.filter(has_text="Estado").locator("dd")).to_have_text("Excelente")
    await is_without_fault(seller.page, ".kept")
    await seller.stays_in_its_width()
    await rows.filter(has_text="Estado").get_by_role("button", name="Alterar: Estado").click()
    await seller.settled()
    await seller.asked.get_by_role("button", name="Bom", exact=True).click()
    await seller.settled()
    await expect(rows.filter(has_text="Estado").locator("dd")).to_have_text("Bom")
    field, offered = seller.asked.locator("[name=answer]"), seller.asked.locator(".unused button")
    await is_without_fault(seller.page, ".unused")
    await offered.filter(has_text="foi lavada na máquina").click()
    await seller.settled()
    await expect(field).to_have_value(re.compile("foi lavada na máquina"))
    await expect(offered.filter(has_text="foi lavada na máquina")).to_have_count(0)
    await seller.say("sim")
    await seller.settled()
    await expect(seller.page.locator("#log .card.item .lines")).to_contain_text("foi lavada na máquina")
    await seller.shows_what_is_stored()
