"""Answers that tell what was done, what there is and how it is: each is asked back as what it says."""

from __future__ import annotations

import pytest

from server.loopos.answers import ProbableAnswer, Refused, Valid
from server.loopos.answers.judges.answer_judge import judge_with_remark
from tests.unit.loopos.phrases.judged import TODAY, question

LOCK, SCREEN, LENS = "smartphones.account_lock", "smartphones.screen", "cameras.sensor"
CHASSIS, FABRIC, ONLINE = "strollers.chassis", "strollers.fabric", "consoles.banned"
SHUTTER, CYCLES, KILOMETRES = "cameras.shutter_count", "laptops.battery_cycles", "scooters.kilometres"
ACCESSORIES = "food-processors.accessories"


def read(element: str, said: str, language: str) -> str:
    """Return what is shown of the answer, or the code of its refusal."""
    judged = judge_with_remark(question(element), said, language, TODAY)
    if isinstance(judged, Refused):
        return judged.code
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return guess.shown.replace("\xa0", " ")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "já o retirei da minha conta"),
        ("pt", "conta google já removida"),
        ("pt", "ja tirei o icloud, e ta desbloqueado de operador"),
        ("pt", "desassociei a conta"),
        ("pt", "já saí das contas todas e formatei"),
        ("pt", "não, já o retirei da minha conta"),
        ("en", "removed from my account"),
        ("en", "signed out of icloud"),
        ("en", "account removed"),
        ("en", "i've taken my apple id off"),
        ("en", "it was locked but I took it off my account"),
    ],
)
def test_a_device_whose_account_was_taken_off_is_free(language: str, said: str) -> None:
    assert read(LOCK, said, language).startswith(("Sim, está livre", "Yes, it is free"))


