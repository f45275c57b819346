"""The judge of answers over a table of phrases: no wrong value is sure, and few right ones are asked back."""

from __future__ import annotations

import pytest

from tests.unit.loopos.phrases import Row, rows
from tests.unit.loopos.phrases.judged import judged, table_text

TABLE = rows("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "prices")
LEAST_ROWS, MOST_ASKED_BACK, MOST_WRONG_GUESSES = 400, 0.1, 0.02


def shown(row: Row, says: str) -> str:
    """Return a row and what the judge made of it."""
    return f"{row.element} ({row.language}) {row.phrase!r}: {says}, and not {row.outcome}"


def by_language(language: str) -> list[Row]:
    return [row for row in TABLE if row.language == language]


@pytest.mark.parametrize("language", ["pt", "en"])
def test_no_phrase_is_sure_of_another_value_than_it_says(language: str) -> None:
    wrong = [
        shown(row, says)
        for row in by_language(language)
        if (says := table_text(judged(row))).startswith("=") and says != row.outcome
    ]
    assert wrong == []


@pytest.mark.parametrize("language", ["pt", "en"])
def test_a_phrase_that_says_no_value_is_not_understood(language: str) -> None:
    none = [row for row in by_language(language) if row.kind == "-"]
    assert [
        shown(row, table_text(judged(row))) for row in none if table_text(judged(row)).startswith("=")
    ] == []


@pytest.mark.parametrize("language", ["pt", "en"])
def test_a_clear_phrase_is_not_asked_back(language: str) -> None:
    clear = [row for row in by_language(language) if row.kind == "="]
    asked = [shown(row, table_text(judged(row))) for row in clear if table_text(judged(row)) != row.outcome]
    assert len(asked) <= MOST_ASKED_BACK * len(clear), asked


def test_a_wrong_guess_is_rare() -> None:
    """A guess is confirmed before it counts, and yet a wrong one annoys."""
    asked = [
        (row, says) for row in TABLE if row.kind != "=" and (says := table_text(judged(row))).startswith("?")
    ]
    wrong = [shown(row, says) for row, says in asked if not row.allows(says)]
    assert len(wrong) <= MOST_WRONG_GUESSES * len(asked), wrong


def test_the_table_is_large_and_in_both_languages() -> None:
    assert len(TABLE) >= LEAST_ROWS
    assert min(len(by_language(each)) for each in ("pt", "en")) > LEAST_ROWS // 4
    assert len(rows("first")) > LEAST_ROWS // 2
