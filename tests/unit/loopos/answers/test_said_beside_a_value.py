"""What sellers say beside a value: a wish to hear the question, a worn battery, what is left out, what was paid."""

from __future__ import annotations

from datetime import date

import pytest

from server.loopos.answers import ProbableAnswer, Refused, Valid, damage_of, judge, told_price
from server.loopos.answers.clauses.faults import tells_fault
from server.loopos.answers.clauses.joined_parts import without_noted
from server.loopos.answers.clauses.remark_parts import says_clean
from server.loopos.answers.clauses.talk import asks_again
from server.loopos.answers.judges.answer_judge import judge_with_remark
from tests.unit.loopos.phrases.judged import question

TODAY = date(2026, 11, 29)


def guessed(element_id: str, answer: str, language: str) -> tuple[object, str]:
    """Return the value that an answer is asked back with, and what is shown of it."""
    judged = judge_with_remark(question(element_id), answer, language, TODAY)
    assert isinstance(judged, ProbableAnswer), judged
    return judged.guess.value, judged.guess.shown


@pytest.mark.parametrize(
    "said",
    [
        "no, sorry, what was the question?",
        "no wait, what did you ask?",
        "yes, sorry, can you repeat the question please",
        "what's the question again?",
        "não, desculpa, qual era a pergunta?",
        "não, espera, o que é que perguntaste?",
        "desculpe, pode repetir a pergunta?",
        "não percebi a pergunta",
    ],
)
def test_a_wish_to_hear_the_question_is_no_answer(said: str) -> None:
    for element_id in ("smartphones.screen", "laptops.works", "laptops.notes", "laptops.battery_cycles"):
        judged = judge(question(element_id), said, "en", TODAY)
        label = question(element_id).label.en
        assert isinstance(judged, Refused) and judged.text_in("en") == f"The question is: {label}"


@pytest.mark.parametrize(
    "said",
    [
        "no, it's cracked. what was the question?",
        "yes, what's the next question?",
        "no, that noise repeats",
        "no, how do I get paid?",
        "não, qual é a próxima pergunta?",
        "sim, e quem paga os portes?",
        "não, desculpa, está rachado",
    ],
)
def test_an_answer_beside_a_question_asks_for_no_repetition(said: str) -> None:
    assert not asks_again(said)


@pytest.mark.parametrize(
    ("element_id", "said", "remark", "language"),
    [
        (
            "laptops.works",
            "Sim, tudo. Só a autonomia é que já não é a mesma",
            "Só a autonomia é que já não é a mesma",
            "pt",
        ),
        (
            "watches.works",
            "tudo a funcionar mas a bateria já não aguenta um dia",
            "a bateria já não aguenta um dia",
            "pt",
        ),
        ("vacuums.works", "funciona tudo, a bateria dura menos", "a bateria dura menos", "pt"),
        (
            "vacuums.works",
            "Yes, all of it. Only the battery isn't what it was",
            "Only the battery isn't what it was",
            "en",
        ),
        (
            "laptops.works",
            "everything works, battery doesn't last like it used to",
            "battery doesn't last like it used to",
            "en",
        ),
        ("watches.works", "works fine, battery isn't great any more", "battery isn't great any more", "en"),
    ],
)
def test_a_worn_battery_is_a_remark_where_all_works(
    element_id: str, said: str, remark: str, language: str
) -> None:
    value, shown = guessed(element_id, said, language)
    assert value == "all" and shown.endswith(f"({remark})")


@pytest.mark.parametrize(
    ("element_id", "said", "value", "language"),
    [
        ("vacuums.works", "everything works but the battery is dead", "partly", "en"),
        ("vacuums.works", "all works, the battery lasts less and the brush is stuck", "partly", "en"),
        ("vacuums.works", "yes, only the brush is stuck", "partly", "en"),
        ("vacuums.works", "sim, mas a bateria morreu", "partly", "pt"),
        ("vacuums.works", "tudo menos a bateria, que já não dura", "partly", "pt"),
        ("consoles.works", "sim, tudo, só o comando tem drift", "partly", "pt"),
        ("vacuums.works", "não, a bateria já não é a mesma", "none", "pt"),
    ],
)
def test_what_does_not_work_is_no_worn_battery(element_id: str, said: str, value: str, language: str) -> None:
    assert guessed(element_id, said, language)[0] == value


@pytest.mark.parametrize(
    "said",
    [
        "the battery is dead",
        "the battery died last month",
        "dead battery",
        "a bateria morreu",
        "a bateria está morta",
        "bateria viciada",
    ],
)
def test_a_dead_battery_is_a_fault(said: str) -> None:
    assert tells_fault(said)


@pytest.mark.parametrize("said", ["the battery never died", "a bateria nunca morreu", "battery is not dead"])
def test_a_battery_that_never_died_is_none(said: str) -> None:
    assert not tells_fault(said)


