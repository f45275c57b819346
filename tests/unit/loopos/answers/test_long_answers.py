"""Answers that no person writes: blanks, marks and clauses without end, which took minutes and hours to judge.

Each of these took longer than a test may: by the square or the cube of its length, or by a judgement for each clause.
"""

from __future__ import annotations

from datetime import date

import pytest

from server.loopos.answers import (
    PRICE,
    Element,
    Judgement,
    ProbableAnswer,
    Refused,
    Valid,
    confirms,
    judge,
    judge_click,
    judge_report,
    judge_selection,
    pick,
    told_price,
)
from server.loopos.answers.judges import report_judge
from server.loopos.answers.judges.report_judge import MOST_CLAUSES, MOST_HEARD
from server.loopos.answers.judges.selection_judge import MOST_SAID
from server.loopos.answers.words import MOST_LETTERS, fold, shorten_runs
from tests.unit.loopos.phrases.judged import TODAY, question


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("  é   esse\t ", "é esse"),
        ("sim, \n \n  preto", "sim,\npreto"),
        ("a\nb", "a\nb"),
        ("12\u00a0000 km", "12\u00a0000 km"),
        ("ok!!!!! certo....", "ok!!! certo..."),
        ("lollll ???", "lollll ???"),
    ],
)
def test_runs_of_blanks_and_of_marks_are_short(text: str, short: str) -> None:
    assert shorten_runs(text) == short


@pytest.mark.parametrize("said", ["looks good,", "perfeito,", "this is the one,"])
def test_blanks_before_a_last_mark_are_read_once(said: str) -> None:
    assert confirms(said + " " * 7_980 + ",", "en") == confirms(f"{said} ,", "en")
    assert confirms(said + " -" * 50_000 + ",", "en")[0] is None


def test_a_yes_before_words_without_end_is_no_plain_yes() -> None:
    says, rest = confirms("sim " * MOST_LETTERS, "pt")
    assert says is True
    assert rest
    assert confirms("sim " + " " * 8 * MOST_LETTERS, "pt") == (True, "")
    assert confirms("a new battery" + " " * 8 * MOST_LETTERS + ", yes", "en") == (True, "a new battery")


@pytest.mark.parametrize("name", ["smartphones.screen", "scooters.kilometres", "consoles.games"])
@pytest.mark.parametrize("begin", ["write", "escreva só", "it should be", "tem de ser"])
def test_blanks_behind_an_instruction_are_read_once(name: str, begin: str) -> None:
    element = question(name)
    assert judge(element, begin + " " * 260_000, "en", TODAY) == judge(element, begin, "en", TODAY)
    assert isinstance(judge(element, begin + " " * 260_000 + ",", "en", TODAY), Refused)


@pytest.mark.parametrize("name", ["asking_price", "scooters.kilometres", "smartphones.purchase_date"])
def test_the_blanks_of_a_value_are_read_once(name: str) -> None:
    element = question(name)
    value = "1 a" + " " * 500_000 + "x 2"
    assert judge_click(element, value, "en", TODAY) == judge_click(element, "1 a x 2", "en", TODAY)


def test_a_value_beyond_what_is_read_is_never_sure() -> None:
    assert judge_click(PRICE, "280" + " " * MOST_LETTERS, "en", TODAY) == judge_click(
        PRICE, "280", "en", TODAY
    )
    assert isinstance(judge_click(PRICE, "280 " + "euros " * MOST_LETTERS, "en", TODAY), ProbableAnswer)


def test_a_text_is_kept_as_it_was_written() -> None:
    text = "FIFA 21\n\n  GTA V   e mais....."
    assert judge(question("consoles.games"), text, "pt", TODAY) == Valid(text, text)
    assert judge(question("consoles.games"), "a " * 100_000, "pt", TODAY) == Refused(
        "too_long", {"max": "300"}
    )


