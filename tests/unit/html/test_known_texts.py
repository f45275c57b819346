"""Blocks in the language of their reader: known texts, texts with values, and what stays as it was written."""

import pytest

from server.html.known_texts import KnownTexts
from server.languages import LANGUAGES, Language

TEXTS: list[dict[Language, str]] = [
    {"pt": "Estado", "en": "Condition", "es": "Estado", "fr": "État", "de": "Zustand"},
    {"pt": "Bom", "en": "Good", "es": "Bueno", "fr": "Bon", "de": "Gut"},
    {"pt": "Percebi: {answer}. É?", "en": "I understood: {answer}. Is it?"},
    {"pt": "{count} a", "en": "{count} b"},
]
QUESTION = {
    "kind": "choices",
    "name": "phone.condition",
    "legend": "Estado",
    "choices": [{"value": "Bom", "label": "Bom", "note": "Bom"}, {"value": "7", "label": "Assim-assim"}],
    "position": 2,
    "status": "open",
}


@pytest.fixture
def known() -> KnownTexts:
    return KnownTexts(TEXTS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_is_found_in_any_language(known, language):
    for text in TEXTS[1].values():
        assert known.translate(text, language) == TEXTS[1][language]


def test_a_text_that_is_not_known_stays(known):
    assert known.translate("bom", "en") == "bom"
    assert known.translate("3 a", "en") == "3 a", "too little stands beside the value to recognise it"


def test_the_values_in_a_text_are_translated_too(known):
    assert known.translate("Percebi: Bom. É?", "en") == "I understood: Good. Is it?"
    assert known.translate("Percebi: sei lá {x}. É?", "en") == "I understood: sei lá {x}. Is it?"
    assert known.translate("Percebi: Bom. É?", "fr") == "Percebi: Bom. É?"


def test_a_question_changes_its_words_and_not_what_a_click_sends(known):
    shown = known.block_in(QUESTION, "en")
    assert shown["legend"] == "Condition"
    assert shown["choices"][0] == {"value": "Bom", "label": "Good", "note": "Good"}
    assert shown["choices"][1] == {"value": "7", "label": "Assim-assim"}
    assert known.block_in(shown, "pt") == QUESTION


def test_a_block_whose_heading_is_not_known_stays_whole(known):
    own = {**QUESTION, "legend": "Wie geht es?"}
    assert known.block_in(own, "en") == own


def test_what_was_typed_into_a_form_stays(known):
    typed = {"kind": "form", "legend": "Estado", "answer": {"value": "Bom", "label": "Bom"}}
    assert known.block_in(typed, "en") == {**typed, "legend": "Condition"}


def test_a_card_changes_its_pairs(known):
    card = {"kind": "card", "tag": "Estado", "title": "Bom", "pairs": [{"label": "Estado", "value": "Bom"}]}
    assert known.block_in(card, "en")["pairs"] == [{"label": "Condition", "value": "Good"}]
