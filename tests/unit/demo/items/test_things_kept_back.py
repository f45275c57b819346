"""A thing that is a present, is kept or goes along is no second thing, and what is taken back is not offered."""

from __future__ import annotations

from typing import Any

import pytest

from server.text_reading.things.things_kept_back import is_no_item, is_taken_back, without_taken_back
from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

WATCH = "fitbit versa 3 black"
SOLD = (*("yes", "yes", "good", "yes", "yes", "no marks", "yes", "2022", "yes", "nothing"), "40 euros")


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("tenho uma tm5 para vender, a minha filha deu me uma tm6 no natal", "tm6"),
        ("Dell XPS 13 9310, i7, 16gb ram and 512 ssd", "i7"),
        ("Quero vender o Bugaboo Fox, com a alcofa e a cadeira", "cadeira"),
        ("Bugaboo Fox with the carrycot and the seat", "seat"),
        ("selling my Kindle Paperwhite, I got a new Oasis", "Oasis"),
        ("vendo o iphone 11 porque comprei um iphone 13 novo", "iphone 13"),
        ("vendo a PS4 e fico com a PS5", "PS5"),
        ("I'm selling my PS4, keeping the PS5", "PS5"),
        ("I upgraded to the iPhone 14, selling the 12", "iPhone 14"),
    ],
)
async def test_a_thing_that_is_not_sold_is_no_second_item(said: str, name: str) -> None:
    assert is_no_item(said, name)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("the i7 is just the processor, not a second thing", "i7"),
        ("the i7 is part of the laptop", "i7"),
        ("a tm6 não é para vender, tire isso", "Bimby TM6"),
        ("não, não quero vender a tm6. quero voltar à tm5", "tm6"),
        ("Não, a cadeira é do carrinho, vai tudo junto", "cadeira"),
        ("E tire dos artigos a cadeira para vender, que já está incluída no carrinho", "cadeira"),
        ("the tm6 isn't for sale", "tm6"),
        ("I'm not selling the switch", "Nintendo Switch"),
        ("take the kindle off please", "kindle"),
        ("o kindle fica para mim", "kindle"),
        ("the seat comes with it", "seat"),
    ],
)
async def test_an_item_is_taken_back(said: str, name: str) -> None:
    assert is_taken_back(said, name)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("a minha tm5 e a tm6", "tm6"),
        ("iphone 12 with a box and a Kindle", "Kindle"),
        ("vendo a bimby e o carrinho", "carrinho"),
        ("vendo iphone 12 com carregador, e uma switch", "switch"),
        ("o kindle também quero vender", "kindle"),
        ("I'd like to sell the kindle too, it was a gift", "kindle"),
        ("não tenho a caixa, e tenho também um kindle", "kindle"),
        ("I got a PS5 and a PS4 to sell", "PS4"),
        ("o meu portátil com o carregador, e também um ipad", "ipad"),
        ("Canon camera with the box and also my kindle", "kindle"),
        ("don't forget the kindle", "kindle"),
        ("o kindle é da minha filha e também vai à venda", "kindle"),
        ("a cómoda é da IKEA", "cómoda"),
        ("the 13", "13"),
    ],
)
async def test_a_second_item_stays_one(said: str, name: str) -> None:
    assert not is_no_item(said, name)


async def test_what_else_was_said_is_left() -> None:
    assert without_taken_back("sim é essa, mas a tm6 não é para vender", ["tm6"]) == "sim é essa"
    assert without_taken_back("a tm6 não é para vender, tire isso. baixa para 80", ["tm6"]) == "baixa para 80"


@pytest.mark.parametrize(
    ("language", "said", "told", "product"),
    [
        (
            "pt",
            ("vendo o Kindle Paperwhite 11 e a bimby tm6", "sim é esse, mas a tm6 não é para vender"),
            "Fica fora da venda: bimby tm6",
            "Kindle Paperwhite (2021)",
        ),
        (
            "pt",
            (
                "vendo a minha bimby tm5",
                "a minha filha deu me uma tm6 no natal",
                "sim é essa, mas a tm6 não é para vender",
            ),
            "O artigo está criado",
            "Bimby TM5",
        ),
        (
            "pt",
            ("xbox series s preta de 1 tb", "sim", "sim pode ser. ja digo q nao tenho a caixa, perdeu-se"),
            "O artigo está criado",
            "Xbox Series S",
        ),
        (
            "pt",
            ("WH-1000XM4 da sony", "sim esses. 120 é muito? ainda dão umas 25h de bateria"),
            "Qual é a sua",
            "WH-1000XM4",
        ),
        ("en", ("Dell XPS 13 9310, i7, 16gb ram and 512 ssd", "yes"), "", "XPS 13 (9310)"),
    ],
)
async def test_the_product_stands(
    harness: RunnerHarness, language: str, said: tuple[str, ...], told: str, product: str
) -> None:
    visitor = await talk(harness, language, *said)
    assert told in visitor.replies[-1].text
    assert visitor.state["product"] == product and not _later(visitor)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("is that one still saved?", "stays as it is"),
        ("ok never mind, just the watch", "stays as it is"),
    ],
)
async def test_the_way_back_to_a_finished_item(harness: RunnerHarness, said: str, told: str) -> None:
    visitor = await talk(harness, "en", WATCH, *SOLD, "I want to sell another item", "now a drill", said)
    assert told in visitor.replies[-1].text and visitor.state["status"] == "complete"
    assert [each["kind"] for each in visitor.replies[-1].blocks] == ["card"]


async def test_what_is_asked_on_the_way_back_is_done(harness: RunnerHarness) -> None:
    said = ("I want to sell another item", "now a drill", "ok never mind then, lower the watch to 35")
    visitor = await talk(harness, "en", WATCH, *SOLD, *said, "yes")
    (item,) = await visitor.items()
    assert item.asking_price is not None and item.asking_price.cents == 3500


async def test_a_finished_item_offers_no_longer_what_was_taken_back(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", f"{WATCH} and a bimby tm6", *SOLD, "the tm6 is not for sale")
    assert "no longer offered: bimby tm6" in visitor.replies[-1].text
    (card,) = visitor.replies[-1].blocks
    assert not any("tm6" in str(each) for each in card["suggestions"]) and not _later(visitor)


def _later(visitor: Any) -> dict[str, int]:
    kept: dict[str, int] = visitor.state["_private"].get("later", {})
    return kept
