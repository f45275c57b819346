"""Honest answers that a seller of the demo model could not get past, or that were read as another answer."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import HarnessVisitor, Reply, RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

PHONE = ("iphone 12, preto, 128 gb", "sim", "sim")


async def talk(harness: RunnerHarness, *said: str, language: str = "pt") -> tuple[HarnessVisitor, Reply]:
    """Return a visitor who wrote these messages, and the reply to the last."""
    visitor = await harness.visitor(language)
    for text in said:
        await visitor.say(text)
    return visitor, visitor.replies[-1]


def legend(visitor: HarnessVisitor) -> str:
    """Return what is asked now."""
    (block,) = visitor.open_blocks()
    return str(block["legend"])


@pytest.mark.parametrize("said", ["sim", "sim, claro"])
async def test_a_plain_yes_to_the_condition_names_none(harness: RunnerHarness, said: str) -> None:
    visitor, reply = await talk(harness, *PHONE, said)
    assert legend(visitor) == "Em que estado está o telemóvel?" and "Excelente" in reply.text
    await visitor.say("sim")
    assert visitor.state["answers"] == {}


async def test_a_price_that_is_denied_is_no_word_of_the_search(harness: RunnerHarness) -> None:
    _, reply = await talk(harness, "ipad air 4 64 azul wifi, caneta incluida, 1.200,50 não, 220,50€")
    assert reply.text == "**iPad Air (2020)**, da Apple. É este?"


DONE = (*PHONE, "bom", "sim", "90", "sim", "03/2022", "caixa e cabo", "250 euros")


async def test_a_colour_is_not_read_as_the_price(harness: RunnerHarness) -> None:
    visitor, reply = await talk(harness, *DONE, "afinal é preto")
    assert "250" not in reply.text and visitor.open_blocks() == []
    await visitor.say("afinal é azul")
    assert visitor.state["options"]["Cor"] == "Azul"


BIKE = ("vendo uma elops 520, acho que é tamanho M", "sim")


async def test_another_size_corrects_the_one_that_was_asked_back(harness: RunnerHarness) -> None:
    visitor, _ = await talk(harness, *BIKE, "não espera, é L", "alto")
    assert visitor.state["options"] == {"Quadro": "Quadro alto", "Tamanho": "L"}


async def test_a_size_after_a_no_is_the_one_that_was_denied(harness: RunnerHarness) -> None:
    visitor, _ = await talk(harness, *BIKE, "não", "L", "alto")
    assert visitor.state["options"] == {"Quadro": "Quadro alto", "Tamanho": "L"}


async def test_a_value_of_another_option_is_taken_beside_the_one_that_waits(harness: RunnerHarness) -> None:
    visitor, _ = await talk(harness, *BIKE, "é alto")
    assert visitor.state["options"] == {"Quadro": "Quadro alto"} and legend(visitor) == "Percebi: M. Certo?"


@pytest.mark.parametrize(
    ("said", "asked"),
    [("2", "Cor"), ("o terceiro", "Em que estado está o telemóvel?"), ("9", "Preço pedido")],
)
async def test_a_number_names_what_changes_in_the_list(harness: RunnerHarness, said: str, asked: str) -> None:
    visitor, _ = await talk(harness, *DONE, "corrigir")
    before = visitor.state["answers"]
    await visitor.say(said)
    assert legend(visitor) == asked and visitor.state["answers"] == before


async def test_a_figure_that_was_a_joke_takes_back_no_product(harness: RunnerHarness) -> None:
    said = "Google pixel 7 obsidian 128 bought may 2023 screen has a crack, asking 1k just kidding 150"
    _, reply = await talk(harness, said, language="en")
    assert reply.text == "**Pixel 7** by Google. Is it this one?"
    _, reply = await talk(harness, "iphone 12 just kidding galaxy s21", language="en")
    assert "**Galaxy S21**" in reply.text


PRICED = (*DONE[:-1], "quanto vale?")


async def test_another_answer_can_be_put_right_where_the_price_is_asked(harness: RunnerHarness) -> None:
    visitor, _ = await talk(harness, *PRICED, "afinal o carregador também vai")
    assert legend(visitor).startswith("Percebi: caixa e cabo; o carregador também vai.")
    await visitor.say("sim")
    assert visitor.state["answers"]["smartphones.notes"] == "caixa e cabo; o carregador também vai"
    assert legend(visitor) == "Preço pedido"


async def test_a_corrected_price_in_words_answers_where_the_price_is_asked(harness: RunnerHarness) -> None:
    visitor, _ = await talk(harness, *PRICED, "afinal duzentos e trinta")
    asked = [block["legend"] for block in visitor.open_blocks()]
    assert visitor.state["answers"].get("asking_price") == "230\xa0€" or "230" in "".join(asked)
