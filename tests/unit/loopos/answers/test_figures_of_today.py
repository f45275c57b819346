"""Figures of an earlier time, conclusions and days in words: what counts today is asked back, and nothing else."""

from __future__ import annotations

import pytest

from server.loopos.answers import ProbableAnswer, Refused, Valid, judge
from tests.unit.loopos.phrases.judged import TODAY, question

HEALTH, CYCLES, SHOTS = "smartphones.battery_health", "laptops.battery_cycles", "cameras.shutter_count"
CONTROLLERS, FLOOR, BOUGHT = "consoles.controllers", "furniture.floor", "smartphones.purchase_date"


@pytest.mark.parametrize(
    ("element", "language", "said", "value"),
    [
        (HEALTH, "en", "was 91 when i bought it, now its 84", 84),
        (HEALTH, "pt", "tava a 91 qd comprei agora ta a 84", 84),
        (HEALTH, "pt", "era 91, agora 84", 84),
        ("vacuums.battery_minutes", "en", "60 mins when new, now 35", 35),
        ("vacuums.battery_minutes", "pt", "60 em nova, agora 35", 35),
        ("audio.battery_hours", "en", "used to be 20 now more like 12", 12),
        ("bicycles.kilometres", "en", "it had 1200, now 1500", 1_500),
        (CYCLES, "en", "was 300 in march so about 350 now", 350),
        (CYCLES, "pt", "tinha 300 em março agora deve ter 350", 350),
        ("coffee-machines.coffees", "en", "2 a day for 3 years so about 2000", 2_000),
        (CONTROLLERS, "en", "two but one drifts so 1 working", 1),
        (CONTROLLERS, "pt", "dois mas um tem drift, portanto 1 a funcionar", 1),
        (CONTROLLERS, "en", "two - no, three actually", 3),
        (CONTROLLERS, "pt", "dois, nao, tres", 3),
        (CONTROLLERS, "en", "2 controllers 3 games", 2),
        (CONTROLLERS, "pt", "2 dualsense e uma base de carregamento", 2),
        (HEALTH, "en", "88% and bought it in june 2021", 88),
        (HEALTH, "pt", "88% e comprei em junho de 2021", 88),
        (HEALTH, "en", "eighty-three percent and the screen has a tiny scratch", 83),
        (SHOTS, "en", "15k-20k", 15_000),
        (FLOOR, "pt", "terceiro sem elevador", 3),
        (FLOOR, "en", "third without a lift", 3),
        (FLOOR, "pt", "r/c", 0),
        (FLOOR, "en", "basement", -1),
        (BOUGHT, "pt", "n tenho a certeza, a fatura diz 14.11.2021", "2021-11-14"),
        (BOUGHT, "en", "not sure, receipt says 14.11.2021", "2021-11-14"),
        (BOUGHT, "pt", "comprei usado em 2023, é de 2020", "2023"),
        (BOUGHT, "en", "bought it used in 2023, it's from 2020", "2023"),
    ],
)
def test_the_figure_of_today_is_asked_back(element: str, language: str, said: str, value: object) -> None:
    told = judge(question(element), said, language, TODAY)
    assert isinstance(told, ProbableAnswer) and told.guess.value == value


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        (HEALTH, "en", "it used to be 87"),
        ("vacuums.battery_minutes", "pt", "60 minutos quando era nova"),
        (CONTROLLERS, "en", "i had 2 but my kid broke one"),
        (CONTROLLERS, "pt", "tinha 2 comandos mas o miudo partiu um"),
    ],
)
def test_a_figure_that_is_over_is_none_of_today(element: str, language: str, said: str) -> None:
    assert isinstance(judge(question(element), said, language, TODAY), Refused)


def test_actuations_are_shots() -> None:
    told = judge(question(SHOTS), "12345 actuations", "en", TODAY)
    assert not isinstance(told, Refused | ProbableAnswer) and told.value == 12_345


MADE = "car-seats.made"


@pytest.mark.parametrize(
    ("language", "said", "code"),
    [
        ("pt", "comprei em 2020", "not_a_date"),
        ("pt", "nao, 2020 foi quando comprei, a data de fabrico nao sei", "required"),
        ("pt", "a data de fabrico nao sei", "required"),
        ("en", "bought it new in may 2020", "not_a_date"),
        ("en", "2020 is when i bought it, the manufacture date i dont know", "required"),
        ("en", "no idea when it was made, i bought it in may 2020", "required"),
    ],
)
def test_when_a_thing_was_bought_is_not_when_it_was_made(language: str, said: str, code: str) -> None:
    judged = judge(question(MADE), said, language, TODAY)
    assert isinstance(judged, Refused) and judged.code == code


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("pt", "comprámos em 2021 mas a etiqueta diz 2019", "2019"),
        ("en", "made in 2019, bought in 2020", "2019"),
        ("en", "bought it new in 2020 so probably 2020", "2020"),
    ],
)
def test_a_year_of_manufacture_beside_that_of_buying_is_read(language: str, said: str, value: str) -> None:
    judged = judge(question(MADE), said, language, TODAY)
    assert isinstance(judged, ProbableAnswer) and judged.guess.value == value


@pytest.mark.parametrize(
    ("language", "said", "skips"),
    [
        ("pt", "a data nao sei", True),
        ("en", "the date i dont remember", True),
        ("pt", "o mês não sei, foi em 2020", False),
        ("en", "the month i dont know, it was last summer", False),
    ],
)
def test_a_date_that_is_not_known_is_skipped(language: str, said: str, skips: bool) -> None:
    judged = judge(question(BOUGHT), said, language, TODAY)
    assert (isinstance(judged, Valid) and judged.skipped) is skips


@pytest.mark.parametrize(
    ("element", "language", "said", "value"),
    [
        (FLOOR, "pt", "falta uma gaveta, só tem cinco", None),
        (FLOOR, "en", "a drawer is missing, it only has 5", None),
        (CONTROLLERS, "pt", "falta um comando, só tem 1", 1),
        (CONTROLLERS, "en", "one controller is missing, it only has 1", 1),
    ],
)
def test_a_number_of_things_that_are_left_is_none_of_others(
    element: str, language: str, said: str, value: int | None
) -> None:
    judged = judge(question(element), said, language, TODAY)
    assert (judged.guess.value if isinstance(judged, ProbableAnswer) else None) == value
