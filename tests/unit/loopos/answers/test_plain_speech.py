"""Answers in everyday words: marks on another part, light marks, letters for words, figures that are no counts."""

from __future__ import annotations

from datetime import date

import pytest

from server.loopos.answers import ProbableAnswer, Refused
from server.loopos.answers.judges.answer_judge import judge_with_remark
from tests.unit.loopos.phrases.judged import question

TODAY = date(2026, 11, 29)


def understood(element: str, language: str, said: str) -> tuple[str, str]:
    """Return whether an answer is `sure`, `asked` back or `refused`, and what is shown of it, or why."""
    judged = judge_with_remark(question(element), said, language, TODAY)
    if isinstance(judged, Refused):
        return "refused", judged.code
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return ("asked" if isinstance(judged, ProbableAnswer) else "sure"), guess.shown.replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        ("smartphones.screen", "en", "yes the screen is spotless n touch works fine", "Yes"),
        ("smartphones.account_lock", "en", "its unlocked n free of accounts", "Yes, it is free"),
        ("consoles.cables", "en", "got the charger n hdmi", "Yes"),
        ("consoles.cables", "en", "charger and hdmi, no box", "Yes"),
        (
            "consoles.cables",
            "pt",
            "tem dock, carregador e hdmi e ainda dou o mario kart 8. caixa n tenho",
            "Sim",
        ),
        ("consoles.cables", "en", "charger yes, hdmi no", "No (hdmi no)"),
        ("watches.glass", "en", "like i said its fine, just the bezel has scratches", "No marks"),
        ("watches.glass", "pt", "como disse está bom, só a moldura tem riscos", "Sem marcas"),
        (
            "watches.glass",
            "en",
            "a small scratch near the bezel",
            "Scratched (a small scratch near the bezel)",
        ),
        ("watches.glass", "en", "its fine but has a scratch", "Scratched"),
        ("cameras.sensor", "en", "its clean, just the body has scratches", "Yes, nothing visible"),
        (
            "cameras.sensor",
            "en",
            "the body is fine, the lens has scratches",
            "Scratches (the lens has scratches)",
        ),
        (
            "consoles.condition",
            "en",
            "its ok, small scrach on the glass but works great",
            "Good (small scrach on the glass)",
        ),
        (
            "watches.condition",
            "en",
            "sum lite scratches on the bezel, screen is fine",
            "Good (sum lite scratches on the bezel)",
        ),
        (
            "watches.condition",
            "pt",
            "está ok, umas marquinhas na bracelete",
            "Bom (umas marquinhas na bracelete)",
        ),
        (
            "consoles.condition",
            "en",
            "Pretty tidy, few scuffs on the dock. Like I said the left joycon drifts.",
            "Good (few scuffs on the dock; the left joycon drifts)",
        ),
        ("consoles.banned", "pt", "ok liga, tudo fixe", "Sim"),
        ("consoles.banned", "en", "all good", "Yes"),
        ("watches.box", "en", "no box no receipt", "No, neither"),
        ("watches.box", "pt", "sem caixa nem fatura", "Não, nenhum"),
        ("watches.box", "en", "no receipt but the box yes", "Only the box"),
        ("consoles.controllers", "en", "just the pair of joycons it came with", "2 controllers"),
        ("consoles.controllers", "pt", "um par de comandos", "2 comandos"),
        ("consoles.controllers", "en", "1 pair of joycons", "1 controller"),
        ("consoles.purchase_date", "en", "dec 21 from fnac", "December 2021"),
        ("consoles.purchase_date", "pt", "comprei em dez 21 na worten de faro", "dezembro de 2021"),
        ("consoles.purchase_date", "en", "xmas 2022", "December 2022"),
        ("coffee-machines.coffees", "en", "2 coffees a day, about 1500 in total", "1,500 coffees"),
        ("audio.battery_hours", "en", "8 hours a day", "8 h"),
    ],
)
def test_it_is_asked_back(element: str, language: str, said: str, shown: str) -> None:
    assert understood(element, language, said) == ("asked", shown)


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        ("nintendo-switch.drift", "pt", "o esquerdo, ja disse 3 vezes mano", "Não, desvia o esquerdo"),
        ("nintendo-switch.drift", "en", "left one. i said that like 5 times", "No, the left one drifts"),
        ("coffee-machines.coffees", "en", "how shud i know. maybe 2 a day", "I don't know"),
        ("coffee-machines.coffees", "pt", "como hei de saber isso", "Não sei"),
        ("smartphones.screen", "en", "n, its cracked", "No"),
    ],
)
def test_it_is_sure(element: str, language: str, said: str, shown: str) -> None:
    assert understood(element, language, said) == ("sure", shown)


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        ("smartphones.screen", "en", "caixa n tenho"),
        ("watches.glass", "en", "the bezel has scratches"),
        ("watches.condition", "en", "its ok but the screen is cracked"),
        ("watches.condition", "en", "what do a few marks mean?"),
        ("consoles.banned", "en", "it was all good until it got banned"),
        ("consoles.banned", "en", "not all good"),
        ("laptops.keyboard", "en", "all good"),
        ("consoles.controllers", "en", "a pair and a pro controller"),
        ("consoles.controllers", "en", "a pair of games"),
        ("coffee-machines.coffees", "pt", "uns 2 por dia"),
        ("coffee-machines.coffees", "en", "how do i know how many?"),
        ("consoles.purchase_date", "en", "3 dec 21 from fnac"),
    ],
)
def test_it_is_not_understood(element: str, language: str, said: str) -> None:
    assert understood(element, language, said)[0] == "refused"


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        ("watches.box", "en", "jus box", "Only the box"),
        ("watches.condition", "en", "gd init apart from that scratch", "Good (that scratch)"),
        ("smartphones.purchase_date", "en", "xmas 22", "December 2022"),
        ("smartphones.purchase_date", "pt", "natal de 22", "dezembro de 2022"),
        ("consoles.controllers", "en", "None separate, they're built in on the Lite", "0 controllers"),
    ],
)
def test_words_that_are_typed_short_are_asked_back(
    element: str, language: str, said: str, shown: str
) -> None:
    assert understood(element, language, said) == ("asked", shown)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "rides lovely, but you'd want a new back tyre before winter"),
        ("pt", "anda muito bem, mas convinha um pneu de trás novo antes do inverno"),
    ],
)
def test_a_part_that_is_due_is_a_service_that_is_asked_back(language: str, said: str) -> None:
    outcome, shown = understood("bicycles.ready", language, said)
    assert outcome == "asked" and shown.startswith(("It needs a tune-up", "Precisa de afinação"))
