"""Every language of the page has its words, and a way to write numbers and days."""

from __future__ import annotations

import json
import re
from datetime import date

import pytest

from server.languages import (
    LANGUAGES,
    LOCALES,
    Language,
    format_euro,
    format_number,
    format_share,
    read_number,
)
from server.words import FOLDER

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


def test_an_amount_has_both_digits_of_its_cents_or_none() -> None:
    amounts = (187.7, 640.0, 12_000.5, 0.1, 0.004)
    assert [format_euro(each, "pt").replace("\N{NO-BREAK SPACE}", " ") for each in amounts] == [
        "187,70 €",
        "640 €",
        "12 000,50 €",
        "0,10 €",
        "0 €",
    ]
    assert [format_euro(each, "en") for each in amounts] == ["€187.70", "€640", "€12,000.50", "€0.10", "€0"]


def test_a_part_of_one_is_a_percentage() -> None:
    assert (format_share(0.9, "en"), format_share(0.855, "pt")) == ("90%", "85,5\N{NO-BREAK SPACE}%")


@pytest.mark.parametrize(
    ("text", "pt", "en"),
    [
        ("187,70 €", 187.7, 187.7),
        ("€12.5", 12.5, 12.5),
        ("200 euros", 200, 200),
        ("1\N{NO-BREAK SPACE}200", 1200, 1200),
        ("1.200,50", 1200.5, 1200.5),
        ("1,200.50", 1200.5, 1200.5),
        ("12.000", 12_000, 12),
        ("12,000", 12, 12_000),
        ("1.200.300", 1_200_300, 1_200_300),
        ("-3", -3, -3),
    ],
)
def test_a_number_is_read_as_people_of_the_language_write_it(text: str, pt: float, en: float) -> None:
    assert (read_number(text, "pt"), read_number(text, "en")) == (pt, en)


@pytest.mark.parametrize("text", ["caro", "", "€", "1.2.3,4,5", "1e9", "12a", "nan"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_no_number_is_refused(text: str, language: Language) -> None:
    with pytest.raises(ValueError):
        read_number(text, language)
