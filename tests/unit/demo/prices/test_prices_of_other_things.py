"""A price that is said of another thing is not the price of the item, and does not take its place."""

from __future__ import annotations

import pytest

from server.text_reading.things.priced_things import priced_thing, without_priced_things
from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

WATCH = ("fitbit versa 3 black, 90 euros", "yes", "yes")


@pytest.mark.parametrize(
    ("said", "thing"),
    [
        ("I also have the matching bedside table for £20.", "matching bedside table"),
        ("The footstool is £20 on its own.", "footstool"),
        ("tenho também a mesa de cabeceira por 20€", "mesa de cabeceira"),
        ("também tenho uma torradeira por 15 euros", "torradeira"),
        ("o banco são 20€ à parte", "banco"),
        ("and the price would be £90", ""),
        ("I have it for €20", ""),
        ("the price is 20€ on its own", ""),
        ("the iphone is 250€", ""),
        ("tenho a caixa, quero 200€", ""),
        ("I also have the box. 200 euros", ""),
    ],
)
async def test_a_thing_has_a_price_of_its_own(said: str, thing: str) -> None:
    assert priced_thing(said) == thing
    assert (without_priced_things(said) == said) == (not thing)


async def test_the_price_of_the_item_stands(harness: RunnerHarness) -> None:
    said = (
        *WATCH,
        "The footstool is €20 on its own.",
        "good",
        "yes",
        "yes",
        "no marks",
        "yes",
        "2022",
        "nothing",
    )
    visitor = await talk(harness, "en", *said)
    assert "€90" in legend(visitor)
