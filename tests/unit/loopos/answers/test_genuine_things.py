"""Answers to whether a genuine thing is included, ages at a question for a date, and a yes that is called certain."""

from __future__ import annotations

import pytest

from server.loopos.answers import ProbableAnswer, Valid, judge
from tests.unit.loopos.answers.test_short_answers import TODAY, question


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "so o carregador e que ja nao e o da marca"),
        ("pt", "o carregador já não é o original"),
        ("pt", "sim mas é de outra marca"),
        ("pt", "o carregador é de marca branca"),
        ("en", "it is no longer the original one"),
        ("en", "another brand's charger"),
        ("en", "yes, but from another brand"),
        ("en", "it's a generic one"),
    ],
)
def test_a_thing_of_another_brand_is_not_the_original(language: str, said: str) -> None:
    judged = judge(question("laptops.charger"), said, language, TODAY)
    assert isinstance(judged, ProbableAnswer) and judged.guess.value is False


@pytest.mark.parametrize(("language", "said"), [("pt", "sim, o da marca"), ("en", "yes, the original one")])
def test_a_thing_of_the_brand_is_the_original(language: str, said: str) -> None:
    judged = judge(question("laptops.charger"), said, language, TODAY)
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    assert isinstance(guess, Valid) and guess.value is True


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("pt", "2 anos de uso", "2024"),
        ("pt", "3 aninhos", "2023"),
        ("pt", "tem uns 2 anitos", "2024"),
        ("pt", "8 meses de uso", "2026-03"),
        ("en", "8 months old", "2026-03"),
        ("en", "2 years of use", "2024"),
    ],
)
def test_an_age_is_asked_back_as_the_date_of_purchase(language: str, said: str, value: str) -> None:
    judged = judge(question("laptops.purchase_date"), said, language, TODAY)
    assert isinstance(judged, ProbableAnswer) and judged.guess.value == value


@pytest.mark.parametrize(
    ("language", "said"),
    [("pt", "claro q tem"), ("pt", "claro que tem"), ("en", "of course it has"), ("en", "ofc it does")],
)
def test_a_yes_that_is_called_certain_is_sure(language: str, said: str) -> None:
    assert judge(question("laptops.charger"), said, language, TODAY) == Valid(
        True, "Sim" if language == "pt" else "Yes"
    )


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "claro que não"),
        ("pt", "claro que não tem"),
        ("pt", "claro q n tem"),
        ("pt", "claro q n"),
        ("pt", "claro que já não tem"),
        ("pt", "claro que nunca teve"),
        ("en", "of course not"),
        ("en", "of course it doesnt"),
        ("en", "ofc not"),
        ("en", "ofc it hasn't"),
    ],
)
def test_a_no_that_is_called_certain_is_no_yes(language: str, said: str) -> None:
    judged = judge(question("laptops.charger"), said, language, TODAY)
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    assert not (isinstance(guess, Valid) and guess.value is True)
