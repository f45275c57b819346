"""The range of a zoom beside a price: it is none, and a range of prices stays one."""

import pytest

from server.loopos.answers import ProbableAnswer, Refused
from server.loopos.answers.amounts.asking_price import judge_price


@pytest.mark.parametrize(
    "said",
    [
        "EF-S 18-55 IS STM lens, one battery and the charger. Price is fixed.",
        "the 18-55 lens, and a bag",
        "a lente 18-55",
        "objetiva 16-50 mm",
    ],
)
def test_the_range_of_a_zoom_is_no_price(said: str) -> None:
    assert judge_price(said, "en") == Refused("price_only")


@pytest.mark.parametrize(
    "said", ["100-120", "100-120 for the lot", "between 100 and 120", "entre 100-120 talvez"]
)
def test_a_range_of_prices_is_asked_back(said: str) -> None:
    judged = judge_price(said, "en")
    assert isinstance(judged, ProbableAnswer)
    assert judged.guess.value == 120
