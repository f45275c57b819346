"""A message that joins questions is split into them; one that says anything else is left whole."""

import pytest

from server.text_reading.wishes.joined_questions import joined_questions, put_before


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "how long is the warranty and what's it worth?",
            ["how long is the warranty?", "what's it worth?"],
        ),
        ("do you ship it or does the buyer get it?", ["do you ship it?", "does the buyer get it?"]),
        ("quanto vale e quem o vem buscar?", ["quanto vale?", "quem o vem buscar?"]),
        ("quanto custa? quem paga os portes?", ["quanto custa?", "quem paga os portes?"]),
        (
            "when do I get paid, and how much do you take",
            ["when do I get paid?", "how much do you take?"],
        ),
    ],
)
def test_each_question_is_found(text: str, parts: list[str]) -> None:
    assert joined_questions(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "is it an iphone 12 or 13?",
        "it works. how much is it worth?",
        "does it have the box and the charger?",
        "o que é um ciclo?",
        "the box and the charger",
    ],
)
def test_one_question_or_a_statement_is_no_list_of_questions(text: str) -> None:
    assert joined_questions(text) == []


def test_a_sentence_of_two_answers_is_told_once() -> None:
    told = put_before(
        ["The shop says. It is free.", "Ask. It is free."], "No price. Is it yours?", ["No price."]
    )
    assert told == "The shop says. It is free. Ask. Is it yours?"
