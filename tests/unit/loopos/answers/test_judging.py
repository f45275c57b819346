"""The judge of answers over a table of phrases: no wrong value is sure, and few right ones are asked back."""

from __future__ import annotations

from collections import Counter

import pytest

from server.loopos.answers import Valid, adds_nothing, goes_with_yes, judge, tells_other_currency, told_price
from tests.parts.sampled import is_whole, pairs
from tests.unit.loopos.phrases import Row, rows
from tests.unit.loopos.phrases.judged import TODAY, judged, question, table_text

BASE = "first second third fourth fifth sixth seventh".split()
NEWER = "eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth".split()
TABLE = rows(*BASE, *NEWER, "prices")
TRIED = TABLE[:: 1 if is_whole() else 5]
"""`make test` judges each fifth row."""
LEAST_ROWS, MOST_ASKED_BACK, MOST_WRONG_GUESSES = 400, 0.1, 0.02


def shown(row: Row, says: str) -> str:
    """Return a row and what the judge made of it."""
    return f"{row.element} ({row.language}) {row.phrase!r}: {says}, and not {row.outcome}"


def by_language(language: str) -> list[Row]:
    return [row for row in TRIED if row.language == language]


@pytest.mark.parametrize("language", ["pt", "en"])
def test_no_phrase_is_sure_of_another_value_than_it_says(language: str) -> None:
    wrong = [
        shown(row, says)
        for row in by_language(language)
        if (says := table_text(judged(row))).startswith("=") and says != row.outcome
    ]
    assert wrong == []


@pytest.mark.parametrize("language", ["pt", "en"])
def test_a_phrase_that_says_no_value_is_not_understood(language: str) -> None:
    none = [row for row in by_language(language) if row.kind == "-"]
    assert [
        shown(row, table_text(judged(row))) for row in none if table_text(judged(row)).startswith("=")
    ] == []


@pytest.mark.parametrize("language", ["pt", "en"])
def test_a_clear_phrase_is_not_asked_back(language: str) -> None:
    clear = [row for row in by_language(language) if row.kind == "="]
    asked = [shown(row, table_text(judged(row))) for row in clear if table_text(judged(row)) != row.outcome]
    assert len(asked) <= MOST_ASKED_BACK * len(clear), asked


def test_a_wrong_guess_is_rare() -> None:
    """A guess is confirmed before it counts, and yet a wrong one annoys."""
    asked = [
        (row, says) for row in TRIED if row.kind != "=" and (says := table_text(judged(row))).startswith("?")
    ]
    wrong = [shown(row, says) for row, says in asked if not row.allows(says)]
    assert len(wrong) <= MOST_WRONG_GUESSES * len(asked), wrong


@pytest.mark.parametrize(
    "row",
    [row for row in rows(*NEWER) if row in TRIED],
    ids=lambda row: row.phrase,
)
def test_a_remark_is_not_taken_for_its_opposite(row: Row) -> None:
    assert table_text(judged(row)) == row.outcome


@pytest.mark.parametrize(
    ("language", "message", "price"),
    [
        ("en", "I paid forty euros for it", None),
        ("en", "I want forty euros", 40),
        ("pt", "a bateria custou trinta euros", None),
        ("pt", "vendo por quarenta euros, paguei cem euros", 40),
        ("pt", "quero 200 euros, portes dez euros", 200),
        ("pt", "portes 5 euros, quero quarenta euros", 40),
        ("pt", "vem com 2 paus de selfie", None),
        ("pt", "vem com 2 paus", None),
        ("pt", "peço 80 paus", 80),
        ("pt", "ecrã trocado na loja, 180 paus", 180),
        ("pt", "peço 120 euros... não, cento e dez", 110),
        ("pt", "quero cento e cinquenta", 150),
        ("pt", "quero dois", None),
        ("pt", "87 por cento", None),
        ("pt", "a bateria está a oitenta e sete por cento, peço cento e dez", 110),
        ("pt", "a última, a de 202 de altura por 80", None),
        ("en", "scooter for sale. 150 cash", 150),
        ("en", "a folding bicycle, and I'd like six hundred and fifty for it.", 650),
        ("en", "the battery health is 88%, I want 480 for it", 480),
    ],
)
def test_a_message_tells_the_price_that_it_asks(language: str, message: str, price: int | None) -> None:
    told = told_price(message, language)
    assert (told.value if told else None) == price


