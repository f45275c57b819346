"""Every language of the page has its words, and a way to write numbers and days."""

from __future__ import annotations

import json
import re
from datetime import date

import pytest

from server.html.words import FOLDER
from server.languages import LANGUAGES, LOCALES, Language, format_number

PLACEHOLDER = re.compile(r"\{\w+\}")


def texts(language: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return found


def test_each_language_has_one_file_of_words_and_one_locale() -> None:
    assert {each.stem for each in FOLDER.glob("*.json")} == set(LANGUAGES) == set(LOCALES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_is_missing_or_empty_in_a_language(language: Language) -> None:
    first = texts(LANGUAGES[0])
    own = texts(language)
    assert set(own) == set(first)
    assert not [key for key, text in own.items() if not text and first[key]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_sentence_names_the_same_values_in_each_language(language: Language) -> None:
    first = texts(LANGUAGES[0])
    other = {
        key: text
        for key, text in texts(language).items()
        if set(PLACEHOLDER.findall(text)) != set(PLACEHOLDER.findall(first[key]))
    }
    assert other == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_and_a_day_are_written_in_each_language(language: Language) -> None:
    locale = LOCALES[language]
    assert format_number(1234567.5, language) == f"1{locale.group}234{locale.group}567{locale.decimal}5"
    assert "2026" in date(2026, 3, 14).strftime(locale.day)
    assert locale.quotes.format("a") not in {"a", locale.quotes}
