"""Short answers to questions for figures and dates, and a yes that is not certain."""

from __future__ import annotations

from datetime import date

import pytest

from server.loopos.answers import ProbableAnswer, Refused, Valid, confirms, judge
from server.loopos.answers.element import Element
from server.loopos.seed import load_catalog

TODAY = date(2026, 11, 30)


def question(element_id: str) -> Element:
    return next(
        each for _, elements in load_catalog().protocols for each in elements if each.id == element_id
    )


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("en", "label says 2022/11", "2022-11"),
        ("en", "2022/11", "2022-11"),
        ("en", "12/22", "2022-12"),
        ("pt", "verão de 2021", "2021"),
        ("en", "summer 2021", "2021"),
        ("en", "septemer 2019 or meybe oct", "2019-09"),
        ("pt", "Março de 2021. Não, minto, foi em maio, no meu aniversário", "2021-05"),
        ("en", "March 2021. No wait, it was in May, my birthday", "2021-05"),
        ("pt", "maio do ano pasado", "2025-05"),
        ("en", "black friday 2023", "2023-11"),
        (
            "pt",
            "Não, de modo nenhum, os 2000 eram as fotografias. Comprei-a pelo Natal de 2019, na Fnac do Colombo.",
            "2019-12",
        ),
    ],
)
def test_dates_typed_in_haste(language: str, said: str, value: str) -> None:
    judged = judge(question("cameras.purchase_date"), said, language, TODAY)
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    assert isinstance(guess, Valid) and guess.value == value


@pytest.mark.parametrize(
    ("element_id", "language", "said", "value"),
    [
        ("cameras.shutter_count", "pt", "sei la, uns 500 ou 600", 500),
        ("cameras.shutter_count", "en", "between 2000 and 3000", 2000),
        ("audio.battery_hours", "pt", "entre 20 e 25", 20),
        (
            "cameras.shutter_count",
            "pt",
            "Isso não lhe sei dizer ao certo. Tirei umas duas mil fotografias, mais ou menos.",
            2000,
        ),
        ("scooters.kilometres", "en", "Roughly two thousand miles, I should think.", 3219),
        ("consoles.controllers", "pt", "a lite n tem comandos soltos, tao na consola", 0),
        ("consoles.controllers", "en", "none", 0),
    ],
)
def test_rough_numbers_are_asked_back(element_id: str, language: str, said: str, value: int) -> None:
    judged = judge(question(element_id), said, language, TODAY)
    assert isinstance(judged, ProbableAnswer) and judged.guess.value == value
    assert "(" not in judged.guess.shown


@pytest.mark.parametrize(
    ("element_id", "said"),
    [
        (
            "coffee-machines.coffees",
            "I am afraid I have not kept count, but it would be two cups a day or so.",
        ),
        ("coffee-machines.coffees", "I have not kept count"),
        ("consoles.controllers", "n/a"),
        ("consoles.controllers", "não se aplica"),
        ("cameras.purchase_date", "No. Please leave it out."),
        ("cameras.purchase_date", "I'd rather not say"),
        ("cameras.purchase_date", "não quero pôr isso"),
    ],
)
def test_what_is_not_said_is_skipped(element_id: str, said: str) -> None:
    judged = judge(question(element_id), said, "en", TODAY)
    assert isinstance(judged, Valid) and judged.skipped


def test_the_example_fits_the_question() -> None:
    judged = judge(question("audio.battery_hours"), "depends on it", "en", TODAY)
    assert isinstance(judged, Refused) and judged.params["example"] != "87"


@pytest.mark.parametrize(
    "said", ["think so?? theres an orange sticker", "axo q sim tenho d ver", "I believe so"]
)
@pytest.mark.parametrize("element_id", ["audio.box", "bicycles.invoice"])
def test_a_yes_that_is_not_certain_is_asked_back(element_id: str, said: str) -> None:
    judged = judge(question(element_id), said, "en", TODAY)
    assert isinstance(judged, ProbableAnswer) and judged.guess.value is True


@pytest.mark.parametrize("said", ["safe", "yeppp", "iso", "y.", "ya", "pronto", "ok", "ok next", "simmmm"])
def test_everyday_words_for_yes(said: str) -> None:
    assert confirms(said, "pt") == (True, "")


@pytest.mark.parametrize("said", ["ok no", "next", "próxima"])
def test_words_that_are_no_yes(said: str) -> None:
    assert confirms(said, "en")[0] is not True
