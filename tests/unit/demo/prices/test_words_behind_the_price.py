"""Words behind the yes to the price: they are asked to be added to the last text, or to be another answer."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOTES = "vacuums.notes"
PT = "vendo aspirador dyson v11|sim|bom|sim|25|sim|fevereiro de 2022|tenho a fatura|uns 250 euros".split("|")
EN = "dyson v11 absolute|yes|good|works fine|yes|25|yes|2021|box|around 190 euros".split("|")
MACHINE = (
    "máquina de café dolce gusto piccolo xs branca|sim|sim|excelente|sim, tudo funciona|sim|0|sim|dezembro de 2025|"
    "só a máquina|40 euros mais ou menos"
).split("|")


async def priced(harness: RunnerHarness, language: str, said: str) -> HarnessVisitor:
    visitor = await talk(harness, language, *(PT if language == "pt" else EN), said)
    assert visitor.state["answers"]["asking_price"]
    return visitor


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("pt", "Sim. Tem umas riscas no tabuleiro e é em Setúbal", "tenho a fatura; tem umas riscas"),
        ("pt", "Sim. E nas notas fica só: tenho a fatura. Leiria", "tenho a fatura. Leiria"),
        ("pt", "sim. notas: fatura e caixa", "fatura e caixa"),
        ("en", "yes. it's in york", "box; it's in york"),
        ("en", "yes. And the notes should say: box and invoice", "box and invoice"),
        ("en", "yes, it has no invoice", "box; it has no invoice"),
        ("en", "yes but not negotiable", "box; price not negotiable"),
    ],
)
async def test_the_price_is_taken_and_the_words_are_asked_back(
    harness: RunnerHarness, language: str, said: str, text: str
) -> None:
    visitor = await priced(harness, language, said)
    assert [each["name"] for each in visitor.open_blocks()] == [NOTES] and text in legend(visitor)
    assert "ainda não mudou" not in visitor.replies[-1].text and "«nas" not in visitor.replies[-1].text
    await visitor.say("sim" if language == "pt" else "yes")
    assert text in visitor.state["answers"][NOTES] and visitor.state["status"] == "complete"


async def test_doubted_years_are_asked_back_before_the_words_to_put(harness: RunnerHarness) -> None:
    said = "Yes, 190. And please put that I bought it in 2019 or 2020, I'm not sure"
    visitor = await priced(harness, "en", said)
    assert [each["name"] for each in visitor.open_blocks()] == ["vacuums.purchase_date"]
    assert ": 2019 (or 2020). " in legend(visitor)
    await visitor.say("yes")
    assert visitor.state["answers"]["vacuums.purchase_date"] == "2019 (or 2020)"
    assert [each["name"] for each in visitor.open_blocks()] == [NOTES]
    assert "box; I bought it in 2019 or 2020" in legend(visitor)
    await visitor.say("yes")
    assert "box; I bought it in 2019 or 2020" in visitor.state["answers"][NOTES]
    assert visitor.state["status"] == "complete"


@pytest.mark.parametrize("said", ["yes, thanks, bye", "yes, that's the lowest"])
async def test_courtesy_is_no_note(harness: RunnerHarness, said: str) -> None:
    visitor = await priced(harness, "en", said)
    assert visitor.state["answers"][NOTES] == "box"
    assert not [each for each in visitor.open_blocks() if each["kind"] in ("choices", "form")]


@pytest.mark.parametrize(
    ("language", "said", "unused"),
    [
        ("pt", "sim 250, mas se for preciso aceito 230", "se for preciso aceito 230"),
        ("en", "yes but no lower than 180", "no lower than 180"),
        ("en", "yes and 180 is the lowest", "180 is the lowest"),
    ],
)
async def test_what_a_seller_would_take_is_no_price_and_no_note(
    harness: RunnerHarness, language: str, said: str, unused: str
) -> None:
    visitor = await priced(harness, language, said)
    assert visitor.state["answers"]["asking_price"].strip("€\xa0") in ("250", "190")
    assert unused in visitor.replies[-1].text and not visitor.open_blocks()


@pytest.mark.parametrize(
    ("language", "said", "terms"),
    [
        ("pt", "sim 250 mas podem negociar", "podem negociar"),
        ("pt", "sim, mas aceito propostas", "aceito propostas"),
        ("en", "yes, open to offers", "open to offers"),
    ],
)
async def test_that_the_price_can_be_talked_about_is_asked_to_be_noted(
    harness: RunnerHarness, language: str, said: str, terms: str
) -> None:
    visitor = await priced(harness, language, said)
    assert "asking_price" in visitor.state["answers"]
    assert [each["name"] for each in visitor.open_blocks()] == [NOTES] and terms in legend(visitor)


async def test_a_no_names_the_price_beside_what_was_only_an_idea(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *PT, "não, põe 260 no anúncio, 230 era só para negociar")
    assert "260" in legend(visitor) and "asking_price" not in visitor.state["answers"]


@pytest.mark.parametrize("said", ["yes or less", "yes, maybe a bit more", "yes, no"])
async def test_a_yes_that_may_change_the_price_is_asked_once_more(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", *EN, said)
    assert "asking_price" not in visitor.state["answers"] and "€190" in legend(visitor)


async def test_words_that_name_another_answer_change_that(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *MACHINE, "Sim. E não foi descalcificada")
    assert "40" in visitor.state["answers"]["asking_price"]
    assert [each["name"] for each in visitor.open_blocks()] == ["coffee-machines.descaled"]
    await visitor.say("sim")
    assert visitor.state["answers"]["coffee-machines.descaled"] == "Não"
    assert visitor.state["answers"]["coffee-machines.notes"] == "só a máquina"


async def test_a_no_before_another_text_asks_that_text_back(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *PT, "Não. Nas notas: tenho a fatura e a caixa")
    assert [each["name"] for each in visitor.open_blocks()] == [NOTES]
    assert "tenho a fatura e a caixa" in legend(visitor)


@pytest.mark.parametrize(
    ("language", "said", "price"),
    [
        ("pt", "peço 120 euros... não, cento e dez", "110"),
        ("en", "price is 190, no wait 180", "€180"),
        ("en", "190 euros, actually make it 180", "€180"),
    ],
)
async def test_the_last_of_two_prices_is_asked_back_and_nothing_else_said(
    harness: RunnerHarness, language: str, said: str, price: str
) -> None:
    visitor = await talk(harness, language, *(PT if language == "pt" else EN)[:-1], said)
    assert price in legend(visitor) and len(visitor.replies[-1].text) < len(
        "Just to be sure, please confirm."
    )


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "sim, 250"),
        ("pt", "sim, duzentos e cinquenta"),
        ("en", "yes 190"),
        ("en", "Yes, one hundred and ninety"),
    ],
)
async def test_the_amount_once_more_behind_a_yes_is_no_note(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await priced(harness, language, said)
    assert visitor.state["answers"][NOTES] == ("tenho a fatura" if language == "pt" else "box")
    assert not [each for each in visitor.open_blocks() if each["kind"] in ("choices", "form")]


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("pt", "sim, 250 e tem uns riscos no tubo", "tenho a fatura; tem uns riscos"),
        ("en", "yes, 190, it has no invoice", "box; it has no invoice"),
    ],
)
async def test_words_behind_the_amount_once_more_are_asked_back_without_it(
    harness: RunnerHarness, language: str, said: str, text: str
) -> None:
    visitor = await priced(harness, language, said)
    assert text in legend(visitor)
