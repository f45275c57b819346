"""Minutes of a battery or of a game are no lowest price, and a price before `min` is one where it is asked."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

EN = ("dyson v8 absolute, {}", "yes", "good", "yes", "{}", "yes", "2020", "nothing")
PT = ("dyson v8 absolute, {}", "sim", "bom", "sim", "{}", "sim", "2020", "nada")


@pytest.mark.parametrize(
    ("language", "priced", "battery", "price"),
    [
        ("en", "want 120 for it", "battery is 20 min", "€120"),
        ("en", "want 120 for it", "it lasts for 20 min", "€120"),
        ("pt", "quero 120 euros", "a bateria dura 20 min", "120 €"),
        ("pt", "quero 120 euros", "sim 20 min", "120 €"),
    ],
)
async def test_the_price_that_was_asked_is_proposed(
    harness: RunnerHarness, language: str, priced: str, battery: str, price: str
) -> None:
    first, *others = EN if language == "en" else PT
    visitor = await talk(harness, language, first.format(priced))
    for text in others:
        await visitor.say(battery if text == "{}" else text)
        if visitor.open_blocks()[0]["name"] == "vacuums.battery_minutes" and "20" in legend(visitor):
            await visitor.say("yes" if language == "en" else "sim")
    while visitor.open_blocks()[0]["name"] != "asking_price":
        await visitor.say("yes" if language == "en" else "sim")
    assert price in legend(visitor).replace("\xa0", " ")


@pytest.mark.parametrize(
    ("language", "said", "sure", "price"),
    [
        ("en", "iphone 12 black 128, asking 250 min", 2, "€250"),
        ("pt", "iphone 12 preto 128, quero 250 min", 3, "250 €"),  # Each of the two options is asked back.
    ],
)
async def test_a_lowest_price_that_is_asked_is_a_price(
    harness: RunnerHarness, language: str, said: str, sure: int, price: str
) -> None:
    yes, good, nothing = ("yes", "good", "nothing") if language == "en" else ("sim", "bom", "nada")
    visitor = await talk(harness, language, said, *[yes] * sure, good, yes, "87", yes, "2022", nothing)
    assert visitor.open_blocks()[0]["name"] == "asking_price"
    assert price in legend(visitor).replace("\xa0", " ")
