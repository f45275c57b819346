"""The number of a sentence: the only one is asked back, and one that counts another thing is not."""

from __future__ import annotations

import pytest

from server.loopos.answers import ProbableAnswer, Refused, Valid, judge, judge_report
from tests.unit.loopos.phrases.judged import TODAY, question


@pytest.mark.parametrize(
    ("element", "language", "said", "value"),
    [
        ("laptops.battery_cycles", "en", "87 according to system report", 87),
        ("scooters.kilometres", "en", "1340 on the display", 1340),
        ("scooters.kilometres", "pt", "no visor diz 842", 842),
        ("cameras.shutter_count", "en", "15,000 give or take", 15_000),
        ("cameras.shutter_count", "pt", "à volta de quarenta mil disparos", 40_000),
        ("bicycles.kilometres", "pt", "mil e quinhentos", 1_500),
        ("bicycles.kilometres", "pt", "dois mil trezentos e quarenta", 2_340),
        ("bicycles.kilometres", "en", "two and a half thousand or so", 2_500),
        ("bicycles.kilometres", "en", "a couple thousand", 2_000),
        ("audio.battery_hours", "pt", "cinco horas e meia", 5.5),
        ("audio.battery_hours", "en", "four and a half", 4.5),
        ("vacuums.battery_minutes", "pt", "uma hora e meia", 90),
        ("vacuums.battery_minutes", "pt", "uma hora certa", 60),
        ("vacuums.battery_minutes", "en", "half an hour", 30),
        ("vacuums.battery_minutes", "pt", "no máximo meia hora", 30),
        ("furniture.floor", "en", "third, and no lift", 3),
        ("furniture.floor", "pt", "rés-do-chão, pela garagem", 0),
        ("furniture.floor", "en", "5th with elevator", 5),
        ("consoles.controllers", "en", "1 pair", 1),
        ("vacuums.battery_minutes", "en", "15 actually", 15),
        ("bicycles.kilometres", "pt", "sei lá, uns 2 mil e tal kms, pus pneus novos ha um ano", 2_000),
        ("vacuums.battery_minutes", "pt", "sei lá, meia hora, tem 3 anos", 30),
        ("consoles.controllers", "en", "none, my boys broke them", 0),
        ("coffee-machines.coffees", "pt", "uns 3 mil e 500, mais coisa menos coisa", 3_500),
        ("coffee-machines.coffees", "en", "3 thousand 200", 3_200),
        ("audio.battery_hours", "en", "like 25 houers mayb", 25),
        ("audio.battery_hours", "pt", "umas 25 oras talves", 25),
        ("cameras.shutter_count", "en", "around 8k shotts prolly", 8_000),
        ("cameras.shutter_count", "en", "12000, is that a lot?", 12_000),
        ("cameras.shutter_count", "pt", "12000, isso é muito?", 12_000),
        ("cameras.shutter_count", "pt", "7500, é muito?", 7_500),
        ("cameras.purchase_date", "en", "june 2022, can i still get 230 for it?", "2022-06"),
        ("cameras.purchase_date", "pt", "junho de 2022, ainda consigo 230 por ela?", "2022-06"),
        ("cameras.purchase_date", "en", "May 2021 - does the month matter?", "2021-05"),
    ],
)
def test_the_only_number_is_asked_back(element: str, language: str, said: str, value: float | str) -> None:
    told = judge(question(element), said, language, TODAY)
    assert isinstance(told, ProbableAnswer) and told.guess.value == value


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        ("bicycles.kilometres", "en", "i paid 300 for it"),
        ("bicycles.kilometres", "pt", "comprei-a em 2019"),
        ("bicycles.kilometres", "en", "two thousand three thousand"),
        ("vacuums.battery_minutes", "pt", "nunca dura 40 minutos"),
        ("vacuums.battery_minutes", "pt", "não dura meia hora"),
        ("vacuums.battery_minutes", "en", "it never lasts two hours"),
        ("bicycles.kilometres", "en", "not a couple of thousand"),
        ("smartphones.battery_health", "en", "the phone is 3 years old"),
        ("smartphones.battery_health", "en", "it lasts 9 hours"),
        ("consoles.controllers", "en", "it has 3 games"),
        ("consoles.controllers", "en", "is that 2?"),
        ("cameras.shutter_count", "en", "1 battery"),
        ("cameras.shutter_count", "en", "1 battery and charger, no bag"),
        ("cameras.shutter_count", "pt", "1 bateria e carregador"),
        ("smartphones.battery_health", "pt", "-5"),
        ("smartphones.battery_health", "pt", "999999999999999999999"),
        ("smartphones.battery_health", "en", "it says one thousand"),
    ],
)
def test_a_number_of_another_thing_and_one_of_several_are_none(
    element: str, language: str, said: str
) -> None:
    assert isinstance(judge(question(element), said, language, TODAY), Refused)


@pytest.mark.parametrize(
    ("element", "language", "said", "value"),
    [
        ("smartphones.battery_health", "pt", "87 de bateria", 87),
        ("vacuums.battery_minutes", "en", "battery 30", 30),
        ("laptops.battery_cycles", "pt", "bateria 87", 87),
        ("audio.battery_hours", "en", "battery 5", 5),
    ],
)
def test_the_number_of_a_battery_is_sure_where_its_battery_is_measured(
    element: str, language: str, said: str, value: float
) -> None:
    told = judge(question(element), said, language, TODAY)
    assert isinstance(told, Valid) and told.value == value


@pytest.mark.parametrize(
    ("said", "report", "value"),
    [
        ("the battery health is 88%", "88", None),
        ("Can you also put the battery health is 88%? and I want 480 for it", "88", None),
        ("the battery cycles are 310. and it is an i5", "310", 310),
    ],
)
def test_a_reported_number_of_another_quantity_is_no_answer(
    said: str, report: str, value: int | None
) -> None:
    told = judge_report(question("laptops.battery_cycles"), report, [said], "en", TODAY)
    assert (told.guess.value if isinstance(told, ProbableAnswer) else None) == value


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "87. ah não 82, vi mal"),
        ("pt", "87. ah não, 82"),
        ("pt", "85... não, 82"),
        ("pt", "87, ups não 82"),
        ("pt", "é 87. espera, é 82"),
        ("pt", "87. enganei-me, 82"),
        ("en", "87, oops no 82"),
        ("en", "87, oops, 82"),
        ("en", "87. wait 82"),
        ("en", "87. oh no, it's 82, misread it"),
        ("en", "87, no wait, 82"),
    ],
)
def test_a_figure_that_takes_the_place_of_another_one_is_asked_back(language: str, said: str) -> None:
    told = judge(question("smartphones.battery_health"), said, language, TODAY)
    assert isinstance(told, ProbableAnswer) and told.guess.value == 82
