"""Amounts in euro beside others: that in euro is asked back, and an amount that another one replaces is none."""

from __future__ import annotations

import pytest

from server.loopos.answers import PRICE, ProbableAnswer, Refused, judge
from tests.unit.loopos.phrases.judged import TODAY


@pytest.mark.parametrize(
    ("said", "price"),
    [
        ("No, the £20 was for the footstool. The sofa is £90, so that's about 105 euros", 105),
        ("About 380 euros then, which I think is roughly £330.", 380),
        ("£330, so about €380", 380),
        ("180 quid, uns 200 euros", 200),
        ("são 90 libras, uns 105 euros", 105),
        ("110 euros. or say 100 actually", 100),
        ("110 euros. ou digamos 100", 100),
        ("knock it down to 90", 90),
        ("yes, bring it down to 90", 90),
    ],
)
def test_the_amount_that_is_asked_is_asked_back(said: str, price: int) -> None:
    told = judge(PRICE, said, "en", TODAY)
    assert isinstance(told, ProbableAnswer) and told.guess.value == price


@pytest.mark.parametrize(
    "said",
    [
        "What about the price … I said £95",
        "I paid €400 for it, want £200",
        "it was €250 new, I'd like £100",
        "£380",
        "180 quid",
    ],
)
def test_an_amount_in_another_currency_alone_is_refused(said: str) -> None:
    told = judge(PRICE, said, "en", TODAY)
    assert isinstance(told, Refused) and told.code == "other_currency"
