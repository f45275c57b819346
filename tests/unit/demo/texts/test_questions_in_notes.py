"""Questions and words about a missing note where a free text is asked: they are no part of the text."""

import pytest

from server.loopos.answers import ProbableAnswer, Refused, Valid, judge
from tests.unit.loopos.phrases.judged import TODAY, question

NOTES = "furniture.notes"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "e aceita trocas? é que há gente que pede"),
        ("en", "do you take swaps? just wondering"),
        ("en", "What would you ask for it? I don't know"),
        ("pt", "quanto pede por ela? não sei"),
    ],
)
def test_a_question_with_its_reason_is_no_note(language: str, said: str) -> None:
    judged = judge(question(NOTES), said, language, TODAY)
    assert isinstance(judged, Refused) and judged.code == "not_an_answer"


@pytest.mark.parametrize(
    ("language", "said", "left"),
    [
        ("en", "I have the receipt. What would you ask for it? I don't know", "I have the receipt"),
        ("en", "Is there anything else to say? box of bags included, York", "box of bags included, York"),
        ("pt", "tem uma mancha. e aceitam trocas? é só para saber", "tem uma mancha"),
    ],
)
def test_a_note_beside_a_question_is_asked_back_without_it(language: str, said: str, left: str) -> None:
    judged = judge(question(NOTES), said, language, TODAY)
    assert isinstance(judged, ProbableAnswer) and judged.guess.value == left


@pytest.mark.parametrize(
    ("language", "said", "left"),
    [
        ("pt", "Ainda falta pôr que tem umas riscas no tabuleiro", "tem umas riscas no tabuleiro"),
        ("pt", "é preta, falta isso", "é preta"),
        ("en", "oh and i forgot to say that one drawer sticks", "one drawer sticks"),
        ("pt", "falta uma gaveta", "falta uma gaveta"),
        ("en", "one screw is missing", "one screw is missing"),
    ],
)
def test_words_that_say_a_note_is_missing_are_left_out(language: str, said: str, left: str) -> None:
    judged = judge(question(NOTES), said, language, TODAY)
    assert isinstance(judged, Valid) and judged.value == left
