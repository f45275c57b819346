"""Amounts that others offer, or at which others sell, are no asking price."""

from __future__ import annotations

import pytest

from server.loopos.answers import PRICE, ProbableAnswer, Refused, judge, told_price
from tests.unit.loopos.phrases.judged import TODAY


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "cex offered me 180 but i want more"),
        ("en", "someone offered 200"),
        ("en", "a friend sold his for 220"),
        ("pt", "já me ofereceram 200"),
        ("pt", "a cex dava-me 180 mas quero mais"),
        ("pt", "andam a 300 no olx"),
        ("pt", "vendem-se por 300 euros"),
    ],
)
def test_an_amount_of_others_is_not_asked(language: str, said: str) -> None:
    assert isinstance(judge(PRICE, said, language, TODAY), Refused)
    assert told_price(said, language) is None


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("en", "someone offered 200, i want 250", 250),
        ("pt", "ofereceram-me 200, peço 250", 250),
        ("en", "selling it for 220", 220),
    ],
)
def test_what_the_seller_asks_beside_it_is(language: str, said: str, value: float) -> None:
    told = judge(PRICE, said, language, TODAY)
    guess = told.guess if isinstance(told, ProbableAnswer) else told
    assert not isinstance(guess, Refused) and guess.value == value
