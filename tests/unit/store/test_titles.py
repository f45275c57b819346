"""A conversation is called by the first words of its visitor, which are not cut in the middle of a word."""

from __future__ import annotations

import pytest

from server.store.runs.submit import TITLE_LENGTH, make_title


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("", ""),
        ("iPhone 12", "iPhone 12"),
        ("a\n\nb\tc ", "a b c"),
        (
            "quero vender a minha bicicleta elops 520 e uma nintendo switch",
            "quero vender a minha bicicleta elops 520 e uma nintendo…",
        ),
        ("x" * TITLE_LENGTH, "x" * TITLE_LENGTH),
        ("x" * (TITLE_LENGTH + 1), "x" * (TITLE_LENGTH - 1) + "…"),
        ("é " * 40_000, "é " * 29 + "é…"),
    ],
)
def test_the_first_words_become_a_title(words: str, title: str) -> None:
    assert make_title(words) == title
    assert len(title) <= TITLE_LENGTH
