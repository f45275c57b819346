"""What is sold apart from the item is none of its accessories."""

from __future__ import annotations

import pytest

from server.text_reading.things.things_kept_back import sells_apart, without_separate_sales
from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

CAMERA = {
    "en": ("body", "good", "yes", "100", "yes", "2021"),
    "pt": ("só o corpo", "bom", "sim", "100", "sim", "2021"),
}


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("two batteries, a bag and separately an RF 50mm f/1.8 STM", "two batteries, a bag"),
        ("bag, filter. The 50mm lens is a separate sale", "bag, filter"),
        ("duas baterias e vendo à parte a lente 50mm", "duas baterias"),
        ("The 50mm is a seperate sale", "The 50mm is a seperate sale"),
        ("with a separate charger", "with a separate charger"),
    ],
)
async def test_what_is_sold_apart_is_left_out_of_a_text(said: str, left: str) -> None:
    assert without_separate_sales(said) == left
    assert sells_apart("with a separate charger") is False


@pytest.mark.parametrize(
    ("language", "first", "later"),
    [
        ("en", "canon eos r6, two batteries, separately an RF 50mm f/1.8 STM", "The 50mm is a seperate sale"),
        ("pt", "canon eos r6, duas baterias, e vendo à parte a lente 50mm", "a 50mm é venda à parte"),
    ],
)
async def test_what_is_sold_apart_is_not_proposed_in_the_accessories(
    harness: RunnerHarness, language: str, first: str, later: str
) -> None:
    yes = "yes" if language == "en" else "sim"
    visitor = await talk(harness, language, first, yes, *CAMERA[language][:-1], later, CAMERA[language][-1])
    shown = str(visitor.open_blocks())
    assert visitor.open_blocks()[0]["name"] == "cameras.accessories" and "50mm" not in shown
    await visitor.say("skip" if language == "en" else "saltar")
    assert "50mm" not in str(visitor.open_blocks())
