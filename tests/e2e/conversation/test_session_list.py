"""The list of conversations: one is found by its words, gets another name, is saved and deleted; all data can go."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.async_api import Route, expect

from tests.e2e.axe import AXE, TAGS, looked_at
from tests.e2e.conversation.person import PHONE, Person
from tests.e2e.still import at_rest
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

RULES = {"runOnly": {"type": "tag", "values": TAGS}}
SHOTS = os.environ.get("SHOTS")


async def look(seller: Person, state: str) -> None:
    """Axe finds nothing; the picture is kept when one is asked for."""
    await at_rest(seller.page)
    if SHOTS:
        await seller.page.screenshot(path=Path(SHOTS) / f"{state}.png")
    await seller.page.evaluate(AXE)
    found = await looked_at(seller.page, RULES)
    assert [
        (each["id"], [node["html"][:160] for node in each["nodes"]]) for each in found["violations"]
    ] == []


async def answered(seller: Person) -> None:
    """Wait for the answer in the newest conversation: until then it may still take another place in the list."""

    async def waits() -> bool:
        found = await seller.page.context.request.get(f"{seller.served.url}/v1/sessions")
        return bool((await found.json())["sessions"][0]["status_line"] == "waiting")

    await until_async(waits, what="the answer")


async def test_conversations_are_found_named_saved_and_deleted(quick, person):
    seller: Person = await person(quick)
    for text in ("quero vender um iPhone 12", "tenho uma bicicleta Elops 520"):
        path = await seller.begin(text)
        await answered(seller)
    await seller.open(path)
    await seller.settled()
    page, lines = seller.page, seller.page.locator("#sessions li")
    await expect(lines).to_have_count(2)

    await page.fill("#session-search", "elops bicicleta")
    await expect(lines).to_have_count(1)
    await page.fill("#session-search", "nada disto existe")
    await expect(page.locator("#sessions .none")).to_have_text("Nenhuma conversa tem estas palavras.")
    await page.fill("#session-search", "")
    await expect(lines).to_have_count(2)

    await lines.first.hover()
    await lines.first.locator(".more").click()
    await expect(page.locator("#session-menu [role=menuitem]").first).to_be_focused()
    await look(seller, "menu")
    async with page.expect_download() as started:
        await page.click("#session-menu [data-act=export]")
    text = Path(await (await started.value).path()).read_text()
    assert (
        "**Eu**" in text
        and "tenho uma bicicleta Elops 520" in text
        and "Elops 520" in text.split("**Eu**")[1]
    )

    await lines.first.locator(".more").click()
    await page.keyboard.press("Enter")  # The first action: rename.
    await look(seller, "rename")
    await page.fill("#session-dialog input", "A minha bicicleta")
    await page.keyboard.press("Enter")
    await expect(lines.first.locator("b")).to_have_text("A minha bicicleta")
    await expect(page.locator("#title")).to_have_text("A minha bicicleta")

    await lines.nth(1).locator(".more").click()
    await page.keyboard.press("ArrowUp")
    await expect(page.locator("#session-menu [data-act=delete]")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator("#session-dialog [value=no]")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(lines).to_have_count(2)
    await lines.nth(1).locator(".more").click()
    await page.click("#session-menu [data-act=delete]")
    await page.click("#session-dialog [value=yes]")
    await expect(lines).to_have_count(1)


@pytest.mark.conformance
async def test_the_focus_stays_in_the_list_after_an_action_by_keyboard(quick, person):
    seller: Person = await person(quick)
    for text in ("quero vender um iPhone 12", "tenho uma bicicleta Elops 520", "tenho uma Bimby TM5"):
        await seller.begin(text)
        await answered(seller)
    await seller.open()
    page, lines = seller.page, seller.page.locator("#sessions li")
    await expect(lines).to_have_count(3)
    names = lines.locator("b")

    await lines.nth(1).locator(".more").focus()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await page.fill("#session-dialog input", "A minha bicicleta")
    await page.keyboard.press("Enter")
    await expect(names.nth(1)).to_have_text("A minha bicicleta")
    await expect(lines.nth(1).locator(".more")).to_be_focused()

    for at, left in ((1, 2), (1, 1), (0, 0)):
        await lines.nth(at).locator(".more").focus()
        for key in ("Enter", "ArrowUp", "Enter", "Shift+Tab", "Enter"):
            await page.keyboard.press(key)
        await expect(lines).to_have_count(left)
        following = lines.nth(min(at, left - 1)).locator(".more") if left else page.locator("#side .new")
        await expect(following).to_be_focused()


@pytest.mark.conformance
async def test_home_and_end_lead_through_the_menu_of_a_conversation(quick, person):
    seller: Person = await person(quick)
    await seller.open(await seller.begin("quero vender um iPhone 12"))
    await seller.settled()
    page = seller.page
    await page.locator("#sessions .more").focus()
    await page.keyboard.press("Enter")
    await page.keyboard.press("End")
    await expect(page.locator("#session-menu [data-act=delete]")).to_be_focused()
    await page.keyboard.press("Home")
    await expect(page.locator("#session-menu [data-act=rename]")).to_be_focused()


async def test_the_list_is_that_of_now_in_a_tab_that_comes_to_the_front(quick, person):
    seller: Person = await person(quick)
    await seller.open(await seller.begin("quero vender um iPhone 12"))
    await seller.settled()
    await seller.begin("tenho uma bicicleta Elops 520")
    await expect(seller.page.locator("#sessions li")).to_have_count(1)
    await seller.page.evaluate("for (const each of ['blur', 'focus']) dispatchEvent(new Event(each))")
    await expect(seller.page.locator("#sessions li")).to_have_count(2)


@pytest.mark.conformance
async def test_the_list_is_that_of_now_when_its_drawer_opens(quick, person):
    seller: Person = await person(quick, phone=True)
    await seller.open(await seller.begin("quero vender um iPhone 12"))
    await seller.settled()
    await seller.begin("tenho uma bicicleta Elops 520")
    await seller.page.click("[data-open-drawer]")
    await expect(seller.page.locator("#sessions li")).to_have_count(2)


@pytest.mark.conformance
async def test_the_focus_follows_a_list_that_is_drawn_anew(quick, person):
    seller: Person = await person(quick)
    await seller.open(await seller.begin("quero vender um iPhone 12"))
    await seller.settled()
    page, link = seller.page, seller.page.locator("#sessions li a")
    await link.focus()
    was = await link.element_handle()
    await page.evaluate("document.body.dispatchEvent(new Event('sessions:changed'))")
    await page.wait_for_function("(was) => !was.isConnected", arg=was)
    await expect(link).to_be_focused()


async def test_all_data_of_a_visitor_are_deleted_on_a_phone(quick, person):
    seller: Person = await person(quick, phone=True)
    await seller.open(await seller.begin("quero vender um iPhone 12"))
    await seller.settled()
    gone, page = seller.path, seller.page
    before = await page.context.cookies()
    assert page.viewport_size == PHONE
    await page.click("[data-open-drawer]")
    await look(seller, "drawer")
    await page.click("[data-erase]")
    await look(seller, "erase")
    await page.click("#session-dialog [value=yes]")
    await page.wait_for_url(seller.served.url + "/")
    await page.click("[data-open-drawer]")
    await expect(page.locator("#sessions .none")).to_be_visible()
    assert await page.context.cookies() != before
    response = await page.context.request.get(seller.served.url + gone)
    assert response.status == 404


@pytest.mark.conformance
async def test_a_deletion_that_stops_midway_says_what_is_gone_and_goes_on(quick, person, troubles):
    seller: Person = await person(quick)
    page, lines = seller.page, seller.page.locator("#sessions li")
    for text in ("quero vender um iPhone 12", "tenho uma bicicleta Elops 520", "tenho uma Bimby TM5"):
        path = await seller.begin(text)
        await answered(seller)
    await seller.open(path)
    await seller.settled()
    await expect(lines).to_have_count(3)
    let_through = [True]

    async def refuse(route: Route) -> None:
        if route.request.method != "DELETE" or (let_through and let_through.pop()):
            return await route.continue_()
        return await route.fulfill(status=429, headers={"retry-after": "12"}, json={})

    await page.route("**/v1/sessions/*", refuse)
    await page.click("[data-erase]")
    dialog = page.locator("#session-dialog")
    await dialog.locator("[value=yes]").click()
    await expect(dialog.get_by_role("alert")).to_have_text(
        "Foi apagada uma conversa, as outras não. Tente outra vez daqui a 12 s."
    )
    await expect(lines).to_have_count(2)
    await page.unroute("**/v1/sessions/*")
    await dialog.locator("[value=yes]").click()
    await page.wait_for_url(seller.served.url + "/")
    await expect(lines).to_have_count(0)
    assert any("429" in each for each in troubles)
    troubles[:] = [
        each for each in troubles if "429" not in each and "4404" not in each and "404" not in each
    ]
