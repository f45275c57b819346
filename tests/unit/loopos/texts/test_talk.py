"""Sentences of a text that speak to who asks: a leave, a wish to see the item, and words that leave a text as it is."""

from datetime import date

import pytest

from server.loopos.answers import Element, ProbableAnswer, Refused, Text, Valid, cut_text, judge
from server.loopos.answers.clauses.talk import keeps, without_talk
from server.loopos.answers.words import tokens

NOTES = Element(
    id="notes", kind="text", label=Text("Que acessórios inclui?", "Which accessories are included?")
)
TODAY = date(2026, 11, 28)


@pytest.mark.parametrize(
    ("language", "said", "left"),
    [
        (
            "pt",
            "duas baterias e o carregador. volto ja que me estao a chamar",
            "duas baterias e o carregador",
        ),
        ("pt", "tenho a fatura, volto já, estão-me a chamar", "tenho a fatura"),
        ("pt", "pneus novos. mostra-me outra vez como ficou", "pneus novos"),
        ("pt", "cabo. obrigado e adeus", "cabo"),
        ("pt", "caixa e cabo e volto já", "caixa e cabo"),
        ("en", "box and cable. brb", "box and cable"),
        ("en", "two batteries, be right back", "two batteries"),
        ("en", "charger. can you show me it again?", "charger"),
        ("en", "box and cable, gotta go", "box and cable"),
    ],
)
def test_a_leave_and_a_wish_to_see_the_item_are_no_part_of_a_text(
    language: str, said: str, left: str
) -> None:
    judged = judge(NOTES, said, language, TODAY)
    assert isinstance(judged, ProbableAnswer) and judged.guess.value == left


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "mostra as horas mas atrasa"),
        ("pt", "relógio, mostra bem as horas"),
        ("en", "back in the box"),
        ("en", "it shows signs of wear"),
        ("en", "box, keep it dry"),
        ("en", "leaves a mark, otherwise fine"),
    ],
)
def test_what_is_told_of_the_item_stays(language: str, said: str) -> None:
    assert without_talk(said) == said and not keeps(said)
    assert isinstance(judge(NOTES, said, language, TODAY), Valid)


@pytest.mark.parametrize("said", ["volto já", "mostra-me o anúncio", "be right back", "leave it as it was"])
def test_talk_alone_is_no_text(said: str) -> None:
    assert isinstance(judge(NOTES, said, "en", TODAY), Refused)


@pytest.mark.parametrize(
    "said",
    [
        "no, leave it",
        "leave it as it was",
        "no thanks, keep it",
        "no, don't change it",
        "não, deixa estar",
        "não, deixe estar assim. obrigado e adeus",
        "não, isso não tem nada a ver. deixe os pneus novos",
        "não mude nada",
    ],
)
def test_a_text_is_left_as_it_is(said: str) -> None:
    assert keeps(said, "pneus novos, os dois")


@pytest.mark.parametrize(
    "said", ["no", "não, obrigado", "leave the box out", "deixe a caixa", "pneus", "keep it dry"]
)
def test_other_words_leave_nothing(said: str) -> None:
    assert not keeps(said, "pneus novos, os dois")


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("take the 120 out of the games bit pls", "no games just the pad and cables"),
        ("can u take the 120 out please", "no games just the pad and cables"),
        ("take 120 off the games", "no games just the pad and cables"),
        ("tira lá o 120 da parte dos jogos", "no games just the pad and cables"),
        ("change the pad to 2 pads in the games", "no games just the 2 pads and cables. 120"),
        ("troca o pad por dois comandos", "no games just the dois comandos and cables. 120"),
        ("take the fifa out of the games", None),
        ("change it to fifa", None),
        ("change the price to 180", None),
    ],
)
def test_a_part_of_a_text_goes_or_is_another(said: str, left: str | None) -> None:
    question = tokens("Que jogos ou acessórios inclui? Which games or accessories are included?")
    assert cut_text("no games just the pad and cables. 120", said, question) == left
