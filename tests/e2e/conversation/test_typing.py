"""An operator and a visitor in two browsers: each sees that the other one types, in the page and in a frame."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.async_api import Page, expect

from tests.e2e.conversation.conftest import SWIFT, behind
from tests.e2e.conversation.person import Person
from tests.parts.chromium import NewPage
from tests.parts.model import Model
from tests.parts.operators import PASSWORD, Operator, new_account
from tests.parts.sampled import later
from tests.parts.server import Backend, Served, apart, served

pytestmark = pytest.mark.once

SECRET = "o meu segredo de {name}"
TYPES = """() => loopwire.dispatchEvent(new CustomEvent("control", { detail: { type: "typing", name: "Gil" } }))"""


@pytest.fixture(scope="module")
def office(backend: Backend) -> Iterator[tuple[Served, Backend]]:
    """A quick server, and the parts that it stands on."""
    with apart(backend) as own, served({**own.environment, **SWIFT}) as running:
        yield running, own


@pytest.fixture(scope="module")
def agency(backend: Backend, model_port: int) -> Iterator[tuple[Served, Backend]]:
    """A server whose model a test can hold, and the parts that it stands on."""
    with apart(backend) as own, served({**own.environment, **behind(model_port)}) as running:
        yield running, own


async def joined(quick: Served, page: Page, name: str) -> None:
    """Sign in at the inbox, open the newest conversation and take it over."""
    await page.goto(f"{quick.url}/inbox")
    await page.get_by_label("Nome").fill(name)
    await page.get_by_label("Palavra-passe").fill(PASSWORD)
    await page.keyboard.press("Enter")
    await page.locator("#sessions a").first.click()
    await expect(page.locator("body[data-state=open]")).to_be_attached()
    await page.get_by_role("button", name="Assumir").click()
    await expect(page.get_by_role("button", name="Devolver")).to_be_visible()


@pytest.mark.parametrize(("path", "name"), [("/", "Ana"), later("/embed/demo", "Rui")])
async def test_operator_and_visitor_each_see_that_the_other_types(
    office, person, new_page: NewPage, path: str, name: str
) -> None:
    quick, parts = office
    seller: Person = await person(quick)
    if path == "/":
        await seller.open(await seller.begin("tenho uma Bimby TM5"))
    else:
        await seller.open(path)
        await seller.say("tenho uma Bimby TM5")
    await seller.settled()
    await new_account(quick, parts.environment, name)
    page = await new_page()
    await joined(quick, page, name)
    await expect(seller.page.locator(".row-operator.joined")).to_be_attached()
    typing, said = seller.page.locator("#typing"), f"{name} está a escrever…"
    reply = page.locator("#reply-text")
    await reply.press_sequentially("Ol")
    await expect(typing).to_have_text(said)
    await expect(typing).to_be_visible()
    await expect(typing).to_be_hidden(timeout=30_000)
    await reply.press_sequentially("á!")
    await expect(typing).to_be_visible()
    announced = await seller.page.locator("#announcer").inner_text()
    assert announced.count(said) == 1, "once a message"
    await reply.press("Enter")
    await expect(seller.page.locator("#log .row-person").last).to_contain_text("Olá!")
    await expect(typing).to_be_hidden()

    secret = SECRET.format(name=name)
    await seller.page.locator("#composer-text").press_sequentially(secret)
    await expect(page.locator("#typing")).to_have_text("O visitante está a escrever…")
    await expect(page.locator("#typing")).to_be_visible()
    assert secret not in await page.content()
    await seller.page.locator("#composer-text").press("Enter")
    await expect(page.locator("#log .row-user").last).to_contain_text(secret)
    await expect(page.locator("#typing")).to_be_hidden()


@pytest.mark.conformance
async def test_a_note_for_the_agents_is_typed_unseen(office, person, new_page: NewPage) -> None:
    quick, parts = office
    seller: Person = await person(quick)
    await seller.open(await seller.begin("tenho uma Bimby TM5"))
    await seller.settled()
    await new_account(quick, parts.environment, "Eva")
    page = await new_page()
    await joined(quick, page, "Eva")
    told: list[str] = []
    page.on("request", lambda request: told.append(request.url.rpartition("/")[2]))
    await page.locator("#whisper").check()
    await page.locator("#reply-text").press_sequentially("nota")
    assert "typing" not in told
    await page.locator("#whisper").uncheck()
    async with page.expect_request("**/typing"):
        await page.locator("#reply-text").press_sequentially("x")
    await page.locator("#whisper").check()
    await page.locator("#reply-text").press("Enter")
    note = page.locator("#log .row-operator.whispered q")
    await expect(note).to_have_text("notax")
    await page.reload()
    await expect(note).to_have_text("notax")
    await expect(seller.page.locator("#log .whispered")).to_have_count(0)


@pytest.mark.conformance
async def test_a_visitor_sends_no_typing_notice_without_an_operator(office, person) -> None:
    quick, _ = office
    seller: Person = await person(quick)
    sent: list[str] = []
    seller.page.on("websocket", lambda socket: socket.on("framesent", lambda text: sent.append(str(text))))
    await seller.open()
    await seller.say("tenho uma Bimby TM5")
    await seller.settled()
    await seller.page.locator("#composer-text").press_sequentially("sim")
    await seller.page.locator("#composer-text").press("Enter")
    await expect(seller.page.locator("#log .row-user")).to_have_count(2)
    assert any('"message"' in each for each in sent)
    assert not any('"typing"' in each for each in sent)


@pytest.mark.conformance
async def test_a_page_that_is_opened_during_a_run_shows_one_line(
    agency, person, new_page: NewPage, model: Model
) -> None:
    quick, parts = agency
    seller: Person = await person(quick)
    model.will_say("Sim.")
    await seller.open(await seller.begin("Olá"))
    await seller.settled()
    await new_account(quick, parts.environment, "Gil")
    operator = Operator(quick)
    assert operator.sign_in("Gil").status == 303
    said = json.dumps({"id": "o1", "content": "Eu leio."}).encode()
    path, json_body = f"/inbox/s/{seller.session}/messages", {"Content-Type": "application/json"}
    assert operator.ask("POST", path, said, json_body).status == 200
    await expect(seller.page.locator("#log .row-person")).to_contain_text("Eu leio.")
    await seller.settled()
    tap = model.held("Então vamos.")
    await seller.say("E agora?")
    live, typing = seller.page.locator("#live"), seller.page.locator("#typing")
    await expect(live).to_be_visible()
    await seller.reload()
    await expect(live).to_be_visible()
    await expect(typing).to_be_attached()
    await expect(typing).to_be_hidden()
    # The notice of an operator who joins may be here before the end of the run that the join stops.
    await seller.page.evaluate(TYPES)
    await expect(typing).to_be_visible()
    await expect(live).to_be_hidden()
    tap.open()
    await seller.settled()
    await expect(typing).to_be_hidden()


async def test_the_questions_of_the_agents_are_closed_while_an_operator_answers(
    office, person, new_page: NewPage
) -> None:
    quick, parts = office
    seller: Person = await person(quick)
    await seller.open(await seller.begin("quero vender um iphone 12"))
    await seller.settled()
    option, text = seller.asked.locator(".option").first, seller.page.locator("#composer-text")
    await expect(option).to_be_enabled()
    await new_account(quick, parts.environment, "Zoe")
    page = await new_page()
    await joined(quick, page, "Zoe")
    await expect(option).to_be_disabled()
    await expect(text).to_have_attribute("placeholder", "Escreva à equipa…")
    await seller.reload()
    await expect(option).to_be_disabled()
    await page.get_by_role("button", name="Devolver").click()
    await expect(option).to_be_enabled()
    await expect(text).not_to_have_attribute("placeholder", "Escreva à equipa…")