@pytest.mark.parametrize(
    ("element_id", "said", "value", "shown", "language"),
    [
        (
            "vacuums.charger",
            "dock yes, wall mount is missing a screw",
            True,
            "Yes (wall mount is missing a screw)",
            "en",
        ),
        ("vacuums.charger", "base sim, falta um parafuso", True, "Sim (falta um parafuso)", "pt"),
        (
            "consoles.cables",
            "cables yes, except the hdmi one",
            False,
            "No (cables yes, except the hdmi one)",
            "en",
        ),
        ("consoles.cables", "sim, menos o hdmi", False, "Não (menos o hdmi)", "pt"),
        (
            "audio.box",
            "yes, the box has my name written on it",
            True,
            "Yes (the box has my name written on it)",
            "en",
        ),
        (
            "bicycles.invoice",
            "sim, está em nome da minha mulher",
            True,
            "Sim (está em nome da minha mulher)",
            "pt",
        ),
        ("audio.box", "yes, I still have the box", True, "Yes", "en"),
        ("laptops.charger", "sim, claro, porque não havia de ter", True, "Sim", "pt"),
        ("bicycles.invoice", "yes, bought in may 2021", True, "Yes", "en"),
    ],
)
def test_what_a_yes_leaves_out_or_adds_is_shown_with_it(
    element_id: str, said: str, value: bool, shown: str, language: str
) -> None:
    assert guessed(element_id, said, language) == (value, shown)


@pytest.mark.parametrize(
    ("said", "is_clean"),
    [("clean", True), ("limpinho", True), ("muito limpa", True), ("clean lens", False), ("bom", False)],
)
def test_clean_alone_is_a_fact(said: str, is_clean: bool) -> None:
    assert says_clean(said) is is_clean


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a third party cable", ""),
        ("a third party cable, a strap", "a strap"),
        ("no third party cable", "no third party cable"),
        ("cable", "cable"),
    ],
)
def test_a_fact_that_a_note_has_is_told_once(text: str, left: str) -> None:
    assert without_noted(text, ["but it comes with a third party cable"], facts=True) == left
    assert without_noted(text, ["but it comes with a third party cable"]) == text


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("small scratch on the bottom plate", None),
        ("uns riscos na base", None),
        ("scratch on the lens", "scratches"),
        ("riscos na lente", "scratches"),
    ],
)
def test_a_scratch_elsewhere_is_none_of_the_lens(said: str, value: str | None) -> None:
    whole = question("cameras.condition")
    told = damage_of(question("cameras.sensor"), whole, said, "en", TODAY)
    assert (told.guess.value if told else None) == value


@pytest.mark.parametrize(
    ("said", "price", "language"),
    [
        ("got it in march 2021 for 600", None, "en"),
        ("picked it up in 2021 for 300", None, "en"),
        ("foi em março de 2021 por 600 euros", None, "pt"),
        ("you can have it for 200", 200, "en"),
        ("i've got it up for 200", 200, "en"),
        ("got it new in 2021, asking 200 euros", 200, "en"),
        ("foi em 2021, peço 200 euros", 200, "pt"),
    ],
)
def test_what_was_paid_in_a_year_is_not_asked(said: str, price: int | None, language: str) -> None:
    told = told_price(said, language)
    assert (told.value if isinstance(told, Valid) else None) == price


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        (
            "smartphones.condition",
            "en",
            "good. well, more fair, theres a scratch on the screen",
            "Fair (theres a scratch on the screen)",
        ),
        ("smartphones.condition", "en", "good, or rather fair", "Fair"),
        ("smartphones.condition", "en", "excellent, well, good more like", "Good"),
        (
            "smartphones.condition",
            "pt",
            "bom. bem, mais para razoável, tem um risco no ecrã",
            "Razoável (tem um risco no ecrã)",
        ),
        ("smartphones.condition", "pt", "bom, ou melhor, razoavel", "Razoável"),
        (
            "smartphones.condition",
            "en",
            "good, more scratches than i remember",
            "Good (more scratches than i remember)",
        ),
        ("smartphones.condition", "pt", "bom, mais ou menos", "Bom"),
        ("strollers.fabric", "en", "torn?? no i never said that. theyre clean", "Clean"),
        ("strollers.fabric", "pt", "rasgados?? não, nunca disse isso. estão limpos", "Limpos"),
        ("strollers.fabric", "en", "clean, wheels are a bit worn", "Clean"),
        ("strollers.fabric", "pt", "limpos, as rodas estão um bocado gastas", "Limpos"),
        ("strollers.fabric", "en", "the hood is torn", "Torn (the hood is torn)"),
        ("bicycles.condition", "en", "good, brakes work, no crash, got it march 2022, no extras", "Good"),
        (
            "strollers.smoke_free",
            "pt",
            "Sim, cá em casa ninguém fuma. Temos um gato, mas nunca andou no carrinho.",
            "Sim (cá em casa ninguém fuma. Temos um gato, mas nunca andou no carrinho)",
        ),
        (
            "strollers.smoke_free",
            "en",
            "Yes, nobody smokes. We have a cat, but it never went in the stroller.",
            "Yes (We have a cat, but it never went in the stroller)",
        ),
        (
            "cameras.sensor",
            "pt",
            "tem um bocadinho de po dentro da lente, nao se nota nas fotos",
            "Só pó (tem um bocadinho de po dentro da lente, nao se nota nas fotos)",
        ),
        (
            "smartphones.screen",
            "en",
            "one hairline scratch top left, only visible when off",
            "Yes (one hairline scratch top left, only visible when off)",
        ),
        ("bicycles.condition", "pt", "bom, sem extras nem acessórios", "Bom"),
    ],
)
def test_the_last_value_counts_and_only_facts_of_its_own_question_stand_beside_it(
    element: str, language: str, said: str, shown: str
) -> None:
    judged = judge_with_remark(question(element), said, language, TODAY)
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    assert isinstance(guess, Valid) and guess.shown == shown


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        ("strollers.fabric", "en", "wheels are a bit worn"),
        ("strollers.fabric", "pt", "as rodas estão um bocado gastas"),
        ("strollers.fabric", "pt", "a correia está rasgada"),
        ("consoles.works", "pt", "sim, está livre"),
        ("consoles.works", "en", "yes, it's free of accounts"),
    ],
)
def test_words_about_another_part_or_the_accounts_are_no_value(
    element: str, language: str, said: str
) -> None:
    assert isinstance(judge_with_remark(question(element), said, language, TODAY), Refused)


