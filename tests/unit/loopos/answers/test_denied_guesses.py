"""Guesses that other words of an answer take back: the other side is asked back, or which answer it is."""

from datetime import date

import pytest

from server.loopos.answers import ProbableAnswer, Refused
from server.loopos.answers.judges.answer_judge import judge_with_remark
from tests.unit.loopos.phrases.judged import question

TODAY = date(2026, 3, 14)
LOCK, BOX, WORKS, LEAKS = (
    "smartphones.account_lock",
    "watches.box",
    "scooters.works",
    "coffee-machines.leaks",
)
COT, CABLES, INVOICE = "strollers.carrycot", "consoles.cables", "bicycles.invoice"
KEYBOARD, GRADE = "laptops.keyboard", "smartphones.condition"


def read(element: str, said: str, language: str) -> str:
    """Return what is asked back, the code of a refusal, or what is stored behind an equals sign."""
    judged = judge_with_remark(question(element), said, language, TODAY)
    if isinstance(judged, Refused):
        return judged.code
    return judged.guess.shown if isinstance(judged, ProbableAnswer) else f"={judged.shown}"


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        ("vacuums.charger", "pt", "vai só o aspirador", "Não"),
        ("vacuums.charger", "en", "i'm selling only the vacuum", "No"),
        ("vacuums.charger", "pt", "só o carregador", "Sim"),
        ("vacuums.charger", "en", "just the dock", "Yes"),
        (CABLES, "pt", "só o hdmi", "Não (só o hdmi)"),
        (CABLES, "en", "just the power one", "No"),
        (COT, "pt", "ofereci a alcofa", "Não (ofereci a alcofa)"),
        (COT, "pt", "tenho mas não quero vender", "Não"),
        (COT, "en", "i have it but i'm keeping it", "No"),
        ("laptops.charger", "pt", "vendi o carregador", "Não (vendi o carregador)"),
        ("laptops.charger", "en", "i sold the charger", "No (i sold the charger)"),
    ],
)
def test_what_does_not_go_with_an_item_is_a_no(element: str, language: str, said: str, shown: str) -> None:
    assert read(element, said, language) == shown


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        (WORKS, "pt", "o pisca não funciona", "Funciona, com defeitos (o pisca não funciona)"),
        (WORKS, "en", "the bell doesn't work", "It works, with faults (the bell doesn't work)"),
        (WORKS, "pt", "não funciona bem", "Funciona, com defeitos (não funciona bem)"),
        (WORKS, "en", "doesn't work well", "It works, with faults (doesn't work well)"),
        (WORKS, "pt", "o motor não funciona", "Não funciona (o motor não funciona)"),
        (WORKS, "en", "the motor doesn't work", "It does not work (the motor doesn't work)"),
        (WORKS, "pt", "não funciona", "Não funciona"),
        ("audio.works", "pt", "não, só de um lado", "Funciona, com defeitos"),
        ("audio.works", "en", "no, only on one side", "It works, with faults"),
    ],
)
def test_a_part_that_does_not_work_ends_no_sale(element: str, language: str, said: str, shown: str) -> None:
    assert read(element, said, language) == shown


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        ("air-fryers.parts", "pt", "perdi a grelha", "Só o cesto"),
        ("air-fryers.parts", "pt", "a grelha perdi", "Só o cesto"),
        ("air-fryers.parts", "en", "lost the rack", "Only the basket"),
        (BOX, "pt", "perdi a caixa mas tenho o manual", "Só os documentos"),
        (BOX, "en", "I lost the papers", "Only the box"),
    ],
)
def test_one_of_two_things_that_was_lost_leaves_the_other(
    element: str, language: str, said: str, shown: str
) -> None:
    assert read(element, said, language) == shown


@pytest.mark.parametrize(
    ("element", "language", "said", "code"),
    [
        (LEAKS, "pt", "sim, perde água", "ambiguous"),
        (LEAKS, "en", "yes, it leaks", "ambiguous"),
        (LOCK, "pt", "está bloqueado na vodafone", "not_an_option"),
        (LOCK, "pt", "livre de operadora", "not_an_option"),
        (LOCK, "en", "locked to vodafone", "not_an_option"),
        (KEYBOARD, "pt", "qwerty", "not_an_option"),
        (KEYBOARD, "en", "qwerty", "not_an_option"),
        (KEYBOARD, "pt", "inglês", "ambiguous"),
        (KEYBOARD, "en", "english", "ambiguous"),
        ("watches.glass", "pt", "nada", "not_an_option"),
        ("watches.glass", "en", "nothing", "not_an_option"),
    ],
)
def test_words_that_may_be_several_answers_are_none(
    element: str, language: str, said: str, code: str
) -> None:
    assert read(element, said, language) == code


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        (LOCK, "pt", "desbloqueado", "=Sim, está livre"),
        (LOCK, "en", "unlocked", "=Yes, it is free"),
        (INVOICE, "pt", "tenho no mail", "Sim"),
        (INVOICE, "pt", "devo ter para aí", "Sim"),
        (INVOICE, "en", "there's no invoice", "No"),
        (INVOICE, "en", "i should have it somewhere", "Yes"),
        ("cameras.works", "pt", "foca mal às vezes", "Não"),
        (GRADE, "pt", "não sei avaliar, acho que bom", "Bom"),
        (GRADE, "en", "don't know how to rate it, i'd say good", "Good"),
        ("cameras.sensor", "pt", "uma manchinha no sensor", "Só pó (uma manchinha no sensor)"),
    ],
)
def test_what_is_said_is_asked_back(element: str, language: str, said: str, shown: str) -> None:
    assert read(element, said, language) == shown


LID, STRAPS, FABRIC, BATTERY = (
    "turntables.lid",
    "car-seats.straps",
    "strollers.fabric",
    "scooters.battery",
)
TRAY = "only thing is the cracked drip tray but it doesnt drip through"


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        (LID, "pt", "a tampa de acrílico está rachada", "Sim (a tampa de acrílico está rachada)"),
        (LID, "en", "the dust cover is cracked", "Yes (the dust cover is cracked)"),
        (LID, "pt", "a tampa rachou e deitei-a fora", "Não"),
        (STRAPS, "pt", "a fivela fecha bem mas os cintos estão desfiados", "Não (os cintos estão desfiados)"),
        (STRAPS, "en", "the buckle closes but the straps are frayed", "No (the straps are frayed)"),
        (FABRIC, "en", "black. no cup holder and the basket has a small tear", "not_an_option"),
        (FABRIC, "pt", "preto. sem porta copos e o cesto tem um pequeno rasgão", "not_an_option"),
        (LEAKS, "en", f"holds water fine yeah, no leaks. {TRAY}", f"Yes ({TRAY})"),
        (BATTERY, "en", "still does about 25km on a charge which is plenty", "not_an_option"),
        (BATTERY, "pt", "faz uns 25 km com uma carga, que chega bem", "not_an_option"),
        (BATTERY, "en", "still does 45 km on a charge like when new", "Lasts as when new"),
        ("cameras.works", "en", "It shoots fine, but the screen freezes", "Yes (the screen freezes)"),
        ("cameras.works", "en", "shoots but doesn't focus", "No"),
        (BOX, "en", "no papers, they got lost, but the original box is there", "Only the box"),
        (BOX, "en", "no box, it got lost, but the papers are here", "Only the papers"),
        (BOX, "pt", "documentos não, a caixa original está cá", "Só a caixa"),
    ],
)
def test_a_clause_about_another_part_takes_no_side(
    element: str, language: str, said: str, shown: str
) -> None:
    assert read(element, said, language) == shown
