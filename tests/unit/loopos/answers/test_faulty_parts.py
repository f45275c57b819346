"""A part that fails, a fault that is repaired and a need of something new: none says that nothing works, or all."""

from __future__ import annotations

import pytest

from server.loopos.answers import ProbableAnswer, Refused
from server.loopos.answers.judges.answer_judge import judge_with_remark
from tests.unit.loopos.phrases.judged import TODAY, question

FAULTS, WORKS = {"en": "It works, with faults", "pt": "Funciona, com defeitos"}, "vacuums.works"
ALL, NONE = (
    {"en": "Yes, everything works", "pt": "Sim, tudo funciona"},
    {"en": "It does not work", "pt": "Não funciona"},
)


def shown(element: str, said: str, language: str) -> str:
    judged = judge_with_remark(question(element), said, language, TODAY)
    assert isinstance(judged, ProbableAnswer), judged
    return judged.guess.shown


@pytest.mark.parametrize(
    ("element", "language", "said", "fault"),
    [
        (WORKS, "en", "the light doesn't work", "the light doesn't work"),
        ("watches.works", "en", "alarm doesnt work", "alarm doesnt work"),
        ("consoles.works", "en", "dock doesn't work", "dock doesn't work"),
        ("audio.works", "en", "mic doesnt work but sound is good", "mic doesnt work"),
        ("watches.works", "pt", "o alarme não funciona", "o alarme não funciona"),
        (WORKS, "pt", "a luz não funciona mas o resto sim", "a luz não funciona"),
        (WORKS, "en", "doesn't work on carpets", "doesn't work on carpets"),
        (WORKS, "en", "works fine but loses suction", "loses suction"),
        (WORKS, "pt", "funciona mas perde força", "perde força"),
        (WORKS, "en", "yes smells a bit tho", "smells a bit tho"),
        (WORKS, "pt", "sim mas cheira mal", "cheira mal"),
        ("audio.works", "en", "sounds tinny", "sounds tinny"),
    ],
)
def test_a_part_that_fails_is_a_fault(element: str, language: str, said: str, fault: str) -> None:
    assert shown(element, said, language) == f"{FAULTS[language]} ({fault})"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "it does not work"),
        ("en", "does not work at all"),
        ("en", "won't turn on at all and the light doesn't work"),
        ("en", "stopped working and I never got it fixed"),
        ("pt", "não funciona de todo"),
        ("pt", "não liga e a luz não acende"),
    ],
)
def test_what_does_not_work_as_a_whole_stays_so(language: str, said: str) -> None:
    assert shown(WORKS, said, language).startswith(NONE[language])


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "it was broken but I had it fixed"),
        ("en", "was broken but had it fixed, works fine now"),
        ("en", "the motor was dead but my mate replaced it"),
        ("pt", "estava avariado mas mandei arranjar"),
        ("pt", "tinha um problema na bateria mas já foi trocada, agora está ótimo"),
        ("en", "no probs"),
    ],
)
def test_a_fault_that_was_repaired_is_none(language: str, said: str) -> None:
    assert shown(WORKS, said, language) == ALL[language]


@pytest.mark.parametrize(
    "said", ["it was leaking, had it fixed but it still leaks", "it was fixed once but it broke again"]
)
def test_a_fault_that_came_back_is_one(said: str) -> None:
    assert shown(WORKS, said, "en").startswith(FAULTS["en"])


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "needs a new needle"), ("en", "it could do with a new one"), ("pt", "precisa de uma nova")],
)
def test_what_needs_a_new_one_is_in_no_good_condition(language: str, said: str) -> None:
    judged = judge_with_remark(question("turntables.stylus"), said, language, TODAY)
    assert isinstance(judged, Refused) or judged.guess.value != "good"


@pytest.mark.parametrize(
    ("language", "said", "grade"),
    [
        ("en", "got a bit of wear from the school run tbh", "Good ("),
        ("en", "light wear on the handle", "Good ("),
        ("pt", "tem algum desgaste da rua", "Bom ("),
    ],
)
def test_a_bit_of_wear_is_no_poor_condition(language: str, said: str, grade: str) -> None:
    assert shown("strollers.condition", said, language).startswith(grade)


@pytest.mark.parametrize(
    ("element", "said"),
    [("smartphones.screen", "ghost touch sometimes"), ("car-seats.straps", "buckle sticks")],
)
def test_a_fault_is_no_yes(element: str, said: str) -> None:
    assert shown(element, said, "en") == f"No ({said})"