@pytest.mark.parametrize(
    ("element_id", "language", "said", "shown"),
    [
        (
            "coffee-machines.works",
            "pt",
            "Funciona, sim senhor, só que a varinha do leite entope às vezes, mas limpa-se com um alfinete",
            "Funciona, com defeitos (a varinha do leite entope às vezes, mas limpa-se com um alfinete)",
        ),
        (
            "coffee-machines.works",
            "pt",
            "Pronto, funciona com defeitos: a varinha do leite entope às vezes",
            "Funciona, com defeitos (a varinha do leite entope às vezes)",
        ),
        (
            "coffee-machines.works",
            "en",
            "works with faults: the steam wand clogs at times",
            "It works, with faults (the steam wand clogs at times)",
        ),
        (
            "coffee-machines.works",
            "en",
            "Works, except that the grinder is loud",
            "It works, with faults (the grinder is loud)",
        ),
        ("smartphones.screen", "pt", "sim tudo ok menos os riscos", "Sim (menos os riscos)"),
        ("smartphones.screen", "pt", "sim, menos uma marca no canto", "Sim (menos uma marca no canto)"),
        (
            "coffee-machines.leaks",
            "pt",
            "Não verte nada, a racha é em cima, fora da água. Retém bem.",
            "Sim (a racha é em cima, fora da água)",
        ),
        (
            "coffee-machines.leaks",
            "en",
            "No leaks, the crack is at the top, above the water. Holds fine.",
            "Yes (the crack is at the top, above the water)",
        ),
        (
            "coffee-machines.condition",
            "pt",
            "Olhe, eu diria bom. Tem é aquela racha no depósito, como lhe disse.",
            "Bom (tem é aquela racha no depósito)",
        ),
        (
            "cameras.sensor",
            "en",
            "I've never noticed any dust or spots, but I'm no expert. Does that matter much to buyers?",
            "Yes, nothing visible",
        ),
        ("cameras.sensor", "en", "never seen any dust or fungus", "Yes, nothing visible"),
        ("cameras.sensor", "pt", "limpa que eu veja, mas não sou especialista", "Sim, nada visível"),
        ("smartphones.screen", "en", "yes, does that matter?", "Yes"),
        ("audio.box", "pt", "não, faz diferença?", "Não"),
        ("audio.box", "pt", "tenho a caixa, isso ajuda?", "Sim"),
    ],
)
def test_what_stands_beside_an_option_is_kept_once(
    element_id: str, language: str, said: str, shown: str
) -> None:
    assert guessed(element_id, said, language)[1] == shown


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "sim, está livre de qualquer operadora"),
        ("pt", "sim, funciona com qualquer cartão"),
        ("en", "yes its unlocked to any network"),
    ],
)
def test_a_network_is_no_account(language: str, said: str) -> None:
    judged = judge_with_remark(question("smartphones.account_lock"), said, language, TODAY)
    assert isinstance(judged, Refused) and judged.code == "of_accounts"
