"""Words are found by key and language, and a gap is seen instead of breaking anything."""

from __future__ import annotations

import re

import pytest

from server.errors import Internal, NotFound, NothingNew, Replaced, RunFailed, Unauthorized, Unavailable
from server.languages import nearest_language
from server.words import FOLDER, Words, ended_sentence, failure_sentence, say


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
    assert words.fill("pt", "tool.get_catalog.result", {"total": 3}) == "3 produtos"
    assert words.fill("pt", "tool.get_catalog.result", {"total": 1}) == "1 produto"
    assert words.fill("pt", "tool.get_catalog.result", {}) == ""
    assert words.fill("pt", "no.such.key", {}) == ""


def test_a_value_does_not_turn_the_sentence_around(words):
    said = words.say("pt", "choice.product.yes", product="X\u202ecod.exe\u2066")
    assert said == "Sim, Xcod.exe"
    assert words.fill("pt", "tool.confirm_product.result", {"product": "a\u202eb"}) == "ab"


def test_scripts_get_only_what_they_ask_for(words):
    assert set(words.all("en", "composer.send", "log.")) == {
        "composer.send",
        "log.label",
        "log.jump",
        "log.jump.count",
        "log.jump.question",
        "log.older",
        "log.older.failed",
    }


@pytest.mark.parametrize(
    ("code", "short"),
    [("pt-PT", "pt"), ("en_US", "en"), ("fr-CA", "fr"), ("xx", "pt"), (None, "pt"), ("", "pt")],
)
def test_the_nearest_language_is_taken(code, short):
    assert nearest_language(code) == short


def failures() -> set[str]:
    """Return the codes of all failures of a run."""
    return {Internal.code, *(each.code for each in RunFailed.__subclasses__())}


def test_the_protocol_lists_every_failure_of_a_run_with_the_sentence_that_people_read() -> None:
    text = (FOLDER.parents[1] / "docs" / "protocol" / "README.md").read_text()
    listed = dict(re.findall(r"^\| `(\w+)` \| ([A-Z][^|]*\.) \|", text, re.MULTILINE))
    assert listed == {code: failure_sentence(code, "en") for code in failures()}


@pytest.mark.parametrize("language", ["pt", "en"])
def test_no_sentence_of_a_failure_belongs_to_a_code_that_does_not_exist(words, language):
    keys = {key.removeprefix("run.failed.") for key in words.all(language, "run.failed.")}
    assert keys - {"kept"} <= failures()
    assert words.say(language, "run.failed") == failure_sentence("internal", language)


def test_an_answer_that_ends_before_its_run_says_why_in_both_languages(words):
    ended = {each.code for each in (Internal, NotFound, NothingNew, Replaced, Unauthorized, Unavailable)}
    for language in ("pt", "en"):
        keys = {key.removeprefix("answer.ended.") for key in words.all(language, "answer.ended.")}
        assert keys == ended
    assert ended_sentence("nothing_new", "pt-PT") == "Não há nenhuma mensagem nova para responder."
    assert ended_sentence("rate_limited", "pt") is None
