"""The thing that a message names as the next one to sell."""

import pytest

from server.loopos.answers.clauses.faults import fault_clauses
from server.text_reading.wishes.switch_wishes import asked_after


@pytest.mark.parametrize(
    ("said", "thing"),
    [
        ("Muito bem. Agora vamos à cadeira, por favor.", "cadeira"),
        ("passemos agora à cadeira", "cadeira"),
        ("now the chair please", "chair"),
        ("the chair now, please", "chair"),
        ("90 for the chair", ""),
    ],
)
def test_the_thing_that_comes_now(said: str, thing: str) -> None:
    assert asked_after(said) == thing


@pytest.mark.parametrize(
    "said", ["a tecla E e a barra de espaços falham", "the E key and the space bar are sticking"]
)
def test_a_key_by_its_letter_is_a_subject_of_the_fault(said: str) -> None:
    assert fault_clauses(said) == [said]
