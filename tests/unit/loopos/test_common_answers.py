"""What is said of the visitor's data names everybody who gets them, and what is said of prices fits the questions."""

from __future__ import annotations

import pytest

from server.agents import TextReaders
from server.languages import LANGUAGES, READ, Language
from server.loopos.common_answers import PRODUCT_ANSWERS, common_answer, common_answers_line
from server.words import say
from tests.unit.agents.test_context import begun

MODEL = "The messages also go to the provider of the model that answers."
TRACES = "The messages are also recorded by a service in which those who run the page look for errors."
ALONE = "Only this browser and those who run the page can see it."


def told(readers: TextReaders | None, language: str = "en", **given: object) -> str:
    """Return what is said of the data in an installation with these readers."""
    resources = {} if readers is None else {TextReaders: readers}
    context, _ = begun(resources=resources, session_context={"common_answers": given} if given else {})
    return common_answer(context, "data", language)


@pytest.mark.parametrize("readers", [None, TextReaders()])
def test_where_nobody_else_gets_what_is_written_the_answer_says_so(readers: TextReaders | None) -> None:
    assert told(readers) == PRODUCT_ANSWERS["data"]["en"]
    assert told(readers).endswith(ALONE)


@pytest.mark.parametrize(
    ("readers", "ends"),
    [
        (TextReaders(model=True), f" {MODEL}"),
        (TextReaders(traces=True), f" {TRACES}"),
        (TextReaders(model=True, traces=True), f" {MODEL} {TRACES}"),
    ],
)
def test_everybody_who_gets_what_is_written_is_named(readers: TextReaders, ends: str) -> None:
    seen = (
        "The advert shows only what is on the item’s card. What you write is stored with this conversation. "
        "This browser and those who run the page can see it."
    )
    assert told(readers) == seen + ends
    context, _ = begun(resources={TextReaders: readers})
    assert told(readers) in common_answers_line(context, "en")
    assert ALONE not in common_answers_line(context, "en")
    assert PRODUCT_ANSWERS["delete"]["en"] in common_answers_line(context, "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_names_them(language: Language) -> None:
    both, model, alone = (told(TextReaders(*each), language) for each in ((True, True), (True,), ()))
    assert both.startswith(model) and len(both) > len(model) > len(alone)


def test_the_answer_of_an_app_comes_before() -> None:
    assert told(TextReaders(model=True), data={"en": "Ask us."}) == "Ask us."


@pytest.mark.parametrize("language", READ)
def test_the_answer_about_prices_does_not_deny_the_range_beside_the_question(language: Language) -> None:
    said = PRODUCT_ANSWERS["price"][language]
    estimate = {"pt": "estimativa", "en": "estimate"}[language]
    assert estimate in said and estimate in say("price.range", language, low="1", high="2")
