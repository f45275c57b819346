"""Honest answers that were refused: products by what they are not, colours that no list has, and prices later on."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness
from tests.unit.demo.test_dead_ends import DONE, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

TWO = "tenho um samsung s21 j vender, cinza 256gb"
"""Shows the Galaxy S21 and the Galaxy S21 Ultra."""


@pytest.mark.parametrize(
    "said", ["o normal", "o normal, sem ser ultra", "não é o ultra", "o que não é ultra", "not the ultra"]
)
async def test_a_product_is_named_by_what_it_is_not(harness: RunnerHarness, said: str) -> None:
    visitor, reply = await talk(harness, TWO, said)
    assert "Galaxy S21" in reply.text and "Ultra" not in reply.text
    await visitor.say("sim")
    assert visitor.state["product"] == "Galaxy S21"


@pytest.mark.parametrize(
    ("shown", "said", "product"),
    [
        ("iphone 12", "o normal", "iPhone 12"),
        ("ipad air 64 azul wifi", "o de 2020", "iPad Air (2020)"),
        ("ipad air 64 azul wifi", "é o modelo de 2022", "iPad Air (2022)"),
    ],
)
async def test_a_product_is_named_by_its_year_or_as_the_plain_one(
    harness: RunnerHarness, shown: str, said: str, product: str
) -> None:
    visitor, _ = await talk(harness, shown, said)
    assert visitor.state["product"] == product


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        ("ipad air 64 azul wifi", "comprei em 2020"),
        ("ipad air 64 azul wifi", "o de 2019"),
        (TWO, "nem o ultra nem o normal"),
        (TWO, "não é o ultra, é o plus"),
        ("vendo huawei p30", "é o normal"),
        ("vendo huawei p30", "o normal"),
        ("galaxy watch 4", "o normal"),
    ],
)
async def test_what_names_none_of_the_products_confirms_none(
    harness: RunnerHarness, shown: str, said: str
) -> None:
    visitor, _ = await talk(harness, shown, said)
    assert "product" not in visitor.state


@pytest.mark.parametrize(
    ("language", "said", "none", "other"),
    [
        ("pt", ("airfryer xxl", "sim", "é cinzenta"), "«Nenhum destes»", "outro artigo"),
        ("en", ("airfryer xxl", "yes", "it's grey"), "“None of these”", "another item"),
    ],
)
async def test_a_colour_that_is_not_listed_has_a_way_out(
    harness: RunnerHarness, language: str, said: tuple[str, ...], none: str, other: str
) -> None:
    visitor, reply = await talk(harness, *said, language=language)
    assert none in reply.text
    await visitor.say(other)
    (block,) = (await visitor.say("iphone 12")).blocks[-1:]
    assert "iPhone 12" in str(block)


@pytest.mark.parametrize(
    "said", ["baixa para 290", "290 paus", "faço por 290 eur pronto", "pode baixar para os 290€"]
)
async def test_another_price_is_understood_when_all_is_done(harness: RunnerHarness, said: str) -> None:
    visitor, _ = await talk(harness, *DONE, said)
    if visitor.open_blocks():
        assert "290" in legend(visitor)
        await visitor.say("sim")
    assert visitor.state["answers"]["asking_price"].startswith("290")


async def test_a_step_of_the_price_is_no_price(harness: RunnerHarness) -> None:
    visitor, _ = await talk(harness, *DONE, "baixa 20 euros")
    assert visitor.state["answers"]["asking_price"].startswith("250")
    visitor, _ = await talk(harness, *DONE, "lower it by 20")
    assert visitor.state["answers"]["asking_price"].startswith("250")


@pytest.mark.parametrize("priced", [True, False])
@pytest.mark.parametrize("said", ["£450 or best offer", "450 dollars"])
async def test_an_amount_of_another_currency_is_told_to_be_in_euro(
    harness: RunnerHarness, said: str, priced: bool
) -> None:
    visitor, reply = await talk(harness, *(DONE if priced else DONE[:-1]), said)
    assert "euro" in reply.text and legend(visitor) in ("Preço pedido", "Asking price")
    await visitor.say("no")
    assert visitor.state["answers"]["asking_price"] in (
        ["250\xa0€", "€250"] if priced else ["Sem preço", "No price"]
    )


async def test_confirm_is_a_yes_to_what_was_understood(harness: RunnerHarness) -> None:
    said = "quero vender um iphone 12, acho que é preto e talvez 128 gb"
    visitor, _ = await talk(harness, said, "sim", "confirma", "confirmo")
    assert visitor.state["options"] == {"Armazenamento": "128 GB", "Cor": "Preto"}


async def test_an_english_name_of_a_colour_keeps_the_language(harness: RunnerHarness) -> None:
    visitor, reply = await talk(harness, "macbook pro 14 m1 pro 16gb 512", "sim", "sim", "space gray", "sim")
    assert "O artigo está criado" in reply.text and "Cinzento sideral" in visitor.state["options"].values()


async def test_a_colour_is_named_without_the_word_in_its_brackets(harness: RunnerHarness) -> None:
    said = ("iphone 13, azul, 128 gb", *DONE[1:-1], "a cor é preta")
    visitor, _ = await talk(harness, *said)
    assert visitor.state["options"]["Cor"] == "Preto (meia-noite)"


async def test_a_fan_that_is_loud_stays_beside_the_answer(harness: RunnerHarness) -> None:
    said = ("ps5 disc", "yes", "yes", "good", "it works but the fan is a bit loud sometimes")
    visitor, reply = await talk(harness, *said, language="en")
    assert "(the fan is a bit loud sometimes)" in legend(visitor)
    reply = await visitor.say("is it ok if i ship next week?")
    assert "shop tells you" in reply.text and "makes a difference" not in reply.text


async def test_words_for_a_later_question_are_not_called_unread(harness: RunnerHarness) -> None:
    visitor, _ = await talk(harness, "iphone 12, preto, 128 gb", "sim", "sim", "blabla xpto")
    before = visitor.open_blocks()[0]["error"]
    reply = await visitor.say("caixa e cabo")
    assert visitor.open_blocks()[0]["error"] not in ("", before)
    assert "volta a aparecer" in reply.text
    assert "sem perceber" not in reply.text + str(visitor.open_blocks()) and "Ainda não dá" not in reply.text
