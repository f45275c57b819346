"""Answers that no person writes: blanks, marks and clauses without end, which took minutes and hours to judge.

Each of these took longer than a test may: by the square or the cube of its length, or by a judgement for each clause.
"""

from __future__ import annotations

import pytest

from server.loopos.answers import confirms
from server.loopos.answers.words import MOST_LETTERS, shorten_runs


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("  é   esse\t ", "é esse"),
        ("sim, \n \n  preto", "sim,\npreto"),
        ("a\nb", "a\nb"),
        ("12\u00a0000 km", "12\u00a0000 km"),
        ("ok!!!!! certo....", "ok!!! certo..."),
        ("lollll ???", "lollll ???"),
    ],
)
def test_runs_of_blanks_and_of_marks_are_short(text: str, short: str) -> None:
    assert shorten_runs(text) == short


@pytest.mark.parametrize("said", ["looks good,", "perfeito,", "this is the one,"])
def test_blanks_before_a_last_mark_are_read_once(said: str) -> None:
    assert confirms(said + " " * 7_980 + ",", "en") == confirms(f"{said} ,", "en")
    assert confirms(said + " -" * 50_000 + ",", "en")[0] is None


def test_a_yes_before_words_without_end_is_no_plain_yes() -> None:
    says, rest = confirms("sim " * MOST_LETTERS, "pt")
    assert says is True
    assert rest
    assert confirms("sim " + " " * 8 * MOST_LETTERS, "pt") == (True, "")
    assert confirms("a new battery" + " " * 8 * MOST_LETTERS + ", yes", "en") == (True, "a new battery")
