"""The choices beside a proposed answer: each is named once, in each language, and a label gives its answer back."""

from __future__ import annotations

import pytest

from server.languages import LANGUAGES
from server.loopos.answers import Element, ElementOption, Text, Valid
from server.loopos.tools.drafts.proposal_choices import (
    MOST_OTHERS,
    alone_choice,
    answer_in_label,
    other_choices,
    without_words,
)


def select(*labels: tuple[str, str]) -> Element:
    """Return a select whose values are the places of its options."""
    options = tuple(ElementOption(str(at), Text(*each)) for at, each in enumerate(labels))
    return Element("x.y", "select", Text("Perde água?", "Does it leak?"), options=options)


LEAKS = select(
    ("Sim", "Yes"),
    ("Perde umas gotas", "It leaks a few drops"),
    ("Não, perde muita água", "No, it leaks a lot"),
)
KEYBOARD = select(("Inglês (Reino Unido)", "English (UK)"), ("Francês", "French"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_choice_can_be_read_as_the_yes_to_what_was_understood(language: str) -> None:
    kept = Valid("1", f"{LEAKS.options[1].label.text_in(language)} (só frio)")
    alone = alone_choice(LEAKS, kept, language)
    labels = [each.label for each in other_choices(LEAKS, kept, language)]
    assert alone is not None and len({alone.label, *labels}) == 3
    yes = LEAKS.options[0].label.text_in(language)
    assert labels[0] != yes and answer_in_label(labels[0]) == yes
    assert labels[1] == LEAKS.options[2].label.text_in(language) == answer_in_label(labels[1])
    assert answer_in_label(alone.label) == LEAKS.options[1].label.text_in(language)


def test_brackets_in_the_label_of_an_option_are_no_words_beside_it() -> None:
    assert without_words(KEYBOARD, Valid("0", "English (UK)")) is None
    assert without_words(KEYBOARD, Valid("0", "English (UK) (one key is loose)")) == Valid(
        "0", "English (UK)"
    )


def test_a_value_alone_still_ends_the_sale() -> None:
    kept = Valid("2", "No, it leaks a lot (at the door)", deal_breaker=True)
    assert without_words(LEAKS, kept) == Valid("2", "No, it leaks a lot", deal_breaker=True)


@pytest.mark.parametrize(("others", "listed"), [(MOST_OTHERS, MOST_OTHERS), (MOST_OTHERS + 1, 0)])
def test_a_long_list_is_not_repeated(others: int, listed: int) -> None:
    element = select(*((f"Cor {at}", f"Colour {at}") for at in range(others + 1)))
    assert len(other_choices(element, Valid("0", "Colour 0"), "en")) == listed


@pytest.mark.parametrize("kind", ["number", "date", "text", "price"])
def test_an_open_question_has_no_other_choices(kind: str) -> None:
    element = Element("x.y", kind, Text("Quantos?", "How many?"))  # type: ignore[arg-type]
    assert other_choices(element, Valid("2", "2 (or so)"), "en") == ()
    assert alone_choice(element, Valid("2", "2 (or so)"), "en") is None
