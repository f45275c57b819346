"""Words about the price behind the card that name no amount: it goes, or is negotiable or firm."""

import pytest

from server.loopos.answers.amounts.price_words import price_terms, removes_price
from tests.unit.demo.harness import RunnerHarness, legend, talk

SOLD = (
    "iphone 12 black 128",
    "yes",
    "yes",
    "good",
    "free",
    "87",
    "yes",
    "2022",
    "box and charger",
    "180 euros",
)
VENDIDO = (
    "iphone 12 preto 128",
    "sim",
    "sim",
    "bom",
    "livre",
    "87",
    "sim",
    "2022",
    "caixa e carregador",
    "180 euros",
)


@pytest.mark.parametrize(
    ("language", "said", "understood", "priced"),
    [
        ("en", "remove the price", "No price", False),
        ("en", "no price after all", "No price", False),
        ("pt", "tira o preço", "Sem preço", False),
        ("pt", "mantém a caixa mas tira o preço", "Sem preço", False),
        ("en", "its negotiable", "box and charger; price negotiable", True),
        ("en", "price is firm", "box and charger; price firm", True),
        ("pt", "é negociável", "caixa e carregador; preço negociável", True),
        ("pt", "preço fixo", "caixa e carregador; preço fixo", True),
        ("en", "keep the price and drop the charger", "I understood: box.", True),
        ("en", "keep the box and drop the charger", "I understood: box.", True),
        ("pt", "mantém o preço e tira o carregador", "Percebi: caixa.", True),
    ],
)  # fmt: skip
async def test_a_wish_about_the_price_is_asked_back(
    harness: RunnerHarness, language: str, said: str, understood: str, priced: bool
) -> None:
    visitor = await talk(harness, language, *(SOLD if language == "en" else VENDIDO), said)
    assert understood in legend(visitor)
    assert "180" in visitor.state["price"]
    await visitor.say("yes" if language == "en" else "sim")
    assert bool(visitor.state.get("price")) == priced and not visitor.open_blocks()


async def test_newer_terms_replace_older_ones(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *SOLD, "its negotiable", "yes", "price is firm")
    assert "box and charger; price firm" in legend(visitor)
    await visitor.say("yes")
    await visitor.say("drop the price to 140")
    assert "€140" in legend(visitor)


@pytest.mark.parametrize(
    ("said", "goes"),
    [
        *(
            (each, True)
            for each in ("delete my asking price", "afinal sem preço", "can you take the price off")
        ),
        *((each, False) for each in ("drop the price to 80", "tira o preço da caixa", "lower the price")),
        *(
            (each, False)
            for each in ("no price was on the box", "tira o preço e põe 80", "remove the price tag")
        ),
    ],
)
def test_which_words_take_the_price_away(said: str, goes: bool) -> None:
    assert removes_price(said) == goes


@pytest.mark.parametrize(
    ("said", "terms"),
    [
        ("the price isn't negotiable", "price not negotiable"),
        ("O preço não é negociável", "preço não negociável"),
        ("open to offers", "price open to offers"),
        *(
            (each, "")
            for each in ("is it negotiable?", "80 negotiable", "the screen is fixed", "it's fixed", "firm")
        ),
        *((each, "") for each in ("o ecrã é fixo", "offers", "posso negociar?", "the strap is firm")),
    ],
)
def test_which_words_are_terms_of_the_price(said: str, terms: str) -> None:
    assert price_terms(said, "en") == terms
