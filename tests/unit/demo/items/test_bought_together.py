"""A second item that was bought with the first one: the date of that is asked back."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

FIRST = {
    "en": ("selling a klippan sofa", "yes", "good", "yes", "yes", "yes", "05/2021", "3", "no"),
    "pt": ("vendo um sofa klippan", "sim", "bom", "sim", "sim", "sim", "05/2021", "3", "não"),
}
SECOND = {
    "en": ("i also want to sell a poang armchair", "yes"),
    "pt": ("quero vender outro, um cadeirão poang", "sim"),
}


@pytest.mark.parametrize(
    ("language", "said", "shown"),
    [
        ("en", "The same time as the other one", "May 2021"),
        ("en", "same age as the sofa", "May 2021"),
        ("pt", "na mesma altura do sofá", "maio de 2021"),
        ("en", "June 2022, not the same time as the sofa", "June 2022"),
        ("en", "same shop as always", ""),
    ],
)
async def test_the_date_of_an_earlier_item_is_asked_back(
    harness: RunnerHarness, language: str, said: str, shown: str
) -> None:
    visitor = await talk(harness, language, *FIRST[language], *SECOND[language])
    for _ in range(8):
        block = visitor.open_blocks()[0]
        if block["name"] == "furniture.purchase_date":
            break
        await visitor.click(block["name"], str(block["choices"][0]["value"]))
    await visitor.say(said)
    assert visitor.open_blocks()[0]["name"] == "furniture.purchase_date"
    assert shown in legend(visitor)
    assert shown or "2021" not in legend(visitor)


async def test_without_an_earlier_item_the_date_is_asked(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *FIRST["en"][:6], "The same time as the other one")
    assert "understood" not in legend(visitor)
