"""The answer that a message wants away is found by the words of its question."""

import pytest

from server.text_reading.wishes.removed_answers import removed_answer

QUESTIONS = [("What is the battery health?", False), ("When did you buy it?", True)]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("remove the purchase date", 1),
        ("apaga a data", 1),
        ("tira a data de compra, por favor", 1),
        ("please delete the battery health", 0),
        ("remove the case", None),
        ("delete it", None),
        ("the date is wrong", None),
    ],
)
def test_only_a_question_that_is_named_is_meant(text: str, place: int | None) -> None:
    assert removed_answer(text, QUESTIONS) == place
