"""Marks that are seen say nothing of whether a thing works, and who thinks not leans to a no."""

from datetime import date

import pytest

from server.loopos.answers import ProbableAnswer, Refused, judge
from server.loopos.answers.element import Element, ElementOption, Text

TODAY = date(2026, 3, 14)
WORKS = Element(
    "works",
    "select",
    Text("O motor e o aquecimento funcionam?", "Do the motor and the heating work?"),
    required=True,
    options=(
        ElementOption("all", Text("Sim, tudo funciona", "Yes, everything works")),
        ElementOption("partly", Text("Funciona, com defeitos", "It works, with faults")),
        ElementOption("none", Text("Não funciona", "It does not work"), deal_breaker=True),
    ),
)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "a tampa tem um risco"),
        ("pt", "está riscado por fora"),
        ("pt", "a tampa está rachada"),
        ("en", "the case has a scratch"),
        ("en", "few scuffs on top, a dent on the side"),
    ],
)
def test_marks_alone_do_not_say_whether_it_works(language: str, said: str) -> None:
    assert isinstance(judge(WORKS, said, language, TODAY), Refused)


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("pt", "o botão está riscado e falha", "partly"),
        ("pt", "a tampa não fecha", "partly"),
        ("en", "works but the fan is loud", "partly"),
        ("pt", "funciona bem, a tampa tem um risco", "all"),
        ("en", "works fine, scratched lid", "all"),
    ],
)
def test_faults_that_are_felt_and_plain_words_do(language: str, said: str, value: str) -> None:
    judged = judge(WORKS, said, language, TODAY)
    assert not isinstance(judged, Refused)
    assert (judged.guess if isinstance(judged, ProbableAnswer) else judged).value == value


@pytest.mark.parametrize(
    ("pt", "en"),
    [
        ("Vem de uma casa sem fumo?", "Does it come from a smoke-free home?"),
        (
            "O ecrã está inteiro e responde bem ao toque?",
            "Is the screen intact and does it respond to touch?",
        ),
        ("Inclui o redutor?", "Is the newborn insert included?"),
    ],
)
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "acho que não"),
        ("pt", "penso que não tenho"),
        ("pt", "acho que não tem"),
        ("en", "i don't think so"),
        ("en", "I don't think I have it"),
        ("en", "probably not"),
    ],
)
def test_who_thinks_not_leans_to_no(pt: str, en: str, language: str, said: str) -> None:
    judged = judge(Element("one", "boolean", Text(pt, en)), said, language, TODAY)
    assert isinstance(judged, ProbableAnswer) and judged.guess.value is False


@pytest.mark.parametrize("said", ["works ok, display has a scratch", "works ok but the lid got a scratch"])
def test_a_mark_is_not_cut_out_of_its_clause(said: str) -> None:
    judged = judge(WORKS, said, "en", TODAY)
    assert isinstance(judged, ProbableAnswer) and not judged.guess.shown.endswith(("has)", "got)"))