@pytest.mark.parametrize("marks", ["\u0316\u0301", "\u0315\u0301\u0316\u0327", "\u0f73"])
def test_marks_without_end_are_no_letters(marks: str) -> None:
    assert fold("Pre" + marks * 200_000 + "\u00e7o") == "preco"


def test_a_letter_of_many_is_read_as_so_many_within_bounds() -> None:
    assert fold("12\u00bd\u2026 \ufb01m") == "121\u20442... fim"
    assert fold("\ufdfa").count(" ") == 3
    assert len(fold("\ufdfa" * 1_000)) < 3_000


def different(count: int) -> str:
    """Return so many clauses that are all different."""
    return ",".join(
        f"{one}{other}" for one in "abcdfghjklmnpqrstvwxz" for other in "abcdefghijklmnopqrstuvwx"
    )[: 3 * count - 1]


def test_the_clauses_of_all_messages_are_judged_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged: list[str] = []

    def count(element: Element, clause: str, language: str, today: date) -> Judgement:
        judged.append(clause)
        return judge(element, clause, language, today)

    monkeypatch.setattr(report_judge, "judge_once", count)
    element = question("strollers.condition")
    messages = [different(MOST_CLAUSES), different(MOST_CLAUSES - 1), *[different(160)] * 38]
    guess = judge_report(element, "bom", messages, "pt", TODAY)
    assert isinstance(guess, ProbableAnswer)
    assert 0 < len(judged) <= 2 * MOST_CLAUSES
    judged.clear()
    judge_report(element, "bom", ["x1," * 160, *[different(4)] * 40], "pt", TODAY)
    assert len(judged) <= MOST_HEARD


def test_one_clause_of_an_older_message_still_makes_a_report_sure() -> None:
    element, older = question("strollers.condition"), "é preto, bom estado, tem a caixa"
    told = judge_report(element, "bom", ["olha", "como se paga", older], "pt", TODAY)
    assert told == Valid("B", "Bom")
    told = judge_report(element, "bom", ["olha", *[different(160)] * 9, older], "pt", TODAY)
    assert told == Valid("B", "Bom")
    unread = judge_report(element, "bom", ["olha", f"{older},{different(MOST_CLAUSES)}"], "pt", TODAY)
    assert unread == ProbableAnswer(Valid("B", "Bom"), "paraphrase")


ODD_DIGITS = ["፩", "᧚", "o ፩", "፩ euros", "march ፩፩፩፩", "há ፩ anos", "፩ x ፩", "128 ፩ gb", "1.2.3", "9" * 999]


@pytest.mark.parametrize("said", ODD_DIGITS)
@pytest.mark.parametrize(
    "name",
    [
        "asking_price",
        "scooters.kilometres",
        "smartphones.purchase_date",
        "strollers.condition",
        "smartphones.screen",
    ],
)
def test_a_digit_that_no_number_is_made_of_is_a_word(name: str, said: str) -> None:
    element = question(name)
    assert not isinstance(judge(element, said, "pt", TODAY), Valid)
    assert not isinstance(judge_click(element, said, "pt", TODAY), Valid)
    assert told_price(said, "pt") is None
    assert pick(said, ["Primeiro", "Segundo"]) is None


def test_a_decimal_digit_of_any_script_is_a_number() -> None:
    assert judge(question("scooters.kilometres"), "\u0661\u0662\u0660\u0660 km", "pt", TODAY) == judge(
        question("scooters.kilometres"), "1200 km", "pt", TODAY
    )
    assert pick("\u0662", ["a", "b"]) == 1


def test_the_newest_messages_are_read_for_an_option() -> None:
    element = question("strollers.condition")
    far = ["olha"] + ["e " * 250] * (MOST_SAID // 500) + ["bom estado"]
    assert judge_selection(element, "B", far, "pt", TODAY) == Refused("not_said")
    near = ["olha", "x1," * 160, "bom estado"]
    assert isinstance(judge_selection(element, "B", near, "pt", TODAY), Valid | ProbableAnswer)
