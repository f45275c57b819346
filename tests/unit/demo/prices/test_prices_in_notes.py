"""A price among the last notes: it is asked back as the asking price, and the notes are stored without it."""

import pytest

from server.loopos.answers.amounts.prices_in_notes import take_price
from server.loopos.answers.words import without_debris
from tests.unit.demo.harness import RunnerHarness, legend, talk

PT = ("iphone 12 64gb azul", "sim", "sim", "bom", "sim", "85", "sim", "2024")
EN = ("iphone 12 64gb blue", "yes", "yes", "good", "yes", "85", "yes", "2024")
NOTES, PRICE = "smartphones.notes", "asking_price"


@pytest.mark.parametrize(
    ("language", "said", "notes", "euro"),
    [
        ("en", "no box and no charger, 260", "no box and no charger", 260),
        ("en", "just the phone 250", "just the phone", 250),
        ("en", "no box no charger 250 ono", "no box no charger", 250),
        ("en", "box, i'd take 250", "box", 250),
        ("en", "box and charger for 250 euros", "box and charger", 250),
        ("en", "250 with the box", "with the box", 250),
        ("en", "nothing, 180", "nothing", 180),
        ("en", "box, 250-280", "box", 280),
        ("en", "box (asking 250)", "box", 250),
        ("en", "box (and charger, 250 euros)", "box (and charger)", 250),
        ("en", "its got the box, hoping for 260", "its got the box", 260),
        ("en", "box and id like 260", "box", 260),
        ("en", "box, i'm asking 260", "box", 260),
        ("en", "box, 2 cases and 260 for the lot", "box, 2 cases", 260),
        ("pt", "tem a caixa e o cabo, tava a pensar em 260", "tem a caixa e o cabo", 260),
        ("pt", "cabo e caixa, vendo a 260", "cabo e caixa", 260),
        ("pt", "sem carregador, pode ser 260", "sem carregador", 260),
        ("pt", "caixa, 260 aceito propostas", "caixa", 260),
        ("pt", "sem caixa, 250 euros", "sem caixa", 250),
        ("pt", "sem caixa nem carregador, 260", "sem caixa nem carregador", 260),
        ("pt", "sem caixa 250 negociavel", "sem caixa", 250),
        ("pt", "caixa, aceito 250", "caixa", 250),
        ("pt", "caixa; 250 euros, negociável", "caixa", 250),
        ("pt", "nada mais, 200 euritos", "nada mais", 200),
        ("pt", "caixa, mas quero 250 €", "caixa", 250),
        ("pt", "caixa (com carregador, 250€)", "caixa (com carregador)", 250),
        ("pt", "(250€) caixa", "caixa", 250),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_a_price_in_the_notes_is_asked_back_and_leaves_them(
    harness: RunnerHarness, language: str, said: str, notes: str, euro: int
) -> None:
    visitor = await talk(harness, language, *(PT if language == "pt" else EN), said)
    assert visitor.state["answers"][NOTES] == notes and PRICE not in visitor.state["answers"]
    assert str(euro) in legend(visitor)
    await visitor.say("sim" if language == "pt" else "yes")
    assert str(euro) in visitor.state["answers"][PRICE]


@pytest.mark.parametrize(
    ("language", "said", "notes"),
    [
        ("en", "nothing else. 250 quid", "nothing else"),
        ("en", "box and charger £250", "box and charger"),
        ("pt", "só o celular, 250 reais", "só o celular"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_a_price_in_another_currency_is_asked_in_euro(
    harness: RunnerHarness, language: str, said: str, notes: str
) -> None:
    visitor = await talk(harness, language, *(PT if language == "pt" else EN), said)
    (asked,) = visitor.open_blocks()
    assert visitor.state["answers"][NOTES] == notes and asked["name"] == PRICE and "euro" in asked["hint"]


@pytest.mark.parametrize("language", ["pt", "en"])
@pytest.mark.asyncio(loop_scope="module")
async def test_notes_that_are_an_amount_alone_ask_it_back(harness: RunnerHarness, language: str) -> None:
    visitor = await talk(harness, language, *(PT if language == "pt" else EN), "250")
    assert "250" in legend(visitor) and NOTES not in visitor.state["answers"]


@pytest.mark.parametrize(
    "text",
    [
        "charger and i paid 900 for it",
        "case and 2 chargers",
        "box with invoice from 2021",
        "only the phone and a 20w charger",
        "box, charger and a gift card of 50 euros",
        "fifa 20, 21",
        "box, battery 85",
        "60 capsules and the box",
        "carregador (comprei por 30€) e caixa",
        "pelicula nova que custou 15 euros",
        "caixa, carregador 20",
        "tem caixa, ligar 912 345 678",
        "mesa com 80 x 120",
    ],
)
def test_a_number_of_another_thing_stays_in_its_text(text: str) -> None:
    noted = take_price(text, "en", None)
    assert (noted.rest, noted.price) == (text, None)


def test_a_bare_number_beside_another_known_price_stays() -> None:
    assert take_price("box, 250", "en", 300.0).rest == "box, 250"
    assert take_price("box, 250", "en", 250.0).rest == "box"


@pytest.mark.parametrize(
    ("cut", "left"),
    [
        ("box ()", "box"),
        ("box (,) and cable", "box and cable"),
        ("box, , cable", "box, cable"),
        ("box (", "box"),
        ("box - - and cable", "box - and cable"),
        ("caixa, e", "caixa"),
        ("caixa (com cabo", "caixa (com cabo)"),
        ("caixa com cabo)", "caixa com cabo"),
        ("- caixa;", "caixa"),
        ("caixa (, cabo)", "caixa (cabo)"),
    ],
)
def test_no_debris_is_left(cut: str, left: str) -> None:
    assert without_debris(cut) == left


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "yes, drop it to 380 please"),
        ("pt", "sim, baixe-me isso para 380"),
        ("pt", "sim mas baixa pra 380"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_another_price_behind_a_yes_is_asked_back_alone(
    harness: RunnerHarness, language: str, said: str
) -> None:
    notes = "so a caixa, 395€" if language == "pt" else "just the box, 395€"
    visitor = await talk(harness, language, *(PT if language == "pt" else EN), notes)
    text = (await visitor.say(said)).text
    assert "380" in legend(visitor) and PRICE not in visitor.state["answers"]
    assert "380" not in text, "nothing is told to be written again"


@pytest.mark.parametrize(
    ("language", "said", "notes"),
    [
        ("en", "box (as i said) and cable", "box and cable"),
        ("en", "box (lol)", "box"),
        ("en", "box - as i said - and cable", "box - and cable"),
        ("pt", "caixa (como já disse) e cabo", "caixa e cabo"),
        ("pt", "caixa (rsrs)", "caixa"),
        ("pt", "caixa :)", "caixa"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_notes_are_stored_without_empty_brackets(
    harness: RunnerHarness, language: str, said: str, notes: str
) -> None:
    visitor = await talk(harness, language, *(PT if language == "pt" else EN), said)
    assert visitor.state["answers"][NOTES] == notes


@pytest.mark.asyncio(loop_scope="module")
async def test_a_part_in_brackets_is_taken_out_with_them(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *EN, "box (and cable)", "take out the cable")
    assert "box." in legend(visitor) and "(" not in legend(visitor)
