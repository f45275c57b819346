"""A yes in a part of its own counts, where all behind it is about something else than the question."""

import pytest

from server.loopos.answers import Valid
from server.loopos.tools.drafts.leading_yes import says_yes_first
from tests.unit.loopos.phrases.judged import question

CONDITION, ONLINE, MINUTES, NOTES = (
    "furniture.condition",
    "consoles.banned",
    "vacuums.battery_minutes",
    "smartphones.notes",
)


@pytest.mark.parametrize(
    ("asked", "language", "said", "agrees"),
    [
        (CONDITION, "en", "yes. Actually I'll keep the memory card, so it's not included.", True),
        (CONDITION, "en", "yes that's right. It comes from a non-smoking home", True),
        (CONDITION, "pt", "sim, está certo. junta que levo o carregador", True),
        (CONDITION, "en", "yes. it's fair actually", False),
        (CONDITION, "pt", "sim. tem um risco no tampo", False),
        (CONDITION, "en", "yes", False),
        (ONLINE, "pt", "sim. na verdade não", False),
        (ONLINE, "en", "yes. actually no", False),
        (ONLINE, "en", "no. I'll keep the memory card", False),
        (ONLINE, "pt", "sim. mas já não liga à net", False),
        (MINUTES, "en", "yes. I bought it at the corner shop", True),
        (MINUTES, "en", "yes. more like 35 on full power", False),
        (NOTES, "en", "yes. I bought it at the corner shop", False),
    ],
)
def test_words_about_something_else_take_no_yes_back(
    asked: str, language: str, said: str, agrees: bool
) -> None:
    assert says_yes_first(question(asked), Valid("x", "X"), said, language) is agrees


@pytest.mark.parametrize(
    ("language", "note", "said", "agrees"),
    [
        ("pt", "falta a espatula", "sim falta a espatula. a cook-key tb nao vem, nunca tive", True),
        (
            "en",
            "the measuring cup is missing",
            "right, all the others are there, and I add two cookbooks",
            True,
        ),
        ("en", "the measuring cup is missing", "yes, the measuring cup is missing", True),
        ("pt", "falta a espatula", "sim, vem tudo", False),
        ("en", "the measuring cup is missing", "yes they are all there", False),
        ("en", "the measuring cup is missing", "no, the others are missing too", False),
        ("pt", "falta a espatula", "não, os outros também faltam", False),
        ("en", "the measuring cup is missing", "the rest is missing as well", False),
        ("en", "left one drifts", "yes, the left one no longer drifts", False),
        ("pt", "falta a espatula", "sim, o resto não funciona", False),
    ],
)
def test_a_yes_that_repeats_the_note_agrees_to_it(language: str, note: str, said: str, agrees: bool) -> None:
    kept = Valid(False, f"No ({note})")
    assert says_yes_first(question("food-processors.accessories"), kept, said, language) is agrees
