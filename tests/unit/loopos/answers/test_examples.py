"""Examples of answers: words that no rule reads are asked back as the option they are near to, and never stored."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from server.loopos.answers import ProbableAnswer, Refused, judge
from server.loopos.answers.options.examples import FILE, nearest_option
from server.loopos.seed import load_catalog
from tests.parts.sampled import is_whole
from tests.unit.loopos.phrases import Row, rows
from tests.unit.loopos.phrases.judged import TODAY, judged, question, table_text

LEAST_RIGHT, MOST_WRONG = 0.74, 0.1
EXAMPLES: dict[str, dict[str, list[str]]] = json.loads(FILE.read_text())
ASIDE = "aside"


def outcome(row: Row) -> str:
    """Return `right`, `none` or `wrong` for what the judge made of a row; nothing that is wrong is sure."""
    says = table_text(judged(row))
    if says == row.outcome or says[1:] == row.value:
        return "right"
    assert not says.startswith("="), f"{row.element}: {row.phrase!r} is stored as {says}"
    return "none" if says == "-" else "wrong"


@pytest.mark.parametrize("language", ["en", "pt"])
def test_most_words_of_people_who_never_saw_the_options_are_understood(language: str) -> None:
    """`make test` judges each fourth row."""
    told = rows(f"unseen_{language}")[:: 1 if is_whole() else 4]
    counted = Counter(map(outcome, told))
    assert counted["right"] >= LEAST_RIGHT * len(told), counted
    assert counted["wrong"] <= MOST_WRONG * len(told), counted


def test_each_example_stands_at_one_option_of_a_question() -> None:
    catalog = load_catalog()
    shared = [each for _, elements in catalog.protocols for each in elements]
    own = [each for one in catalog.products for each in catalog.protocol(one.id)]
    elements = [each for each in (*shared, *own) if each.asks]
    for name, options in EXAMPLES.items():
        if name in (ASIDE, "included"):
            continue
        asked = [each for each in elements if name in (each.id, each.id.rpartition(".")[2])]
        values = [{each.value for each in one.options} or {"yes", "no"} for one in asked]
        assert set(options) in values, name
        told = Counter(text.casefold() for texts in options.values() for text in texts)
        assert [text for text, count in told.items() if count > 1] == [], name


def test_a_statement_that_no_longer_holds_has_no_nearest_option() -> None:
    assert nearest_option(question("watches.glass"), "no scratches whatsoever") is not None
    assert nearest_option(question("watches.glass"), "no scratches whatsoever until it fell") is None


def test_a_question_without_examples_has_no_nearest_option() -> None:
    assert nearest_option(question("1001/11"), "the one with more room") is None


@pytest.mark.parametrize(
    ("element", "said"),
    [
        ("smartphones.condition", "is it in good condition?"),
        ("smartphones.condition", "no box no charger"),
        ("smartphones.condition", "good morning"),
        ("smartphones.account_lock", "i don't know if it is reset"),
        ("high-chairs.structure", "no, rock solid"),
        ("laptops.charger", "that's not what I said"),
        ("air-fryers.basket", "asking 250"),
    ],
)
def test_questions_and_answers_about_another_thing_are_refused(element: str, said: str) -> None:
    assert isinstance(judge(question(element), said, "en", TODAY), Refused)


def test_a_fault_that_is_told_stays_beside_the_option() -> None:
    told = judge(question("scooters.works"), "the rear light is broken", "en", TODAY)
    assert isinstance(told, ProbableAnswer)
    assert (told.guess.value, told.guess.shown) == (
        "partly",
        "It works, with faults (the rear light is broken)",
    )


def test_many_words_near_to_another_option_count_more_than_a_guess_by_rules() -> None:
    told = judge(question("strollers.smoke_free"), "cá em casa ninguém fuma", "pt", TODAY)
    assert isinstance(told, ProbableAnswer) and told.guess.value is True
