"""Prices that a message puts right or says to forget, and numbers of a model, which are none."""

from __future__ import annotations

import pytest

from server.loopos.answers import Refused, told_price, without_corrected
from server.loopos.answers.amounts.asking_price import judge_price
from server.loopos.answers.amounts.prices_in_notes import take_price


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "price 450. oh no 420"),
        ("en", "450 oh no, 420"),
        ("en", "450, wait 420"),
        ("en", "450 hmm 420"),
        ("en", "450. hmm, no, 420"),
        ("pt", "450. ai não 420"),
        ("pt", "450 ui não 420"),
        ("pt", "450. ai espera 420"),
        ("en", "final price 420, forget the 450"),
        ("en", "forget 450, it's 420"),
        ("pt", "preço final 420, esquece os 450"),
        ("pt", "ignorem os 450 euros, fica 420"),
    ],
)
def test_the_amount_that_is_meant_is_the_price(language: str, said: str) -> None:
    judged = judge_price(said, language)
    assert not isinstance(judged, Refused)
    assert getattr(judged, "guess", judged).value == 420


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "forget the 130"), ("pt", "esquece os 130"), ("en", "model 1453"), ("pt", "ref. 268731-01")],
)
def test_an_amount_to_forget_and_the_number_of_a_model_are_no_price(language: str, said: str) -> None:
    assert isinstance(judge_price(said, language), Refused) and told_price(said, language) is None


@pytest.mark.parametrize("said", ["450 não 420", "não, cento e dez", " 70", "forget the box, 145"])
def test_an_amount_that_nothing_takes_back_stays(said: str) -> None:
    assert without_corrected(said) == said


@pytest.mark.parametrize(
    ("language", "text", "rest"),
    [
        ("pt", "caixa. preço final 145, esquece os 130", "caixa."),
        ("en", "box. final price 145, forget the 130", "box."),
        ("en", "box. forget 130, it's 145", "box."),
    ],
)
def test_a_text_keeps_no_sentence_about_the_price(language: str, text: str, rest: str) -> None:
    assert take_price(text, language, None).rest.strip(" .") == rest.strip(" .")


@pytest.mark.parametrize(
    "text",
    [
        "bateria trocada em 2024. mod. 268731-01",
        "box, 268731-01",
        "ref. 268731",
        "com caixa, n.º 26873",
        "box, serial: 26873101",
    ],
)
def test_the_number_of_a_model_stays_in_a_text(text: str) -> None:
    noted = take_price(text, "pt", None)
    assert noted.rest == text and noted.price is None


def test_a_range_is_still_taken_out_of_a_text() -> None:
    noted = take_price("box, 100-150", "en", None)
    assert noted.rest == "box" and noted.price is not None and noted.price.value == 150
