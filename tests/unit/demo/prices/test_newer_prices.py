"""A price that is put over one that was told, and one behind a no, also beside the name of another currency."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

TOLD = {
    "en": ("iphone 13 128gb blue, after like 230 ono", "yes", "yes", "good", "free", "90", "yes"),
    "pt": ("iphone 13 128gb azul, quero 230 euros", "sim", "sim", "sim", "bom", "sim", "livre", "90", "sim"),
}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ("march 2021… actually make it 220", "yes", "box", "yes")),
        ("pt", ("março de 2021… afinal faz 220", "sim", "caixa")),
    ],
)
async def test_a_newer_price_beside_another_answer_is_the_one_that_is_asked_back(
    harness: RunnerHarness, language: str, said: tuple[str, ...]
) -> None:
    visitor = await talk(harness, language, *TOLD[language], *said)
    assert visitor.open_blocks()[0]["name"] == "asking_price"
    assert "220" in legend(visitor) and "230" not in legend(visitor)


async def test_a_figure_of_an_answer_is_no_newer_price(harness: RunnerHarness) -> None:
    first, yes, sure, good, free, _, intact = TOLD["en"]
    said = ("90, actually make it 87", "yes", intact, "2021", "box", "yes")
    visitor = await talk(harness, "en", first, yes, sure, good, free, *said)
    assert visitor.state["answers"]["smartphones.battery_health"] == "87%"
    assert "230" in legend(visitor)


@pytest.mark.parametrize(
    ("language", "said", "yes"),
    [
        ("en", ("2021", "box", "yes", "no 220 i said. pounds"), "yes"),
        ("pt", ("2021", "caixa", "não, 220, já disse. Em libras"), "sim"),
    ],
)
async def test_a_no_with_an_amount_proposes_it_and_says_what_prices_are_in(
    harness: RunnerHarness, language: str, said: tuple[str, ...], yes: str
) -> None:
    visitor = await talk(harness, language, *TOLD[language], *said)
    assert "220" in legend(visitor) and "euro" in visitor.replies[-1].text
    assert "asking_price" not in visitor.state["answers"]
    await visitor.say(yes)
    assert "220" in visitor.state["answers"]["asking_price"]
