"""An item that needs a yes: given, refused, found again after a reload, a cut or a restart, won by one of two tabs."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, expect

from server.protocol.events import ours
from tests.e2e.conversation.conftest import asks_before
from tests.e2e.conversation.person import OF_AN_IPHONE, Person
from tests.e2e.conversation.test_lost_connection import only_cuts
from tests.e2e.hold import Hold
from tests.parts.sampled import later

pytestmark = pytest.mark.page

READY = {
    "pt": ("quero vender um iPhone 12 preto de 128", "sim", "sim"),
    "en": ("I want to sell a black iPhone 12 with 128 GB", "yes", "yes"),
}
CARD = "#log form[data-interrupt]"
SETTLED = "#log .settled"
LATE = "Foi respondido noutro sítio: esta resposta não contou."


async def ready(seller: Person) -> None:
    """Come to where the item could be made."""
    await seller.open(await seller.begin(*READY[seller.language]))
    await asked(seller)


async def asked(seller: Person) -> None:
    """See the question whether the item is to be made."""
    await expect(seller.page.locator(CARD)).to_have_count(1)
    await seller.settled()


def yes(seller: Person) -> Locator:
    """Return the button that agrees."""
    return seller.page.locator(CARD).get_by_role("button", name="Confirmar")


async def made(seller: Person) -> list[str]:
    """Return what has become of each call that makes an item, in order."""
    stored = await seller.stored()
    named = {call["id"]: call["function"]["name"] for each in stored for call in each.get("toolCalls", ())}
    return [ours(each)["status"] for each in stored if named.get(each.get("toolCallId")) == "create_item"]


async def folds(seller: Person, *said: str) -> None:
    """See what has become of the questions, one line each, and none that can still be pressed."""
    await expect(seller.page.locator(f"{SETTLED} > div > p b")).to_have_text(list(said))
    await expect(seller.page.locator(f"{SETTLED} button")).to_have_count(0)


@pytest.mark.parametrize(
    ("phone", "is_clicked"),
    [
        later(False, True, id="desktop"),
        later(True, True, id="phone by clicking"),
        pytest.param(True, False, id="phone"),
    ],
)
@pytest.mark.conformance
async def test_the_item_is_made_after_a_yes(asking, kept_person, phone, is_clicked):
    seller: Person = await kept_person(asking, phone=phone)
    await seller.open()
    for message in READY[seller.language]:
        await seller.say(message)
        await expect(seller.page.locator("#log .row-user").last).to_contain_text(message)
        await seller.settled()
    await asked(seller)
    await seller.stays_in_its_width()
    facts = seller.page.locator(f"{CARD} dl.lines div")
    await expect(facts).to_have_text(["ProdutoiPhone 12", "MarcaApple", "Armazenamento128 GB", "CorPreto"])
    await yes(seller).click()
    await folds(seller, "Confirmado")
    await seller.settled()
    if not is_clicked:
        await seller.stays_in_its_width()
        await seller.more(*OF_AN_IPHONE)
    await seller.sell(seller.click_answer, each=seller.stays_in_its_width)
    await seller.shows_what_is_stored()


@pytest.mark.page
@pytest.mark.conformance
async def test_a_change_after_a_no_is_asked_for_approval_again(asking, kept_person):
    seller: Person = await kept_person(asking)
    await ready(seller)
    await seller.page.locator(CARD).get_by_role("button", name="Não fazer").click()
    await folds(seller, "Recusado: não foi feito")
    await seller.settled()
    await seller.say("é branco")
    await expect(seller.page.locator(f"{CARD} dl.lines div").last).to_have_text("CorBranco")
    await seller.settled()
    await yes(seller).click()
    await folds(seller, "Recusado: não foi feito", "Confirmado")
    await seller.settled()
    await seller.more(*OF_AN_IPHONE)
    await expect(seller.page.locator("#log .card.item")).to_contain_text("Branco")
    await seller.shows_what_is_stored()


@pytest.mark.page
@pytest.mark.parametrize(("language", "typed"), [("pt", "Sim."), later("en", "Go ahead")])
async def test_a_typed_yes_makes_the_item_once(asking, kept_person, language, typed):
    seller: Person = await kept_person(asking, language=language)
    await ready(seller)
    before = await seller.page.locator("#log .row-user").count()
    await seller.say(typed)
    await folds(seller, {"pt": "Confirmado", "en": "Confirmed"}[language])
    await seller.settled()
    await expect(seller.page.locator("#log .row-user")).to_have_count(before)
    assert await made(seller) == ["done"]
    await seller.shows_what_is_stored()


@pytest.mark.page
@pytest.mark.conformance
async def test_a_typed_no_declines_the_item(asking, kept_person):
    seller: Person = await kept_person(asking)
    await ready(seller)
    await seller.say("não")
    await folds(seller, "Recusado: não foi feito")
    await seller.settled()
    await seller.say("é branco")
    await expect(seller.page.locator(f"{CARD} dl.lines div").last).to_have_text("CorBranco")
    await seller.settled()
    await seller.say("confirmar")
    await folds(seller, "Recusado: não foi feito", "Confirmado")
    await seller.settled()
    assert await made(seller) == ["stopped", "done"]
    await seller.shows_what_is_stored()


@pytest.mark.page
@pytest.mark.conformance
async def test_another_typed_message_leaves_the_approval_unanswered(asking, kept_person):
    seller: Person = await kept_person(asking)
    await ready(seller)
    await seller.say("sim, mas em branco")
    await expect(seller.page.locator("#log .row-user").last).to_contain_text("sim, mas em branco")
    await folds(seller, "Ficou sem resposta: não foi feito")
    await seller.settled()
    assert "done" not in await made(seller)
    await seller.page.get_by_role("button", name="Sim, é isso").click()
    await yes(seller).click()
    await folds(seller, "Ficou sem resposta: não foi feito", "Confirmado")
    await seller.settled()
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_the_later_of_two_tabs_reads_that_its_answer_is_late(asking, kept_person):
    """The second tab still shows its card when it is pressed: what it missed comes after the server's word."""
    seller: Person = await kept_person(asking)
    hold = Hold()
    await ready(seller)
    page = await seller.page.context.new_page()
    await page.route_web_socket("**/ws", hold.wire)
    other = Person(page, seller.served, seller.language)
    await other.open(seller.path)
    hold.everything()
    await yes(seller).click()
    await folds(seller, "Confirmado")
    await seller.settled()
    await yes(other).click()
    await expect(yes(other)).to_be_disabled()
    hold.let_go()
    await folds(other, "Confirmado")
    await expect(other.page.locator(f"{SETTLED} .told")).to_have_text(LATE)
    await other.settled()
    await expect(seller.page.locator(".told")).to_have_count(0)
    await other.page.reload()
    await other.connected()
    await expect(other.page.locator(".told")).to_have_count(0)
    assert await other.drawn() == await seller.drawn()
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_an_open_approval_is_answered_after_a_reload(asking, kept_person):
    seller: Person = await kept_person(asking)
    await ready(seller)
    before = await seller.drawn()
    await seller.reload()
    assert await seller.drawn() == before
    await yes(seller).click()
    await folds(seller, "Confirmado")
    await seller.settled()
    await expect(seller.asked).to_have_count(1)
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_an_answer_without_internet_is_kept_and_sent_after_the_cut(asking, person, troubles):
    seller: Person = await person(asking)
    await ready(seller)
    await seller.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    await seller.page.context.set_offline(True)
    await expect(seller.page.locator("body[data-state=offline]")).to_be_attached()
    await yes(seller).click()
    await expect(yes(seller)).to_be_disabled()
    await expect(seller.page.locator(f"{CARD} .told")).to_have_text("Segue quando a ligação voltar")
    await seller.page.context.set_offline(False)
    await folds(seller, "Confirmado")
    await seller.settled()
    await expect(seller.page.locator(".told")).to_have_count(0)
    only_cuts(troubles)
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_a_restart_between_question_and_answer_loses_neither(
    serve_each, person, troubles, tmp_path_factory
):
    environment = {"LOOPWIRE_DEMO_DELAY_MS": "2", **asks_before(tmp_path_factory, "create_item")}
    first = serve_each(environment)
    seller: Person = await person(first)
    await ready(seller)
    first.kill()
    await expect(seller.page.locator("#connection")).to_contain_text("A restabelecer a ligação…")
    await yes(seller).click()
    await expect(yes(seller)).to_be_disabled()
    serve_each(environment, data_dir=first.data_dir, port=int(first.url.rpartition(":")[2]))
    await folds(seller, "Confirmado")
    await seller.settled()
    await expect(seller.asked).to_have_count(1)
    only_cuts(troubles)
    await seller.shows_what_is_stored()
