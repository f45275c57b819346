"""What was paid, or what an item costs new, is no asking price; a small bare number counts things."""

import pytest

from server.loopos.answers import PRICE, Refused, judge, told_price
from tests.unit.loopos.answers.test_answers import TODAY


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "140 euros back then"),
        ("en", "paid 900 new"),
        ("en", "retails for 250"),
        ("en", "rrp 250 euros"),
        ("en", "it was 900 euros originally"),
        ("en", "250 euros in the shops"),
        ("en", "they sell for 250 on ebay"),
        ("en", "got it for 200 euros"),
        ("pt", "custou-me 300 na altura"),
        ("pt", "300 euros na altura"),
        ("pt", "custa 250€ na loja"),
        ("pt", "custa 600 euros nova"),
        ("pt", "preço de loja 300 euros"),
        ("pt", "dei 900 euros por ele"),
        ("pt", "valor em novo 800€"),
    ],
)
def test_what_was_paid_is_no_asking_price(language: str, said: str) -> None:
    assert told_price(said, language) is None
    assert isinstance(judge(PRICE, said, language, TODAY), Refused)


@pytest.mark.parametrize(
    ("language", "said", "euro"),
    [
        ("en", "paid 900 new want 450", 450),
        ("en", "bought for 400 in 2020 selling for 200", 200),
        ("en", "original price was 400 euros, asking 200", 200),
        ("en", "retails for 450, 140 euros", 140),
        ("en", "list it for 200", 200),
        ("en", "as new, 300 euros", 300),
        ("pt", "comprei por 400, vendo por 200", 200),
        ("pt", "dei 600 por ele, quero 200", 200),
        ("pt", "afinal pode pôr 150 euros", 150),
        ("pt", "vendo a 180 não negociável", 180),
        ("pt", "vende-se como nova 150 euros", 150),
    ],
)
def test_the_price_beside_it_is_asked(language: str, said: str, euro: int) -> None:
    told = told_price(said, language)
    assert told is not None and told.value == euro


@pytest.mark.parametrize(
    ("language", "said"), [("en", "used for 1 kid"), ("en", "i want 2"), ("pt", "usado por 2 crianças")]
)
def test_a_small_bare_number_is_no_price(language: str, said: str) -> None:
    assert told_price(said, language) is None


@pytest.mark.parametrize(
    ("language", "said", "euro"),
    [
        ("en", "Kobo Libra 2, 32 GB, white. Asking price: EUR 110.", 110),
        ("en", "Price 110 EUR", 110),
        ("en", "price - 110", 110),
        ("en", "iPhone 12, 64 GB, price: €120", 120),
        ("pt", "preço: 110€", 110),
        ("pt", "valor: EUR 110", 110),
        ("pt", "Kobo Libra 2. Preço pedido: EUR 110", 110),
        ("pt", "preço - 110 €", 110),
    ],
)
def test_a_label_before_an_amount_tells_the_price(language: str, said: str, euro: int) -> None:
    told = told_price(said, language)
    assert told is not None
    assert told.value == euro


@pytest.mark.parametrize("said", ["new price: 110", "market price - 110", "price: 100-120", "1 libra 2"])
def test_a_label_of_another_price_or_a_range_tells_none(said: str) -> None:
    assert told_price(said, "en") is None
