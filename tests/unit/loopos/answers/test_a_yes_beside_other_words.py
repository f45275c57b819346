"""A yes to what was asked stays a yes beside clauses about other things, and none where a clause opposes it."""

from __future__ import annotations

from datetime import date

import pytest

from server.loopos.answers import ProbableAnswer, Refused, Valid
from server.loopos.answers.judges.answer_judge import judge_with_remark
from tests.unit.loopos.phrases.judged import question

TODAY = date(2026, 11, 29)


def asked(element: str, language: str, said: str) -> str:
    """Return what is asked back of an answer; nothing where it is refused."""
    judged = judge_with_remark(question(element), said, language, TODAY)
    assert not isinstance(judged, Valid), judged
    return "" if isinstance(judged, Refused) else judged.guess.shown


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        (
            "car-seats.accident",
            "en",
            "Yes it's all whole and never been in an accident. There's a small tear on the hood though, do I need to "
            "mention that?",
            "Yes (there's a small tear on the hood though)",
        ),
        (
            "car-seats.accident",
            "en",
            "frame's fine, never been in a crash. actually it was 2021 we bought it not 2020",
            "Yes",
        ),
        (
            "vacuums.charger",
            "en",
            "Yes, both the wall dock and the charger. By the way I have arthritis in my wrists, but please don't put "
            "that in the advert",
            "Yes (both the wall dock and the charger)",
        ),
        (
            "coffee-machines.leaks",
            "pt",
            "sim nao pinga. mas perdi o manual e a caixa",
            "Sim (perdi o manual e a caixa)",
        ),
        (
            "high-chairs.structure",
            "pt",
            "Está muito firme, é uma cadeira bem pesada. O tabuleiro não tenho, nunca comprámos.",
            "Sim (O tabuleiro não tenho)",
        ),
        (
            "furniture.assembled",
            "en",
            "It's assembled, it's one piece, nothing missing, on the ground floor as well",
            "Yes",
        ),
        (
            "furniture.assembled",
            "en",
            "Yes, it is standing in the bedroom as it is. Will the buyer need to come and fetch it? I cannot deliver.",
            "Yes",
        ),
        (
            "furniture.assembled",
            "en",
            "It is still standing in the living room, but I can take it apart for the buyer. It would have to be "
            "collected, would it not?",
            "Yes",
        ),
        (
            "bicycles.ready",
            "pt",
            "não, não precisa de afinação nenhuma, está pronta a andar. só falta a campainha",
            "Sim (só falta a campainha)",
        ),
    ],
)
def test_a_clause_about_another_thing_turns_no_yes(
    element: str, language: str, said: str, shown: str
) -> None:
    assert asked(element, language, said) == shown


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        (
            "car-seats.accident",
            "en",
            "Yes it's whole but it was in an accident once",
            "No, it was in an accident",
        ),
        ("car-seats.accident", "en", "yes. It was in a crash in 2019", "No, it was in an accident"),
        (
            "furniture.damage",
            "en",
            "yes, it has scratches on the arm",
            "Scratches or stains (it has scratches on the arm)",
        ),
        ("high-chairs.structure", "pt", "está firme mas abana um pouco", "Abana um pouco"),
        ("coffee-machines.leaks", "pt", "sim, pinga um bocado", "Perde umas gotas (pinga um bocado)"),
        ("vacuums.charger", "en", "yes, no charger though", "No"),
        ("bicycles.ready", "pt", "sim, mas precisa de afinação", "Precisa de afinação"),
        ("furniture.screws", "pt", "sim, tem todos, menos um", "Não (tem todos, menos um)"),
        (
            "consoles.works",
            "en",
            "yes, everything works. the left stick drifts",
            "It works, with faults (the left stick drifts)",
        ),
        ("strollers.chassis", "pt", "a estrutura está ótima mas as rodas abanam", ""),
    ],
)
def test_a_clause_about_what_is_asked_does(element: str, language: str, said: str, shown: str) -> None:
    assert asked(element, language, said) == shown


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        (
            "air-fryers.parts",
            "pt",
            "O cesto sim, a grelha também. O manual é que perdi, e a caixa já não tenho.",
            "Sim, ambos",
        ),
        ("watches.box", "en", "box yes, papers too", "Yes, both"),
        ("air-fryers.parts", "en", "the basket yes, the rack I lost", "Only the basket"),
        ("watches.box", "pt", "a caixa sim, os documentos não", "Só a caixa"),
        ("air-fryers.parts", "pt", "nem cesto nem grelha", "Não, nenhum"),
        ("watches.box", "en", "I have the box but not sure about the papers", "Only the box"),
    ],
)
def test_each_of_two_things_is_there_or_not_as_it_is_named(
    element: str, language: str, said: str, shown: str
) -> None:
    assert asked(element, language, said) == shown


