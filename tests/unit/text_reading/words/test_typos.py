"""A word with a typing error is the same word, as difflib tells, and of a long text few words are compared."""

from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.text_reading.words.typos import LIKE, SHORT, alike, near

WORDS = st.text("abcd1", min_size=1, max_size=14)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("vermelho", "vermelo", True),
        ("bramco", "branco", True),
        ("azul", "azuis", False),
        ("pro", "prq", False),
        ("s21", "s21", True),
        ("galaxy21", "galaxy20", False),
    ],
)
def test_a_long_word_without_figures_has_typos(one: str, other: str, same: bool) -> None:
    assert alike(one, other) is same


@settings(deadline=None)
@given(WORDS, WORDS)
def test_the_quick_comparison_leaves_out_no_typo(one: str, other: str) -> None:
    has_typo = min(len(one), len(other)) >= SHORT and not any(each.isdigit() for each in one + other)
    same = one == other or (has_typo and SequenceMatcher(None, one, other).ratio() >= LIKE)
    assert alike(one, other) is same
    assert not same or near([one], ["zzzz", other]) == [one]


def test_the_words_near_others_keep_their_order_and_number() -> None:
    assert near(["verde", "xyz", "vrede", "verde"], ["azul", "verde"]) == ["verde", "vrede", "verde"]
    assert near(["verde"], []) == []
