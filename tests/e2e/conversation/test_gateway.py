"""A page behind a gateway that knows no WebSocket: it talks, streams, reloads and resumes all the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.e2e.conversation.person import Person
from tests.e2e.conversation.test_lost_connection import only_cuts
from tests.e2e.conversation.test_reload import OPEN, asks, flows
from tests.parts.gateway import Gateway, Upgrades, gateway
from tests.parts.model import sentences
from tests.parts.sampled import later

pytestmark = pytest.mark.page

LONG = sentences(20)


@pytest_asyncio.fixture(loop_scope="session")
async def between(remote) -> AsyncIterator[Gateway]:
    """Yield a gateway before the server with the scripted model."""
    host, _, port = remote.url.removeprefix("http://").partition(":")
    async with gateway((host, int(port))) as running:
        yield running


def behind(remote, between: Gateway):
    """Return the server as people behind the gateway see it."""
    return replace(remote, url=between.url)


async def carried_by(page: Page, transport: str) -> None:
    await expect(page.locator(f"body[data-state=open][data-transport={transport}]")).to_be_attached()


@pytest.mark.parametrize("upgrades", [later(Upgrades.STRIPPED), Upgrades.SWALLOWED, later(Upgrades.CUT)])
async def test_a_conversation_goes_on_over_http_alone(remote, between, model, person, troubles, upgrades):
    between.upgrades = upgrades
    seller: Person = await person(behind(remote, between))
    tap = await asks(seller, model, LONG)
    await carried_by(seller.page, "sse")
    await flows(seller, tap, 7, "d2.")
    before = await seller.page.locator(OPEN).text_content()
    await seller.reload()
    await carried_by(seller.page, "sse")
    await expect(seller.page.locator(OPEN)).to_have_text(before or "")
    between.cut()
    await flows(seller, tap, 7, "d3.")
    await carried_by(seller.page, "sse")
    model.will_say("Isto também.")
    await seller.say("e também isto")
    tap.open()
    await expect(seller.rows.last).to_contain_text("Isto também.")
    await seller.settled()
    assert between.asked >= 2
    only_cuts(troubles)
    await seller.shows_what_is_stored()


async def test_an_answer_is_stopped_over_http(remote, between, model, person, troubles):
    seller: Person = await person(behind(remote, between))
    await asks(seller, model, LONG)
    await carried_by(seller.page, "sse")
    await seller.page.locator("#stop").click()
    await seller.settled()
    only_cuts(troubles)
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_the_page_returns_to_a_socket_without_loss_once_sockets_pass(
    remote, between, model, person, troubles
):
    seller: Person = await person(behind(remote, between))
    tap = await asks(seller, model, LONG)
    await carried_by(seller.page, "sse")
    between.upgrades = Upgrades.PASS
    await carried_by(seller.page, "websocket")
    await flows(seller, tap, 7, "d2.")
    tap.open()
    await seller.settled()
    assert await seller.said() == ["conte tudo", "\n".join(LONG.split("\n\n"))]
    only_cuts(troubles)
    await seller.shows_what_is_stored()
    between.upgrades = Upgrades.STRIPPED
    between.cut()
    await carried_by(seller.page, "sse")
    model.will_say("Isto também.")
    await seller.say("e também isto")
    await expect(seller.rows.last).to_contain_text("Isto também.")
    await seller.settled()
    only_cuts(troubles)
    await seller.shows_what_is_stored()