@pytest.mark.parametrize(
    ("said", "language", "is_sure"),
    [
        ("yep genuine, bought from currys in 2021", "en", True),
        ("sim claro, comprei na worten em 2021", "pt", True),
        ("yes, bought it in 2021 for 300", "en", False),
        ("yes, I think, bought in 2021", "en", False),
        ("yes got it from a proper dealer", "en", False),
    ],
)
def test_a_yes_to_a_genuine_thing_is_sure_beside_the_year_it_was_bought_in(
    said: str, language: str, is_sure: bool
) -> None:
    judged = judge_with_remark(question("watches.authentic"), said, language, TODAY)
    assert isinstance(judged, Valid) is is_sure
    assert isinstance(judged, Valid) or (isinstance(judged, ProbableAnswer) and judged.guess.value == "yes")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("tem uns risquinhos mas está inteira", "Com marcas de uso (tem uns risquinhos mas está inteira)"),
        ("sem riscos", "Em bom estado"),
        ("tem riscos e está rachada", "Partida ou em falta (tem riscos e está rachada)"),
    ],
)
def test_scratches_of_a_bowl_are_signs_of_use(said: str, shown: str) -> None:
    assert asked("food-processors.bowl", "pt", said) == shown


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        ("bicycles.invoice", "pt", "ja nao tenho a fatura", "Não"),
        ("bicycles.invoice", "en", "I don't have the invoice anymore", "No"),
        ("laptops.charger", "pt", "não tem o carregador original", "Não"),
        ("consoles.cables", "en", "hdmi and power yeah", "Yes"),
        ("watches.authentic", "en", "genuine yeah lol", "Yes, it is genuine"),
        ("car-seats.manual", "en", "the manual yeah", "Yes"),
    ],
)
def test_an_answer_of_the_words_of_its_question_is_sure(
    element: str, language: str, said: str, shown: str
) -> None:
    judged = judge_with_remark(question(element), said, language, TODAY)
    assert isinstance(judged, Valid) and judged.shown == shown


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        ("bicycles.invoice", "pt", "não tenho só a fatura"),
        ("bicycles.invoice", "pt", "não, tenho a fatura"),
        ("bicycles.invoice", "pt", "não tenho a fatura comigo, está em casa"),
        ("bicycles.invoice", "en", "don't I have the invoice?"),
        ("laptops.charger", "pt", "não tem carregador"),
        ("laptops.charger", "en", "not the original charger"),
        ("consoles.cables", "en", "hdmi yeah, power no"),
        ("consoles.cables", "en", "hdmi and power, I think yeah"),
        ("watches.box", "en", "box yeah"),
        ("smartphones.screen", "en", "screen intact yeah"),
    ],
)
def test_one_that_says_more_or_less_is_not(element: str, language: str, said: str) -> None:
    assert not isinstance(judge_with_remark(question(element), said, language, TODAY), Valid)


