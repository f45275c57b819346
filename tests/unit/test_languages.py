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
    detect_language,
    fold,
    format_euro,
    format_number,
    format_share,
    read_number,
    split_question,
)
from server.text_reading.wishes.spoken_languages import spoken_language
from server.words import FOLDER, Words, choose_language

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
def test_a_text_that_is_no_number_is_refused(text: str, language: Language) -> None:
    with pytest.raises(ValueError):
        read_number(text, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_number_goes_with_its_noun(language: Language) -> None:
    words = Words(FOLDER)
    one, many = (words.fill(language, "tool.get_catalog.result", {"total": each}) for each in (1, 2))
    none = words.fill(language, "tool.get_catalog.result", {"total": 0})
    assert [each.split(" ")[0] for each in (none, one, many)] == ["0", "1", "2"]
    assert (none.removeprefix("0") == one.removeprefix("1")) is (0 in LOCALES[language].singular)


@pytest.mark.parametrize(
    ("remembered", "accepted", "otherwise", "offered", "chosen"),
    [
        ("de", "fr", "en", LANGUAGES, "de"),
        ("de-AT", "fr", "en", LANGUAGES, "de"),
        ("xx", "fr-CA,fr;q=0.9,en;q=0.8", "pt", LANGUAGES, "fr"),
        ("", "en;q=0.2, de;q=0.9, fr;q=0", "pt", LANGUAGES, "de"),
        ("", "fr;q=0", "pt", LANGUAGES, "pt"),
        ("", "es;q=2, de;q=0.5", "pt", LANGUAGES, "es"),
        ("", "fil, eng, dexter", "en", LANGUAGES, "en"),
        ("fr", "de, en;q=0.5", "pt", ("en", "pt"), "en"),
        ("fr", "de", "pt", ("en", "es"), "en"),
        ("", "," * 10_000 + "de", "pt", LANGUAGES, "pt"),
        ("\x00", "*", "fr", LANGUAGES, "fr"),
    ],
)
def test_the_language_is_the_first_one_wished_that_is_offered(
    remembered: str, accepted: str, otherwise: Language, offered: tuple[Language, ...], chosen: str
) -> None:
    assert choose_language(remembered, accepted, otherwise, offered) == chosen


@pytest.mark.parametrize(
    ("text", "usual", "language"),
    [
        ("um, october 2020", "en", None),
        ("um, october 2020. lockdown birthday pressie", "en", None),
        ("um october 2020", "en", None),
        ("um... about 40", "en", None),
        ("um, the box and um, the cable", "en", "en"),
        ("um iphone 12", "en", "pt"),
        ("é um, o preto", "en", "pt"),
        ("Quiero vender un iPhone 12 negro", "pt", "es"),
        ("Je veux vendre un vélo", "pt", "fr"),
        ("À vendre : un vélo", "en", "fr"),
        ("Ich möchte mein Fahrrad verkaufen", "en", "de"),
        ("groß", None, "de"),
        ("nada", "pt", None),
        ("ta livre", "pt", None),
        ("ta", "en", None),
        ("no funciona", "es", None),
        ("no funciona", "pt", None),
        ("no funciona", "en", "pt"),
        ("De Longhi Magnifica S", "en", None),
        ("La Pavoni Europiccola", "pt", None),
        ("Drone DJI Mini 2 Fly More Combo", "pt", None),
        ("I Want More", "pt", "en"),
        ("és parvo", "pt", None),
        ("iPhone 12", "de", None),
        ("space gray", "pt", None),
        ("space gray", "fr", None),
        ("space gray", "en", "en"),
        ("it is space gray", "pt", "en"),
        ("it's black", "pt", "en"),
    ],
)
def test_a_language_is_known_by_its_small_words(
    text: str, usual: Language | None, language: Language | None
) -> None:
    assert detect_language(text, usual) == language


@pytest.mark.parametrize(
    ("message", "said", "asked"),
    [
        ("yes, but how do you pay?", "yes", "but how do you pay?"),
        ("sim, é esse, preciso da fatura?", "sim, é esse", "preciso da fatura?"),
        ("montado sim, é seguro mandar a morada?", "montado sim", "é seguro mandar a morada?"),
        ("128. is it safe? and what does it cost?", "128.", "is it safe? and what does it cost?"),
        ("yes, black?", "yes, black?", ""),
        ("yes, is it free?", "yes, is it free?", ""),
        ("sim, é o preto?", "sim, é o preto?", ""),
        ("yes, do you mean 64 or 128?", "yes, do you mean 64 or 128?", ""),
        ("how do you pay?", "how do you pay?", ""),
        ("yes, it is free", "yes, it is free", ""),
    ],
)
def test_a_question_about_another_thing_is_split_from_what_a_message_says(
    message: str, said: str, asked: str
) -> None:
    assert split_question(message) == (said, asked)


@pytest.mark.parametrize("piece", [", ", " e", "e ", ", e", " ", "\n", "tell me ", "so,\n"])
def test_a_long_text_is_looked_for_a_question_once(piece: str) -> None:
    """The rest of the text was read again from each clause, and from each blank: this took longer than a test may."""
    said = piece * (100_000 // len(piece))
    assert split_question(f"{said}x?") == (f"{said}x?", "")


def test_a_question_begins_with_one_of_the_last_clauses_of_a_message() -> None:
    """Each clause of a message was tried, all of the thousands that a message can have."""
    assert split_question("yes, how is it" + ", well" * 19 + "?")[0] == "yes"
    longer = "yes, how is it" + ", well" * 20 + "?"
    assert split_question(longer) == (longer, "")


@pytest.mark.parametrize("marks", ["\u0300\u0316", "\u0f73"])
def test_a_letter_with_a_million_marks_is_that_letter(marks: str) -> None:
    """Unicode puts marks in order, one by one: this took longer than a test may."""
    assert fold("A" + marks * 500_000 + "ção") == "acao"


@pytest.mark.parametrize(
    ("text", "usual", "language"),
    [
        ("label sais 11/2019", "en", None),
        ("usado", "en", None),
        ("I bought it from João", "en", None),
        ("não sei", "en", "pt"),
        ("está ótimo", "en", "pt"),
        ("the manual is in portuguese", "en", "en"),
        ("portuguese please", "en", "pt"),
        ("está bom. english, please", "pt", "en"),
    ],
)
def test_a_conversation_changes_its_language_for_several_words(
    text: str, usual: Language, language: Language | None
) -> None:
    assert spoken_language(text, usual) == language
