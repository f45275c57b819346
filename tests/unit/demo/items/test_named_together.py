"""Items that are named together: what is sold here goes on or waits, and what is not is named in one sentence."""

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

_TOLD = {"pt": "«{}» não está no catálogo", "en": "“{}” is not in the catalog"}


def _later(visitor: HarnessVisitor) -> list[str]:
    return list(visitor.state["_private"].get("later", {}))


@pytest.mark.parametrize(
    ("language", "said", "missing", "asked", "later"),
    [
        ("pt", "vendo um compressor e uma bicicleta", "compressor", "Elops 520", ""),
        ("pt", "vendo uma bicicleta e um compressor", "compressor", "Elops 520", ""),
        ("en", "i have a calculator and an iphone 11 to sell", "calculator", "iPhone 11", ""),
        (
            "en",
            "i want to sell my calculator, a drill and an iphone 11",
            "calculator, drill",
            "iPhone 11",
            "",
        ),
        ("pt", "vendo um berbequim, uma bicicleta e um iphone 11", "berbequim", "iPhone 11", "bicicleta"),
        (
            "pt",
            "vendo uma calculadora e uma bicicleta e um telemóvel",
            "calculadora",
            "Elops 520",
            "telemóvel",
        ),
        ("en", "iphone 11 with the charger and a toaster", "toaster", "iPhone 11", ""),
        ("en", "selling a bike with its box and a calculator", "calculator", "Elops 520", ""),
    ],
)
async def test_each_thing_gets_a_word(
    harness: RunnerHarness, language: str, said: str, missing: str, asked: str, later: str
) -> None:
    visitor = await talk(harness, language, said)
    text = visitor.replies[-1].text
    assert text.count(_TOLD[language].format(missing)) == 1
    assert all(text.count(each) == 1 for each in missing.split(", "))
    assert asked in visitor.open_blocks()[-1]["choices"][0]["label"]
    assert later in text and later in "".join(_later(visitor))


async def test_of_several_that_are_not_sold_here_each_is_named(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "selling a calculator and a drill")
    assert "“calculator, drill”" in visitor.replies[-1].text


@pytest.mark.parametrize(
    ("language", "said", "chosen", "later"),
    [
        ("pt", "vendo um compressor e uma bicicleta", "Marlin 5", []),
        ("pt", "vendo um berbequim, uma bicicleta e um iphone 11", "sim", ["bicicleta"]),
        ("en", "selling an iphone 11 pro and an iphone 11", "yes", ["iphone 11"]),
    ],
)
async def test_the_item_that_is_begun_is_not_offered_for_later(
    harness: RunnerHarness, language: str, said: str, chosen: str, later: list[str]
) -> None:
    visitor = await talk(harness, language, said, chosen)
    assert visitor.state["product"] and _later(visitor) == later
