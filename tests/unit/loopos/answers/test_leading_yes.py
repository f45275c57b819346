"""A yes in a part of its own counts, where all behind it is about something else than the question."""

import pytest

from server.loopos.answers import Element, ElementOption, Text, Valid
from server.loopos.tools.drafts.leading_yes import says_yes_first
from tests.unit.loopos.phrases.judged import question

CONDITION, ONLINE, MINUTES, NOTES, STORAGE = (
    "furniture.condition",
    "consoles.banned",
    "vacuums.battery_minutes",
    "smartphones.notes",
    "option:11",
)
STORAGES = tuple(ElementOption(str(value), Text(f"{value} GB", f"{value} GB")) for value in (64, 128, 256))


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
        (CONDITION, "en", "yes, I bought it at the corner shop", False),
        (CONDITION, "en", "yes. but that is not the whole story", False),
        (STORAGE, "pt", "sim. olha afinal foi em 2019 que o comprei, não 2018", True),
        (STORAGE, "en", "Yes. sorry battery is 84%, not 82", False),
        (STORAGE, "en", "Yes. sorry the battery is at 84%", True),
        (STORAGE, "pt", "sim. mais precisamente cento e vinte e oito", False),
        (STORAGE, "en", "yes. more precisely 128 as I said", False),
        (STORAGE, "pt", "sim. mas deixa o outro", False),
    ],
)
def test_words_about_something_else_take_no_yes_back(
    asked: str, language: str, said: str, agrees: bool
) -> None:
    options = Element(STORAGE, "select", Text("Armazenamento", "Storage"), required=True, options=STORAGES)
    element = options if asked == STORAGE else question(asked)
    assert says_yes_first(element, Valid("x", "X"), said, language) is agrees


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
