"""A figure that a clause gives to a thing of another kind is none of the thing that is asked about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from server.loopos.answers import ProbableAnswer, Refused, Valid, judge
from server.loopos.answers.clauses.other_kinds import without_other_goods, without_other_kinds
from server.loopos.answers.judges.answer_judge import judge_with_remark
from tests.unit.loopos.phrases.judged import TODAY, question

BOUGHT, HEALTH = "smartphones.purchase_date", "smartphones.battery_health"


@pytest.mark.parametrize(
    ("element", "language", "said", "value"),
    [
        (BOUGHT, "en", "the ipad is from 2022, the phone from 2021", "2021"),
        (BOUGHT, "en", "the phone is from 2021, the ipad from 2022", "2021"),
        (BOUGHT, "en", "my ipad was 2022. this one 2021", "2021"),
        (BOUGHT, "en", "the ipad is from march 2022 and the iphone from may 2021", "2021-05"),
        (BOUGHT, "pt", "o ipad é de 2022, o telemóvel de 2021", "2021"),
        (HEALTH, "en", "the ipad is 90, the phone 87", 87),
    ],
)
def test_each_figure_is_of_the_thing_that_it_names(
    element: str, language: str, said: str, value: object
) -> None:
    told = judge(question(element), said, language, TODAY)
    assert isinstance(told, ProbableAnswer) and told.guess.value == value


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        (BOUGHT, "en", "the ipad is from 2022"),
        (BOUGHT, "pt", "o ipad é de 2022"),
        (HEALTH, "pt", "o ipad tem 90"),
        ("cameras.purchase_date", "en", "my phone is from 2022"),
    ],
)
def test_a_figure_of_another_thing_alone_is_no_answer(element: str, language: str, said: str) -> None:
    assert isinstance(judge(question(element), said, language, TODAY), Refused)


@pytest.mark.parametrize(
    ("element", "said"),
    [
        (BOUGHT, "the phone is from 2021"),
        (BOUGHT, "bought it with the ipad in 2022"),
        ("vacuums.purchase_date", "the dyson is from 2021"),
        ("corded-vacuums.purchase_date", "the vacuum is from 2021"),
        ("watches.purchase_date", "the screen is from 2021"),
    ],
)
def test_a_clause_of_the_own_thing_stays(element: str, said: str) -> None:
    assert without_other_kinds(question(element), said) == said


@pytest.mark.parametrize("said", ["yes dear", "sim querida"])
def test_an_address_leaves_a_yes_sure(said: str) -> None:
    judged = judge(question("vacuums.charger"), said, "pt" if said[0] == "s" else "en", TODAY)
    assert isinstance(judged, Valid) and judged.value is True


COFFEE, ITS_STATE = "coffee-machines.works", "coffee-machines.condition"


@pytest.mark.parametrize(
    ("element", "language", "said", "value", "shown"),
    [
        (
            COFFEE,
            "en",
            "Everything works, yes. My washing machine is leaking though",
            "all",
            "Yes, everything works",
        ),
        (
            COFFEE,
            "pt",
            "Funciona tudo, sim. A minha máquina de lavar é que perde água",
            "all",
            "Sim, tudo funciona",
        ),
        (COFFEE, "pt", "funciona tudo. o meu carro é que está avariado", "all", "Sim, tudo funciona"),
        (
            ITS_STATE,
            "en",
            "a few little marks. Our old toaster was completely broken",
            "B",
            "Good (a few little marks)",
        ),
        (
            ITS_STATE,
            "en",
            "the toaster was broken, not the coffee machine! The machine is good",
            "B",
            "Good",
        ),
        (ITS_STATE, "pt", "bom. a torradeira antiga é que estava toda partida", "B", "Bom"),
        (ITS_STATE, "en", "good, my cat scratched the side", "B", "Good (my cat scratched the side)"),
    ],
)
def test_a_sentence_about_another_thing_of_the_home_says_nothing_of_a_choice(
    element: str, language: str, said: str, value: str, shown: str
) -> None:
    judged = judge_with_remark(question(element), said, language, TODAY)
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    assert isinstance(guess, Valid) and (guess.value, guess.shown) == (value, shown)


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        (COFFEE, "en", "my dishwasher is broken"),
        (COFFEE, "pt", "a máquina de lavar não funciona"),
        ("coffee-machines.notes", "en", "the washing machine has nothing to do with it"),
        ("coffee-machines.notes", "pt", "a máquina de lavar não tem nada a ver"),
    ],
)
def test_a_sentence_about_another_thing_alone_is_no_answer(element: str, language: str, said: str) -> None:
    assert isinstance(judge(question(element), said, language, TODAY), Refused)


@pytest.mark.parametrize(
    ("element", "said"),
    [
        (COFFEE, "the car charger is broken"),
        (COFFEE, "the coffee machine is broken"),
        ("kitchen.works", "the toaster is broken"),
        ("e-readers.notes", "the tablet is scratched"),
        ("air-fryers.works", "the basket is broken"),
        ("unknown.works", "the toaster is broken"),
    ],
)
def test_a_sentence_about_the_own_thing_or_a_part_stays(element: str, said: str) -> None:
    own = replace(question(COFFEE), id=element)
    assert without_other_goods(own, said) == said