@pytest.mark.parametrize(
    ("said", "language", "shown"),
    [
        ("acho q sim, como vejo isso? ja tirei o icloud ontem", "pt", "Sim, está livre"),
        ("yes, how do I check that? I signed out last night", "en", "Yes, it is free"),
    ],
)
def test_a_question_how_to_look_leaves_a_yes(said: str, language: str, shown: str) -> None:
    assert asked("smartphones.account_lock", language, said).startswith(shown)


@pytest.mark.parametrize(
    ("language", "said", "shown"),
    [
        ("pt", "anda bem", "Sim"),
        ("pt", "anda bem, os travões são mecânicos e falta a campainha", "Sim (falta a campainha)"),
        ("pt", "Só precisa de encher os pneus e de óleo", "Sim (Só precisa de encher os pneus)"),
        ("pt", "não anda bem", "Precisa de afinação"),
        ("pt", "anda mal", ""),
        ("pt", "precisa de pneus novos", "Precisa de afinação (precisa de pneus novos)"),
        ("pt", "anda bem mas as mudanças saltam", "Precisa de afinação (as mudanças saltam)"),
        ("pt", "os travões são mecânicos", ""),
    ],
)
def test_a_bicycle_that_rides_well_is_ready(language: str, said: str, shown: str) -> None:
    assert asked("bicycles.ready", language, said) == shown


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        ("furniture.assembled", "pt", "sim, está na sala montada"),
        ("furniture.assembled", "pt", "sim montada na sala"),
        ("furniture.assembled", "en", "yes, it is assembled in the living room"),
        ("vacuums.charger", "en", "yes, the charger is here at home"),
    ],
)
def test_a_yes_that_repeats_the_question_is_sure_wherever_the_thing_stands(
    element: str, language: str, said: str
) -> None:
    assert isinstance(judge_with_remark(question(element), said, language, TODAY), Valid)


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        ("furniture.assembled", "pt", "sim, acho que está montada na sala"),
        ("furniture.assembled", "pt", "sim, na sala"),
        ("furniture.assembled", "pt", "sim, não está montada na sala"),
        ("furniture.assembled", "en", "yes, partly assembled in the garage"),
        ("car-seats.accident", "en", "yes, it was in an accident"),
    ],
)
def test_a_yes_that_is_softened_or_names_nothing_of_the_question_is_asked_back(
    element: str, language: str, said: str
) -> None:
    assert asked(element, language, said)


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        ("scooters.works", "pt", "Sim, tudo ok. O travão trava bem.", "Sim, tudo funciona"),
        ("scooters.works", "pt", "Sim, tudo ok. Foi comprada em 2021.", "Sim, tudo funciona"),
        ("strollers.carrycot", "pt", "Não, a alcofa não está incluída. Vai com capa de chuva", "Não"),
        ("laptops.charger", "en", "No, it does not have the charger. It comes with a bag", "No"),
        ("smartphones.screen", "en", "Yes, screen is good. Comes with the box and a case", "Yes"),
    ],
)
def test_a_plain_first_sentence_is_sure_where_the_others_only_add(
    element: str, language: str, said: str, shown: str
) -> None:
    judged = judge_with_remark(question(element), said, language, TODAY)
    assert isinstance(judged, Valid) and judged.shown == shown


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        ("scooters.works", "pt", "Sim. O travão trava mal."),
        ("strollers.carrycot", "pt", "Não, a alcofa não está incluída. Mas vai com capa de chuva"),
        ("strollers.carrycot", "pt", "Não. Vai com a alcofa"),
        ("smartphones.screen", "en", "Yes, the screen is intact. There is a green line"),
        ("smartphones.screen", "en", "Yes. Small dot in the corner"),
        ("smartphones.screen", "en", "Yes, screen is good. Comes with a cracked case"),
        ("smartphones.screen", "en", "Yes. Bought broken in 2020"),
    ],
)
def test_a_plain_first_sentence_is_asked_back_where_another_may_change_it(
    element: str, language: str, said: str
) -> None:
    assert asked(element, language, said)