@pytest.mark.parametrize(
    ("message", "tells"),
    [
        ("it weighs 20 pounds", False),
        ("a mala pesa 20 libras", False),
        ("I paid 200 dollars for it in New York", False),
        ("paguei 200 dólares por ele", False),
        ("headphones, silver, one hundred and forty pounds", True),
        ("vendo por 200 dólares", True),
        ("asking 120 quid for my new phone", True),
        ("it weighs 20 pounds, I want $50", True),
    ],
)
def test_a_message_tells_a_price_in_another_currency(message: str, tells: bool) -> None:
    assert tells_other_currency(message) is tells


@pytest.mark.parametrize("unit", ["1", "1,", "paid 5 usd "])
def test_an_amount_is_looked_for_once_in_a_long_message(unit: str) -> None:
    """By the square of its length so long a one would take an hour."""
    assert not tells_other_currency(unit * 50_000)
    assert tells_other_currency("for 120 quid, " + unit * 50_000)


def test_the_table_is_large_and_in_both_languages() -> None:
    assert len(TABLE) >= LEAST_ROWS
    assert min(Counter(row.language for row in TABLE).values()) > LEAST_ROWS // 4
    assert len(rows("first")) > LEAST_ROWS // 2


@pytest.mark.parametrize(("said", "language"), [("foi em 2021", "pt"), ("it was in 2021", "en")])
def test_the_verb_of_a_date_puts_it_in_no_doubt(said: str, language: str) -> None:
    assert judge(question("smartphones.purchase_date"), said, language, TODAY) == Valid("2021", "2021")


@pytest.mark.parametrize(
    ("rest", "language", "nothing"),
    [
        ("e isso, muito obrigada", "pt", True),
        ("whatever", "en", True),
        ("esta bem assim", "pt", True),
        ("and nothing else", "en", True),
        ("and nothing works", "en", False),
        ("please, thank you very much", "en", True),
        ("perfeito", "pt", True),
        ("e o pneu?", "pt", True),
        ("how long does it take to get paid?", "en", True),
        ("ou nao?", "pt", False),
        ("but why not?", "en", False),
        ("mas esta partido", "pt", False),
        ("esta rachado", "pt", False),
        ("except the left one", "en", False),
        ("80", "pt", False),
        ("or is it 64?", "en", False),
    ],
)
def test_words_behind_a_yes_that_take_nothing_back_are_courtesy_or_a_question(
    rest: str, language: str, nothing: bool
) -> None:
    assert adds_nothing(rest, language) is nothing


@pytest.mark.parametrize(
    ("rest", "language", "goes"),
    [
        ("all works fine", "en", True),
        ("my kids loved it", "en", True),
        ("o meu filho usava ao domingo", "pt", True),
        ("está rachado", "pt", False),
        ("the wheel squeaks", "en", False),
        ("but it gets hot", "en", False),
        ("not really", "en", False),
        ("i think", "en", False),
        ("80", "en", False),
        ("does it matter?", "en", False),
    ],
)
def test_words_about_something_else_go_with_a_yes(rest: str, language: str, goes: bool) -> None:
    assert goes_with_yes(rest, language) is goes


@pytest.mark.parametrize(
    ("name", "begin"),
    pairs(
        ["scooters.works", "smartphones.screen", "scooters.kilometres"],
        ["yes ", "1200 ", "it works, ", "i said ", ",", "7"],
    ),
)
def test_of_an_answer_without_end_nothing_is_sure(name: str, begin: str) -> None:
    assert not isinstance(judge(question(name), begin * 8000, "en", TODAY), Valid)