def test_what_was_done_with_an_account_stands_whole_beside_the_answer() -> None:
    assert "(já o retirei da minha conta)" in read(LOCK, "já o retirei da minha conta", "pt")
    shown = read(LOCK, "ja tirei o icloud, e ta desbloqueado de operador", "pt")
    assert "(ja tirei o icloud, e ta desbloqueado de operador)" in shown


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "ainda não o retirei da minha conta"),
        ("pt", "vou retirar a conta"),
        ("pt", "não consigo tirar a conta"),
        ("pt", "tem a minha conta"),
        ("en", "not removed from my account yet"),
        ("en", "i'll remove my account"),
        ("en", "I removed the account but it's still asking for the password"),
        ("en", "i removed the sim and it's locked to my account"),
    ],
)
def test_an_account_that_is_still_there_is_no_free_device(language: str, said: str) -> None:
    assert not read(LOCK, said, language).startswith(("Sim", "Yes"))


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        (LOCK, "pt", "tem a minha conta"),
        (LOCK, "pt", "a conta é do meu filho"),
        ("car-seats.accident", "pt", "a estrutura está ótima"),
        ("car-seats.accident", "en", "Never crashed, nothing broken"),
        ("coffee-machines.works", "pt", "tira café, mas o vaporizador do leite já não deita vapor"),
        ("scooters.works", "pt", "anda mas o travao de tras ja nao agarra"),
        (CHASSIS, "pt", "Nem uma beliscadela, e trava certinho"),
    ],
)
def test_no_answer_that_ends_the_sale_is_guessed_from_words_that_do_not_say_it(
    element: str, language: str, said: str
) -> None:
    judged = judge_with_remark(question(element), said, language, TODAY)
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    assert not (isinstance(guess, Valid) and guess.deal_breaker)


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        ("tablets.charger", "pt", "vai com carregador e cabo, caixa é que já não tenho", "Sim (caixa é"),
        ("laptops.charger", "en", "it has the charger and cable, just don't have the box", "Yes (just don't"),
        ("tablets.charger", "en", "the charger yes, the case no", "Yes"),
        ("tablets.charger", "pt", "levas o cabo, o carregador já não tenho", "Não"),
        ("tablets.charger", "en", "not the charger, only the cable", "No"),
        ("laptops.charger", "pt", "traz carregador mas não é o original", "Não"),
        (
            ACCESSORIES,
            "pt",
            "vem tudo o que vinha com ela: varoma, cesto, o cook-key nunca tive",
            "Sim (o cook-key",
        ),
        (ACCESSORIES, "en", "comes with everything it came with, never had the cook-key", "Yes (never had"),
        (ACCESSORIES, "pt", "traz a varoma, o cesto e a espatula", "Sim"),
        (ACCESSORIES, "pt", "traz a varoma e o cesto, mas falta a borboleta", "Não (falta a borboleta)"),
        (ACCESSORIES, "en", "all except the spatula", "No"),
        (SCREEN, "pt", "funciona tudo, so tem o tal risco", "Sim (so tem o tal risco)"),
        (SCREEN, "en", "everything works, it just has that one scratch", "Yes (just has"),
        (SCREEN, "en", "works fine apart from the scratch", "Yes (apart from the scratch)"),
        (SCREEN, "pt", "funciona bem, só está partido num canto", "Não"),
        (SCREEN, "pt", "só tem um risco", "Sim (só tem um risco)"),
        (LENS, "en", "No, the lens is clean. The scratches are on the body.", "Yes, nothing visible"),
        (LENS, "en", "small scratch on the back screen", "not_an_option"),
        (LENS, "pt", "a lente está limpa, os riscos são no corpo", "Sim, nada visível"),
        (LENS, "pt", "pó na lente, risco no corpo", "Só pó"),
        (LENS, "en", "tiny scratch on the front of the lens", "Scratches"),
        (LENS, "pt", "tem riscos na lente", "Riscos"),
        (CHASSIS, "pt", "O travão funciona lindamente, a estrutura não tem nada", "Sim"),
        (CHASSIS, "en", "nothing wrong with the frame, the brakes work", "Yes"),
        (CHASSIS, "pt", "a estrutura está ótima mas as rodas abanam", "not_an_option"),
        (CHASSIS, "pt", "só o travão funciona", "not_an_option"),
        ("bicycles.frame", "pt", "o quadro não tem nada", "Sim"),
        (FABRIC, "pt", "tem uma manchinha no assento", "Com manchas"),
        (FABRIC, "en", "it has a small stain on the seat", "Stained"),
        (ONLINE, "en", "goes online no probs", "Yes"),
        (ONLINE, "pt", "vai à net na boa", "Sim"),
        (ONLINE, "en", "i bought it online", "not_an_option"),
        (SHUTTER, "en", "A GoPro doesn't have one, as far as I know", "I don't know"),
        (SHUTTER, "pt", "que eu saiba não tem", "Não sei"),
        (CYCLES, "pt", "Não sei ao certo quantos ciclos, mas dura umas 3 horas.", "Não sei"),
        (CYCLES, "en", "I don't know the cycles but battery is good", "I don't know"),
        (CYCLES, "pt", "nunca contei", "Não sei"),
        (CYCLES, "pt", "não sei ao certo, uns 200 ciclos", "200 ciclos"),
        (CYCLES, "en", "couldn't tell you, maybe 85", "85 cycles"),
        (KILOMETRES, "pt", "a trotinete não tem contador", "required"),
        ("consoles.controllers", "pt", "não tem comandos", "0 comandos"),
    ],
)
def test_an_answer_is_asked_back_as_what_it_says(element: str, language: str, said: str, shown: str) -> None:
    assert read(element, said, language).startswith(shown)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "light scratches on the body, the lens is clean",
            "Good (light scratches on the body, the lens is clean)",
        ),
        ("Good condition, light scratches on the body", "Good (light scratches on the body)"),
        ("like new, barely used", "Excellent (barely used)"),
    ],
)
def test_a_clause_stands_whole_beside_a_grade(said: str, shown: str) -> None:
    assert read("cameras.condition", said, "en") == shown
