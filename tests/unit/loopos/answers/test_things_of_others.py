"""What is said of the thing of another person, or of another one of the seller's, decides nothing of the item."""

from __future__ import annotations

import pytest

from server.loopos.answers import ProbableAnswer, Refused
from server.loopos.answers.clauses.other_kinds import without_other_goods
from server.loopos.answers.judges.answer_judge import judge_with_remark
from tests.unit.loopos.phrases.judged import TODAY, question

WORKS, STATE, FABRIC = "vacuums.works", "coffee-machines.condition", "strollers.fabric"


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        (STATE, "en", "my neighbour's Jura died after a month"),
        (STATE, "en", "my neighbours jura was faulty but mine's spot on"),
        (STATE, "pt", "a jura do vizinho morreu passado um mês"),
        (STATE, "pt", "a máquina do meu vizinho avariou ao fim de um mês"),
        (WORKS, "en", "my wife's one is dead"),
        (WORKS, "pt", "o da minha irmã está avariado"),
        ("bicycles.frame", "en", "my other bike has a cracked frame, this hasn't"),
        ("turntables.stylus", "en", "my other deck has no stylus but this one's fine"),
    ],
)
def test_the_thing_of_another_is_no_answer(element: str, language: str, said: str) -> None:
    assert isinstance(judge_with_remark(question(element), said, language, TODAY), Refused)


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        (STATE, "en", "my mums jura was faulty but mine is good", "Good"),
        (STATE, "en", "my sister's one is knackered, mine's good", "Good"),
        (STATE, "en", "the one my sister had was wrecked but mine is good", "Good"),
        (STATE, "pt", "a do meu irmão estava toda partida mas a minha está boa", "Bom"),
        ("furniture.condition", "en", "the matching armchair is trashed but the sofa is good", "Good"),
        ("smartphones.screen", "en", "my old phone was smashed, this one's perfect", "Yes"),
        ("furniture.screws", "en", "the ones for my bed are missing but these are all there", "Yes"),
        (
            "coffee-machines.works",
            "pt",
            "a minha outra máquina avariou mas esta funciona",
            "Sim, tudo funciona",
        ),
        (FABRIC, "en", "my other pram's hood is ripped but this one is spotless", "Clean"),
        (WORKS, "en", "yes, my brother's one is the dodgy one", "Yes, everything works"),
        (WORKS, "pt", "sim, o da minha mãe é que avariou", "Sim, tudo funciona"),
        ("consoles.works", "en", "yes, my PS5 is the broken one", "Yes, everything works"),
        (WORKS, "en", "yes but my friend had one and it died after a year", "Yes, everything works"),
    ],
)
def test_what_is_said_beside_of_the_own_one_is_asked_back(
    element: str, language: str, said: str, shown: str
) -> None:
    judged = judge_with_remark(question(element), said, language, TODAY)
    assert isinstance(judged, ProbableAnswer) and judged.guess.shown == shown


@pytest.mark.parametrize(
    ("element", "said"),
    [
        (WORKS, "my mum's hoover works fine"),
        ("coffee-machines.works", "a máquina da minha mãe funciona bem"),
        (WORKS, "my son's cup leaked into the dock"),
        (WORKS, "the left one is dead, the other one works"),
        ("smartphones.notes", "my son's name is engraved on the back"),
        ("strollers.accessories", "my mum's old rain cover is included"),
        ("strollers.accessories", "a capa antiga da minha mãe vai incluída"),
        ("strollers.condition", "o cão do vizinho roeu a pega"),
        ("strollers.condition", "my neighbour's dog chewed the handle"),
    ],
)
def test_what_is_told_of_the_item_stays(element: str, said: str) -> None:
    assert without_other_goods(question(element), said) == said
