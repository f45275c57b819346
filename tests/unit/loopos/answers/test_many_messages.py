"""The work on a seller's messages: it is bounded however many there are, and each message is read as it was meant."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from server.loopos.answers import Element, Refused
from server.loopos.tools.drafts.confirmation import words_about
from server.loopos.tools.drafts.draft import MOST_HEARD, MOST_TOGETHER, Draft, tidy_words
from server.loopos.tools.questions.early_facts import MOST_JUDGED, ToldFact, told_questions
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.shown_questions import show_next
from server.loopos.tools.questions.unrecorded_faults import (
    MOST_ASKED,
    MOST_TOLD,
    judge_addition,
    unrecorded_faults,
)
from tests.parts.sampled import is_whole
from tests.unit.loopos.phrases.drafted import draft
from tests.unit.loopos.phrases.judged import question
from tests.unit.loopos.phrases.told import told_fact

CONDITION, NOTES = "strollers.condition", "smartphones.notes"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("yes,  black.\n\nIt works...", "yes,  black.\n\nIt works..."),
        ("yes," + " " * 8_000 + "black", "yes, black"),
        ("yes," + " \n" * 4_000 + "black", "yes,\nblack"),
        ("yes" + "!" * 8_000 + " ...", "yes!!! ..."),
        ("1000000 hmmmmmm", "1000000 hmmmmmm"),
    ],
)
def test_long_runs_of_blanks_and_of_one_mark_are_read_short(text: str, read: str) -> None:
    assert tidy_words(text) == read


def test_of_many_long_messages_the_newest_are_read() -> None:
    told = draft("x", *("a" * 499 + str(at % 10) for at in range(MOST_HEARD)))
    assert len(told.messages()) == MOST_TOGETHER // 500
    assert told.messages()[:2] == ["x", "a" * 499 + "9"]
    assert told.earlier_messages()[0] == told.messages()[1]
    short = draft("x", *(f"word {at}" for at in range(MOST_HEARD)))
    assert len(short.messages()) == MOST_HEARD


def test_messages_behind_a_run_are_those_that_came_after_it() -> None:
    told = draft("x", "one", "two", "three")
    assert told.earlier_messages("run_0") == ["three", "two"]
    assert told.earlier_messages("run_9") == ["three", "two", "one"]
    assert told.newest_earlier_run() == "run_2"


def test_messages_of_blanks_before_a_comma_cost_nothing() -> None:
    """One of them took a quarter of an hour, by the cube of its blanks."""
    told = draft("looks good," + " " * 7_900 + ",", "a," + " " * 7_900 + ",", "yes", "black")
    assert words_about(told, "option:1") == ["looks good, ,", "black", "a, ,"]


def test_a_clause_that_is_repeated_is_judged_once() -> None:
    """Each clause was judged, equal or not: this took longer than a test may."""
    assert (
        told_fact(question(CONDITION), ["a condition xabx, " * (400_000 if is_whole() else 80_000)], "pt")
        is None
    )


def test_a_question_has_so_many_clauses_judged() -> None:
    told = ToldFact(question(CONDITION), "pt")
    heard = [f"condition x{chr(97 + at)}{chr(97 + other)}x" for at in range(20) for other in range(20)]
    steps = sum(1 for message in heard for _ in told.read(message))
    assert (steps, told.left, told.value) == (MOST_JUDGED, 0, None)


def test_nothing_is_judged_behind_the_second_value() -> None:
    told = ToldFact(question(CONDITION), "pt")
    heard = ["em bom estado", "bom estado", "em mau estado, muito mau estado", *["estado excelente"] * 30]
    assert sum(1 for message in heard for _ in told.read(message)) <= len(heard[:4])
    assert told.is_unclear and told.value is None


def test_a_refused_message_is_judged_for_all_later_questions_together() -> None:
    many = [question(CONDITION)] * 50
    message = ", ".join(f"condition x{chr(97 + at)}x" for at in range(MOST_JUDGED - 1))
    assert asyncio.run(told_questions(many, f"{message}, em bom estado", "pt")) == [CONDITION]
    assert asyncio.run(told_questions(many[:1], "em bom estado", "pt")) == [CONDITION]


def shown(told: Draft, *elements: Element) -> Questions:
    """Show the next question of an item, as each answer does."""
    questions = Questions(told, elements, {})
    asyncio.run(show_next(questions, SimpleNamespace(status="draft")))
    return questions


def test_messages_that_tell_nothing_of_a_question_are_read_once() -> None:
    told = draft("x", "olá", "a condition xabx")
    shown(told, question(CONDITION))
    assert told.run.private["untold"] == {CONDITION: ["run_1", "en"]}
    read = {CONDITION: ["run_1", "en"]}
    before = draft("y", "it is in good condition", "hello", untold=read)
    shown(before, question(CONDITION))
    assert "told" not in before.run.private
    behind = draft("y", "hello", "hello", "it is in good condition", untold=read)
    shown(behind, question(CONDITION))
    assert behind.run.private["told"] == [CONDITION]


def test_messages_that_tell_several_values_are_never_read_again() -> None:
    told = draft("x", "it is in good condition", "it is in excellent condition")
    questions = shown(told, question(CONDITION))
    assert told.run.private["told"] == [CONDITION]
    assert questions.to_settle() is None


def with_faults(*messages: str, **private: Any) -> Questions:
    """Return the questions of an item whose last text is answered."""
    questions = Questions(draft("x", *messages, **private), [question(NOTES)], {})
    questions.keep(question(NOTES), "box", "box")
    return questions


def test_faults_are_compared_up_to_a_number_of_the_newest() -> None:
    """Each was held against all before it, whose words were split again: this took longer than a test may."""
    places = [f"{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(600)]
    told = with_faults(*("; ".join(f"crack {each}ba" for each in places[at::30]) for at in range(30)))
    assert len(unrecorded_faults(told)) <= MOST_TOLD
    few = with_faults("crack on the screen, and a dent on the back", "scratched lid")
    assert unrecorded_faults(few) == ["crack on the screen", "a dent on the back", "scratched lid"]


def test_what_was_asked_of_faults_is_kept_up_to_a_number() -> None:
    asked = [f"crack {at}" for at in range(5_000)]
    told = with_faults(addition={"asked": asked, "to": NOTES, "text": "box; crack"})
    judge_addition(told, question(NOTES), Refused("empty"), None)
    kept = told.draft.run.private["addition"]["asked"]
    assert len(kept) <= MOST_ASKED
    assert kept[-1] == asked[-1]
