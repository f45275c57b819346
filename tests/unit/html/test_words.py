"""Words are found by key and language, and a gap is seen instead of breaking anything."""

from __future__ import annotations

import pytest

from server.html.words import FOLDER, Words, nearest, say


@pytest.fixture(scope="module")
def words() -> Words:
    return Words(FOLDER)


def test_a_sentence_is_said_in_its_language_with_its_values(words):
    assert words.say("pt-PT", "form.position", position=3, total=7) == "Pergunta 3 de 7"
    assert words.say("en", "form.position", position=3, total=7) == "Question 3 of 7"
    assert say("block.change", "en") == "Change"


def test_a_key_nobody_wrote_is_seen(words):
    assert words.say("pt", "no.such.key", a=1) == "no.such.key"
    assert not words.has("pt", "no.such.key")


def test_a_sentence_counts_and_says_nothing_when_a_value_is_missing(words):
    assert words.filled("pt", "tool.get_catalog.result", {"total": 3}) == "3 produtos"
    assert words.filled("pt", "tool.get_catalog.result", {"total": 1}) == "1 produto"
    assert words.filled("pt", "tool.get_catalog.result", {}) == ""
    assert words.filled("pt", "no.such.key", {}) == ""


def test_a_value_does_not_turn_the_sentence_around(words):
    said = words.say("pt", "choice.product.yes", product="X\u202ecod.exe\u2066")
    assert said == "Sim, Xcod.exe"
    assert words.filled("pt", "tool.confirm_product.result", {"product": "a\u202eb"}) == "ab"


def test_scripts_get_only_what_they_ask_for(words):
    assert set(words.all("en", "composer.send", "log.")) == {
        "composer.send",
        "log.label",
        "log.jump",
        "log.jump.count",
        "log.older",
    }


@pytest.mark.parametrize(
    ("code", "short"), [("pt-PT", "pt"), ("en_US", "en"), ("fr", "pt"), (None, "pt"), ("", "pt")]
)
def test_the_nearest_language_is_taken(code, short):
    assert nearest(code) == short
