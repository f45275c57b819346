"""Remarks of sellers about themselves, and words that end a text: neither tells anything of an item."""

import pytest

from server.loopos.answers.clauses.excuses import is_excuse
from server.loopos.answers.clauses.text_replies import ends_text


@pytest.mark.parametrize(
    ("words", "is_own"),
    [
        ("desculpa tive de sair do autocarro", True),
        ("desculpe a demora", True),
        ("sorry i had to step out", True),
        ("sorry for the late reply", True),
        ("sorry it has a box", False),
        ("sorry, its black", False),
        ("i had to fix it", False),
        ("tive de trocar a bateria", False),
    ],
)
def test_an_excuse_says_nothing_of_the_item(words: str, is_own: bool) -> None:
    assert is_excuse(words) is is_own


@pytest.mark.parametrize(
    ("message", "ends"),
    [
        ("no thats it", True),
        ("nope thats all", True),
        ("no that’s all, thanks", True),
        ("nao, é só isso", True),
        ("não, mais nada", True),
        ("não é só isso", False),
        ("no, just the box", False),
    ],
)
def test_a_no_ends_a_text_where_it_says_that_there_is_no_more(message: str, ends: bool) -> None:
    assert ends_text(message) is ends
