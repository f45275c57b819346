"""The exact words of an option are sure, with a mark, a small word or a price beside them."""

from __future__ import annotations

import pytest

from server.loopos.answers import Element, Valid, judge
from server.loopos.seed import load_catalog
from tests.parts.sampled import is_whole
from tests.unit.loopos.phrases.judged import TODAY, question

FORMS = {"en": ("{}", "{}.", "{}!", "{}, 120 euros"), "pt": ("{}", "{}.", "{}!", "{}, 120€")}
SHORT = {"en": ("it's {}", "the {}", "{}, thanks"), "pt": ("é {}", "está {}.", "{}, obrigado")}


def choices() -> list[Element]:
    return [each for _, elements in load_catalog().protocols for each in elements if each.kind == "select"]


@pytest.mark.parametrize("language", ["en", "pt"])
def test_every_label_is_sure(language: str) -> None:
    """`make test` tries each fifth question."""
    unsure = []
    for element in choices()[:: 1 if is_whole() else 5]:
        for option in element.options:
            name = getattr(option.label, language)
            said = [] if option.deal_breaker else [each.format(name) for each in FORMS[language]]
            judged = [judge(element, each, language, TODAY) for each in (*said, *map(str.upper, said))]
            unsure += [
                name for each in judged if not (isinstance(each, Valid) and each.value == option.value)
            ]
    assert unsure == []


@pytest.mark.parametrize("language", ["en", "pt"])
def test_small_words_beside_a_condition_leave_it_sure(language: str) -> None:
    element = question("smartphones.condition")
    for option in element.options:
        for form in SHORT[language]:
            said = form.format(getattr(option.label, language).lower())
            judged = judge(element, said, language, TODAY)
            assert isinstance(judged, Valid) and judged.value == option.value, said


@pytest.mark.parametrize(
    ("language", "said"), [("en", "good, maybe, 120 euros"), ("pt", "acho que bom, 120€"), ("en", "good?")]
)
def test_a_doubt_beside_it_is_still_asked_back(language: str, said: str) -> None:
    assert not isinstance(judge(question("smartphones.condition"), said, language, TODAY), Valid)
