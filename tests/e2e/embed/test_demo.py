"""The page that a developer sees first: a marketplace at one name of this machine, whose chat is at the other one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.async_api import Frame, Page, expect

from tests.e2e.conversation.conftest import SWIFT
from tests.e2e.conversation.person import Person
from tests.e2e.embed.conftest import Widget, block_cookies_of_other_sites, cookies_of
from tests.e2e.embed.test_widget import PHONE, SETTLED
from tests.parts.sampled import later
from tests.parts.server import Backend, Served, apart, served

pytestmark = pytest.mark.once

BUBBLE = "html > loopwire-chat"
SET_COOKIES = """() => {
  for (const each of ["plain=1", "partitioned=1; Partitioned"])
    document.cookie = `${each}; Secure; SameSite=None; Path=/`;
}"""


@pytest.fixture(scope="module")
def server(backend: Backend) -> Iterator[Served]:
    """Yield a server as it is started, which answers quickly."""
    with apart(backend) as own, served({**own.environment, **SWIFT}) as running:
        yield running


async def begun(server: Served, page: Page, name: str, other: str) -> tuple[Frame, int]:
    """Ask in the chat of the page at this name, and load the page again; returns the chat, and its number of rows."""
    address = server.url.replace("127.0.0.1", name)
    await page.goto(f"{address}/demo")
    widget = Widget(page, BUBBLE)
    frame = await widget.open()
    assert frame.url.startswith(f"{address.replace(name, other)}/embed/demo?")
    seller = Person(frame, server)  # type: ignore[arg-type]
    await seller.say("quero vender um iPhone 12")
    await seller.settled()
    await seller.click_answer()
    await seller.settled()
    rows = await frame.locator("#log > .row").count()
    await page.reload()
    return await widget.open(), rows


@pytest.mark.conformance
@pytest.mark.parametrize(("name", "other"), [("127.0.0.1", "localhost"), ("localhost", "127.0.0.1")])
async def test_a_sale_on_a_phone_survives_a_reload_in_its_middle(
    server: Served, new_page: Any, name: str, other: str
) -> None:
    page: Page = await new_page(**PHONE, locale="pt-PT")
    frame, rows = await begun(server, page, name, other)
    await expect(frame.locator("#log > .row")).to_have_count(rows)
    seller = Person(frame, server)  # type: ignore[arg-type]
    await seller.sell(seller.click_answer)
    await page.reload()
    frame = await Widget(page, BUBBLE).open()
    await frame.locator(SETTLED).wait_for(state="attached")
    await expect(frame.locator(".card.item")).to_contain_text("iPhone 12")


@pytest.mark.parametrize(("name", "other"), [("127.0.0.1", "localhost"), ("localhost", "127.0.0.1")])
@pytest.mark.conformance
async def test_a_page_at_either_name_finds_its_conversation_again_and_goes_on(
    server: Served, new_page: Any, name: str, other: str
) -> None:
    frame, rows = await begun(server, await new_page(**PHONE, locale="pt-PT"), name, other)
    await expect(frame.locator("#log > .row")).to_have_count(rows)
    seller = Person(frame, server)  # type: ignore[arg-type]
    await seller.click_answer()
    await seller.settled()
    await expect(frame.locator("#log > .row")).not_to_have_count(rows)


@pytest.mark.parametrize("blocks", [later(False, id="allowed"), pytest.param(True, id="blocked")])
@pytest.mark.conformance
async def test_a_frame_keeps_partitioned_cookies_alone_where_those_of_other_sites_are_blocked(
    server: Served, new_page: Any, blocks: bool
) -> None:
    page: Page = await new_page(locale="pt-PT")
    if blocks:
        await block_cookies_of_other_sites(page)
    await page.goto(f"{server.url}/demo")
    widget = Widget(page, BUBBLE)
    frame = await widget.open()
    seller = Person(frame, server)  # type: ignore[arg-type]
    await seller.say("quero vender um iPhone 12")
    await seller.settled()
    rows = await frame.locator("#log > .row").count()
    await frame.evaluate(SET_COOKIES)
    shown = await frame.evaluate("document.cookie")
    kept = await cookies_of(page.context, "localhost")
    assert ("plain=1" in shown, "partitioned=1" in shown) == (not blocks, True)
    plain = {each["name"] for each in kept if "partitionKey" not in each}
    assert plain == (set() if blocks else {"plain"})
    assert {each["name"] for each in kept} - plain == {"partitioned", "__Host-loopwire_frame"}

    await page.reload()
    frame = await widget.open()
    await expect(frame.locator("#log > .row")).to_have_count(rows)
    assert ("plain=1" in await frame.evaluate("document.cookie")) is not blocks
    # Without any cookie, the bearer in the memory of the page is enough as long as the page lives.
    await page.context.clear_cookies()
    await Person(frame, server).click_answer()  # type: ignore[arg-type]
    await expect(frame.locator("#log > .row")).not_to_have_count(rows)


async def test_the_chats_of_the_demo_take_the_colours_of_its_page(server: Served, new_page: Any) -> None:
    page: Page = await new_page(locale="pt-PT", color_scheme="light")
    await page.goto(f"{server.url}/demo")
    frame = page.frame_locator("loopwire-chat[mode=inline] iframe")
    await expect(frame.locator("html[data-theme]")).to_have_count(0)
    await page.get_by_role("button", name="Mudar entre claro e escuro").click()
    await expect(frame.locator("html[data-theme=dark]")).to_be_attached()
    await page.get_by_role("button", name="Mudar entre claro e escuro").click()
    await expect(frame.locator("html[data-theme=light]")).to_be_attached()


@pytest.mark.conformance
async def test_a_chat_that_may_be_out_of_sight_preloads_no_font(server: Served, new_page: Any) -> None:
    page: Page = await new_page(**PHONE, locale="pt-PT")
    await page.goto(f"{server.url}/demo")
    await Widget(page, BUBBLE).open()
    preloads = "link[rel=preload][as=font]"
    await expect(page.frame_locator(f"{BUBBLE} iframe").locator(preloads)).to_have_count(1)
    await page.evaluate("document.querySelector('main iframe').scrollIntoView()")
    for each in ("loopwire-chat[mode=inline] iframe", "main > section > iframe"):
        frame = page.frame_locator(each)
        await expect(frame.locator("form[data-ready]").first).to_be_attached()
        await expect(frame.locator(preloads)).to_have_count(0)
