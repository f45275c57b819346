"""Numbers in an answer that are none to its question: articles, heights, what was said before; and not knowing."""

from __future__ import annotations

import pytest

from server.loopos.answers import ProbableAnswer, Refused, Valid, judge
from server.loopos.answers.clauses.unmeant_figures import without_replaced_figures
from tests.unit.loopos.phrases.judged import TODAY, question


@pytest.mark.parametrize(
    ("element", "language", "said", "value"),
    [
        (
            "coffee-machines.coffees",
            "pt",
            "nao, um cafe nao, tirei uns 4000 a olho. dois ou tres por dia",
            4000,
        ),
        ("coffee-machines.coffees", "pt", "um café não, foram uns 2 mil", 2000),
        (
            "bicycles.kilometres",
            "en",
            "I said about 5,000 earlier, but I looked and it's nearer 4,000.",
            4000,
        ),
        ("bicycles.kilometres", "en", "closer to 4k", 4000),
        ("bicycles.kilometres", "pt", "disse 5000 km há bocado, mas fui ver e são 4200", 4200),
        ("bicycles.kilometres", "pt", "tinha dito uns 5000 mas afinal são mais perto de 4000", 4000),
        ("bicycles.kilometres", "pt", "uns 300, tenho 1,82 e serve-me", 300),
        ("scooters.kilometres", "pt", "1200 km mas o pneu levou 2 remendos", 1200),
        ("bicycles.kilometres", "en", "about 5000, but I checked and the tyres are fine", 5000),
        ("bicycles.kilometres", "en", "I don't know where the charger is, 300 km", 300),
    ],
)
def test_the_figure_that_is_meant_is_asked_back(element: str, language: str, said: str, value: int) -> None:
    told = judge(question(element), said, language, TODAY)
    assert isinstance(told, ProbableAnswer) and told.guess.value == value


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        ("coffee-machines.coffees", "pt", "faz um cafe optimo"),
        ("coffee-machines.coffees", "en", "makes a great coffee"),
        ("coffee-machines.coffees", "en", "makes a coffee in seconds"),
    ],
)
def test_an_article_counts_nothing(element: str, language: str, said: str) -> None:
    assert isinstance(judge(question(element), said, language, TODAY), Refused)


@pytest.mark.parametrize(
    ("element", "language", "said", "value"),
    [
        ("coffee-machines.coffees", "pt", "só um café", 1),
        ("coffee-machines.coffees", "en", "one coffee", 1),
        ("bicycles.kilometres", "pt", "tenho 1,8 mil km", 1800),
        ("bicycles.kilometres", "pt", "tem 1.820", 1820),
    ],
)
def test_a_plain_figure_is_kept(element: str, language: str, said: str, value: int) -> None:
    told = judge(question(element), said, language, TODAY)
    assert isinstance(told, Valid) and told.value == value


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        (
            "bicycles.kilometres",
            "pt",
            "nao faço ideia, andava so ao fim de semana. eu tenho 1,82 e dava me bem",
        ),
        ("bicycles.kilometres", "pt", "nao, isso é a minha altura. km nao sei"),
        ("bicycles.kilometres", "en", "no idea on the km, weekends only. I'm 1.82 and it fit me well"),
        ("smartphones.battery_health", "pt", "pois nao sei a percentagem, so sei que aguenta um dia"),
        ("smartphones.battery_health", "en", "not sure of the percentage, it lasts all day"),
    ],
)
def test_who_does_not_know_leaves_a_figure_out(element: str, language: str, said: str) -> None:
    told = judge(question(element), said, language, TODAY)
    assert isinstance(told, Valid) and told.skipped


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("battery 87. oh no 82", "battery 82"),
        ("bateria 87%. ai não 82%", "bateria 82%"),
        ("87, wait 82", "82"),
        ("87 hmm 82", "82"),
        ("2 controllers, sorry, 3 games", "2 controllers, sorry, 3 games"),
    ],
)
def test_a_figure_that_is_taken_back_is_left_out(said: str, meant: str) -> None:
    assert without_replaced_figures(said) == meant


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("en", "2019 sometime, my second was born july 2021", "2019"),
        ("pt", "em 2019, o meu filho nasceu em julho de 2021", "2019"),
        ("en", "bought when my son was born, july 2021", "2021-07"),
    ],
)
def test_the_date_of_a_birth_is_no_purchase(language: str, said: str, value: str) -> None:
    told = judge(question("smartphones.purchase_date"), said, language, TODAY)
    assert not isinstance(told, Refused) and getattr(told, "guess", told).value == value
