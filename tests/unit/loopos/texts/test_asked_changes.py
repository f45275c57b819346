"""Wishes at a free text: a price to set, a step back or another value is asked back, and an honest text is kept."""

from datetime import date

import pytest

from server.loopos.answers import Element, ProbableAnswer, Text, Valid, judge, judge_report

LABEL = Text("O que acompanha o telemóvel?", "What comes with the phone?")
NOTES = Element(id="notes", kind="text", label=LABEL)
TODAY = date(2026, 11, 28)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "muda o preço para 180"),
        ("pt", "ponha o preço a 180"),
        ("pt", "afinal põe o preço a 180 euros"),
        ("en", "set the price to 180"),
        ("en", "change the price to 180"),
        ("en", "actually make the price 145"),
        ("en", "can i go back to the last question"),
        ("pt", "posso voltar à pergunta anterior"),
        ("pt", "quero voltar atrás"),
        ("en", "hold on, its blue not black"),
        ("en", "wait its not black its blue"),
        ("pt", "espera, é azul e não preto"),
        ("pt", "afinal não é preto é azul"),
    ],
)
def test_a_wish_is_never_stored_as_the_text(language: str, said: str) -> None:
    assert not isinstance(judge(NOTES, said, language, TODAY), Valid)
    assert not isinstance(judge_report(NOTES, said, [said], language, TODAY), Valid)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "caixa e cabo"),
        ("pt", "a caixa, o cabo mas não o carregador"),
        ("pt", "voltou da reparação com a caixa"),
        ("pt", "nada, só o telemóvel"),
        ("en", "the box, not the charger"),
        ("en", "just the phone, the back is scratched"),
        ("en", "charger and a case, no box"),
        ("en", "it comes with the price tag still on"),
    ],
)
def test_an_honest_text_is_kept_at_once(language: str, said: str) -> None:
    assert isinstance(judge(NOTES, said, language, TODAY), Valid)


def test_a_wish_is_asked_back_as_it_was_written() -> None:
    judged = judge(NOTES, "set the price to 180", "en", TODAY)
    assert isinstance(judged, ProbableAnswer)
    assert judged.guess.value == "set the price to 180"
