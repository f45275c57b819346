"""An operator in a browser: signs in, takes over, writes, and gives back, by the keyboard and on a phone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.async_api import expect

from tests.e2e.axe import AXE, looked_at
from tests.e2e.conversation.conftest import SWIFT
from tests.e2e.conversation.person import DESKTOP, PHONE, Person
from tests.e2e.conversation.test_access import LEAST_PASSES, RULES
from tests.e2e.still import at_rest
from tests.parts.chromium import NewPage
from tests.parts.operators import PASSWORD, new_account
from tests.parts.sampled import pairs
from tests.parts.server import Backend, Served, apart, served
from tests.parts.wait import until_async

pytestmark = pytest.mark.page


@pytest.fixture(scope="module")
def office(backend: Backend) -> Iterator[tuple[Served, Backend]]:
    """Yield a quick server, and the parts that it stands on."""
    with apart(backend) as own, served({**own.environment, **SWIFT}) as running:
        yield running, own


async def is_accessible(page, state: str) -> None:
    """Axe finds nothing on either screen or in the dark colours, and nothing scrolls sideways."""
    await page.evaluate(AXE)
    for screen, theme in pairs((PHONE, DESKTOP), ("light", "dark")):
        await page.set_viewport_size(screen)
        await page.evaluate("(theme) => (document.documentElement.dataset.theme = theme)", theme)
        await at_rest(page)
        found = await looked_at(page, RULES[theme])
        assert [(state, theme, each["id"], each["nodes"]) for each in found["violations"]] == []
        assert found["passes"] >= LEAST_PASSES[theme]
        sideways = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not await page.evaluate(sideways), state
    await page.set_viewport_size(DESKTOP)


async def test_an_operator_takes_over_answers_and_gives_back(office, person, new_page: NewPage):
    quick, parts = office
    seller: Person = await person(quick)
    await seller.open(await seller.begin("tenho uma Bimby TM5 <img src=x onerror=alert(1)>"))
    await seller.settled()
    await new_account(quick, parts.environment, "Ana", "admin")
    page = await new_page()
    await page.goto(f"{quick.url}/inbox")
    await is_accessible(page, "sign-in")
    await page.get_by_label("Nome").focus()
    await page.keyboard.type("Ana")
    await page.keyboard.press("Tab")
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press("Enter")
    line = page.locator("#sessions a").first
    await expect(line).to_contain_text("Bimby")
    await is_accessible(page, "list")
    await line.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("body[data-state=open]")).to_be_attached()
    await page.get_by_role("button", name="Assumir").press("Enter")
    give_back = page.get_by_role("button", name="Devolver")
    await expect(give_back).to_be_focused()
    await expect(seller.page.locator("#log")).to_contain_text("Ana entrou na conversa")
    await page.locator("#reply-text").fill("Sou a **Ana**.")
    await page.keyboard.press("Enter")
    await expect(seller.page.locator("#log .row-person, #log .row-text").last).to_contain_text("Sou a Ana.")
    await seller.say("Olá Ana")
    await expect(page.locator("#log .row-user").last).to_contain_text("Olá Ana")
    await is_accessible(page, "conversation")
    await give_back.press("Enter")
    await expect(seller.page.locator("#log")).to_contain_text("Ana saiu")
    await expect(page.get_by_role("button", name="Assumir")).to_be_focused()
    await page.goto(f"{quick.url}/inbox/audit")
    await expect(page.locator("tbody")).to_contain_text("leave")
    await is_accessible(page, "record")


@pytest.mark.conformance
async def test_a_long_title_ends_in_an_ellipsis_before_the_dot(office, person, new_page: NewPage):
    quick, parts = office
    seller: Person = await person(quick)
    await seller.open()
    await seller.say("olá, o comando e a caixa são para vender, e também um candeeiro antigo de pé alto")
    await seller.settled()
    await new_account(quick, parts.environment, "Eva")
    page = await new_page(viewport=DESKTOP)
    await page.goto(f"{quick.url}/inbox")
    await page.get_by_label("Nome").fill("Eva")
    await page.get_by_label("Palavra-passe").fill(PASSWORD)
    await page.keyboard.press("Enter")
    line = page.locator("#sessions a.unread").first
    await expect(line).to_contain_text("o comando e a caixa")
    name, dot = line.locator(".name"), line.locator(".dot")
    await expect(name).to_have_css("text-overflow", "ellipsis")
    # The list is drawn anew as its stream begins: a line that was replaced has no width.
    await until_async(
        lambda: name.evaluate("(each) => each.scrollWidth > each.clientWidth"), what="a cut title"
    )
    edge = "(each) => each.getBoundingClientRect().right"
    assert await dot.evaluate(edge) <= await line.evaluate(edge)
