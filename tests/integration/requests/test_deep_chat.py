"""The real element of Deep Chat in a browser, on a marketplace's own page: a whole sale, a photo, and what it shows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest
from playwright.async_api import expect

from tests.parts.chromium import NewPage, Troubles
from tests.parts.element import ElementPage
from tests.parts.images import png
from tests.parts.sampled import later
from tests.parts.server import Served, Servers, served

pytestmark = [pytest.mark.once, pytest.mark.asyncio(loop_scope="session")]

Open = Callable[[str], Awaitable[ElementPage]]
MOST_TURNS = 20


@pytest.fixture(scope="module")
def shop(shop_origin: str) -> Iterator[Served]:
    """Yield a server that the marketplace's page may use."""
    with served({"LOOPWIRE_DEMO_DELAY_MS": "2", "LOOPWIRE_ALLOWED_ORIGINS": shop_origin}) as running:
        yield running


@pytest.fixture
async def open_element(shop: Served, shop_origin: str, new_page: NewPage) -> AsyncIterator[Open]:
    """Open the element, which talks in one of its ways."""

    async def opened(way: str) -> ElementPage:
        element = ElementPage(await new_page(viewport={"width": 420, "height": 640}), shop.url, way)
        await element.open(shop_origin)
        return element

    yield opened


async def next_choice(element: ElementPage, way: str) -> str | None:
    """Return the first thing that may be answered; a stream of words can hold no buttons, and lists them."""
    if way != "sse":
        return await element.buttons().first.inner_text() if await element.buttons().count() else None
    lines = (await element.messages())[-1]["text"].splitlines()
    return next((each.removeprefix("- ") for each in lines if each.startswith("- ")), None)


@pytest.mark.parametrize("way", [later("http"), later("sse"), "socket"])
async def test_a_sale_is_completed_from_a_photo_to_the_last_question(open_element: Open, way: str) -> None:
    element = await open_element(way)
    await element.attach(png())
    said = ["quero vender um iPhone 12"]
    await element.say(said[0])
    await element.answered(1)
    while "LW-" not in str((await element.messages())[-1]):
        choice = await next_choice(element, way)
        assert choice is not None and len(said) < MOST_TURNS
        said.append(choice)
        await (element.say(choice) if way == "sse" else element.buttons().first.click())
        await element.answered(len(said))
    told = await element.messages()
    assert [each.get("text") for each in told if each["role"] == "user"] == said
    assert "iPhone 12" in str(told[-1])
    assert (await element.buttons().count(), await element.error().count()) == (0, 0)
    # A card is HTML with an empty text, for which no bubble is drawn.
    assert await element.page.locator(".empty-message").count() == 0
    # The photo is a form, whatever way the words go; the rest of a socket's messages are its frames.
    assert element.posted[0] == "multipart/form-data"
    assert set(element.posted[1:]) == (set() if way == "socket" else {"application/json"})
    assert element.frames == (len(said) - 1 if way == "socket" else 0)


@pytest.mark.parametrize("way", ["http", later("sse"), "socket"])
async def test_a_refusal_is_a_sentence_that_people_read(
    open_element: Open, troubles: Troubles, way: str
) -> None:
    element = await open_element(way)
    await element.say("a" * 8_001)
    await expect(element.error()).to_have_text("Esta mensagem é demasiado longa.")
    await element.say("quero vender um iPhone 12")
    await expect(element.page.get_by_text("Sim, iPhone 12")).to_be_visible()
    assert troubles
    troubles.clear()  # The element logs what it shows as an error.


@pytest.mark.conformance
async def test_a_socket_whose_server_leaves_comes_back_to_the_same_conversation(
    shop_origin: str, new_page: NewPage, troubles: Troubles, serve: Servers
) -> None:
    own = {"LOOPWIRE_DEMO_DELAY_MS": "2", "LOOPWIRE_ALLOWED_ORIGINS": shop_origin}
    first = serve(own)
    element = ElementPage(await new_page(), first.url, "socket")
    await element.open(shop_origin)
    await element.say("quero vender um iPhone 12")
    await element.answered(1)
    await asyncio.to_thread(first.stop)
    await expect(element.error()).to_have_text("Connection error")
    serve(own, data_dir=first.data_dir, port=int(first.url.rpartition(":")[2]))
    await element.page.wait_for_function("() => window.opened > 1")
    await expect(element.error()).to_have_count(0)
    await element.say("Sim, iPhone 12")
    await element.answered(2)
    assert "64 GB" in await element.buttons().all_inner_texts()
    await element.page.close()
    troubles.clear()
