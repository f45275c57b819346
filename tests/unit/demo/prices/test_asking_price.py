"""The asking price in a conversation: given at any time, confirmed where it was given early, never asked unprompted."""

from __future__ import annotations

from typing import Any

import pytest

from server.loopos.core import AskingPrice
from tests.unit.demo.harness import HarnessVisitor, RunnerHarness

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]


async def finish(visitor: HarnessVisitor) -> None:
    """Answer what is open until the item is complete, or its price is asked."""
    told = {
        "smartphones.condition": "B",
        "smartphones.battery_health": "87",
        "smartphones.purchase_date": "03/2022",
        "smartphones.account_lock": "free",
    }
    while visitor.open_blocks() and visitor.open_blocks()[0]["name"] != "asking_price":
        (block,) = visitor.open_blocks()
        await visitor.click(block["name"], told.get(block["name"], "Sim"))


async def begin(harness: RunnerHarness, first: str) -> HarnessVisitor:
    """A seller whose item exists."""
    visitor = await harness.visitor("pt")
    for text in (first, "sim", "128 gb", "preto", "Sim, criar o artigo"):
        if "reference" not in visitor.state:
            await visitor.say(text)
    assert visitor.state["reference"].startswith("LW-")
    return visitor


async def price(visitor: HarnessVisitor) -> Any:
    """Return what the seller asks for the item."""
    (item,) = await visitor.items()
    return item.asking_price


def card(visitor: HarnessVisitor) -> dict[str, Any]:
    """Return the card of the finished item."""
    blocks: list[dict[str, Any]] = [
        each["content"] for each in visitor.transcript.messages if each.get("activityType") == "block"
    ]
    (block,) = [each for each in blocks if each["kind"] == "card" and each["status"] == "open"]
    return block


async def test_a_price_that_was_said_early_is_only_confirmed(harness: RunnerHarness) -> None:
    visitor = await begin(harness, "vendo iphone 12 por 280€")
    await finish(visitor)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "asking_price" and "280 €" in asked["legend"].replace("\xa0", " ")
    assert await price(visitor) == AskingPrice()
    await visitor.say("sim")
    assert await price(visitor) == AskingPrice(28_000)
    assert card(visitor)["price"].replace("\xa0", " ") == "280 €"
    await visitor.say("afinal 250")
    assert await price(visitor) == AskingPrice(25_000)
    assert card(visitor)["price"].replace("\xa0", " ") == "250 €"
    # The list of conversations reads it there.
    assert visitor.state["price"] == card(visitor)["price"]
    sold = visitor.state["reference"]
    for text in ("quero vender outro artigo", "tenho uma Bimby TM5", "sim"):
        await visitor.say(text)
    assert visitor.state.get("reference") != sold and "price" not in visitor.state


async def test_the_finished_card_asks_for_the_price_when_its_button_is_pressed(
    harness: RunnerHarness,
) -> None:
    visitor = await begin(harness, "vendo iphone 12")
    await finish(visitor)
    assert [each["label"] for each in card(visitor)["actions"]][1:] == ["Dizer o preço"]
    await visitor.click("change", "asking_price", "Dizer o preço")
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "asking_price" and "vendem-se por" in asked["hint"]
    for doubtful in ("uns 150", "não", "0", "$100", "sei lá, 90?"):
        await visitor.say(doubtful)
        assert await price(visitor) == AskingPrice(), doubtful
    await visitor.say("não, 150")
    assert await price(visitor) == AskingPrice(15_000)
    assert len(card(visitor)["actions"]) == 1


async def test_a_price_said_beside_a_question_is_kept_and_the_question_stays(harness: RunnerHarness) -> None:
    visitor = await begin(harness, "vendo iphone 12")
    (before,) = visitor.open_blocks()
    await visitor.say("peço 280 euros")
    assert await price(visitor) == AskingPrice(28_000)
    (after,) = visitor.open_blocks()
    assert after["name"] == before["name"]
    await finish(visitor)
    assert card(visitor)["price"]


async def test_a_seller_may_leave_the_item_without_a_price(harness: RunnerHarness) -> None:
    visitor = await begin(harness, "vendo iphone 12")
    await finish(visitor)
    await visitor.say("quanto vale?")
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "asking_price"
    await visitor.click("asking_price", "Sem preço")
    assert await price(visitor) == AskingPrice()
    assert "price" not in card(visitor)
    assert "price" not in visitor.state


async def test_a_price_in_the_last_text_is_asked_back_and_leaves_the_text(harness: RunnerHarness) -> None:
    visitor = await begin(harness, "vendo iphone 12")
    while visitor.open_blocks()[0]["name"] != "smartphones.notes":
        (block,) = visitor.open_blocks()
        told = {"condition": "B", "battery_health": "87", "purchase_date": "03/2022", "account_lock": "free"}
        await visitor.click(block["name"], told.get(block["name"].partition(".")[2], "Sim"))
    await visitor.say("caixa e cabo. Queria 120 euros")
    assert visitor.state["answers"]["smartphones.notes"] == "caixa e cabo"
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "asking_price" and "120 €" in asked["legend"].replace("\xa0", " ")
    await visitor.say("sim")
    assert await price(visitor) == AskingPrice(12_000)
