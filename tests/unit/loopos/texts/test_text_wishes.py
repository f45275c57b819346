"""The wishes of one message about a text: each is read, done, or left to be told, and facts are no wishes."""

from __future__ import annotations

import pytest

from server.loopos.answers import ProbableAnswer
from server.loopos.answers.clauses.reminders import is_of_talk
from server.loopos.answers.judges.answer_judge import judge_with_remark
from server.loopos.answers.wishes.edited_texts import edit_text
from server.loopos.answers.wishes.text_wishes import read_text_wishes, read_wished_additions
from tests.unit.loopos.phrases.judged import TODAY, question


@pytest.mark.parametrize(
    ("text", "said", "left", "added"),
    [
        ("3 games; had a look, charger, add that; say I have a new one",
         'take out the had a look bit and the "say" and "add that", just the facts please', "3 games; charger", []),
        ("3 games; no the console works fine; two pads",
         "its 4 games not 3, and take out the bit no the console works fine", "4 games; two pads", []),
        ("smoke free home; two pads", "can u take smoke free home out, we've got a dog tho so maybe say that",
         "two pads", ["we've got a dog"]),
        ("smoke free home; two pads", "take out smoke free home, put that we have a dog", "two pads",
         ["we have a dog"]),
        ("the frame; comes with the manual",
         "I'd say insert included, no isofix base. take out the manual bit as that's already said", "the frame",
         ["insert included, no isofix base"]),
        ("good; the pets; the smoking", "You left out the lift. And under Undamaged the remark about the pets and "
         "the smoking should go, it is already in the notes.", "good", ["the lift"]),
        ("o comando; nao tenho a factura; o manual", "afinal tira a parte da fatura, encontrei-a. e o manual tambem",
         "o comando", []),
        ("um risco; um gato em casa", "Sim, mas prefiro tirar a parte do gato", "um risco", []),
        ("4 cabos", "são 3 cabos e não 4, e junta que tem bolsa", "3 cabos", ["tem bolsa"]),
    ],
)  # fmt: skip
def test_each_wish_of_a_message_is_read(text: str, said: str, left: str, added: list[str]) -> None:
    wishes = read_text_wishes(said)
    edited = edit_text(text, [each for each in wishes if each.kind in ("gone", "instead")], ())
    assert (edited.text, edited.left) == (left, ())
    assert [each.words for each in wishes if each.kind == "added"] == added


def test_a_part_that_is_not_there_is_left() -> None:
    edited = edit_text(
        "two pads; a case", read_text_wishes("take out the case and take out the footstool"), ()
    )
    assert edited.text == "two pads" and [each.words for each in edited.left] == ["footstool"]


@pytest.mark.parametrize(
    "said",
    [
        "it has a scratch that should go with polish",
        "no manual, the box is not included",
        "don't leave it out in the rain, it needs a cover",
        "I never take the case off, it's like new",
        "I can't leave the house out of hours, collection only",
        "the screen is 15 inch not 17 and it works",
        "não tem caixa, não repete o ciclo",
        "a base não falta, encontrei-a",
    ],
)
def test_a_fact_is_no_wish(said: str) -> None:
    assert read_text_wishes(said) == []


@pytest.mark.parametrize(
    ("said", "added"),
    [
        ("acrescenta que a bateria aguenta um dia", ["a bateria aguenta um dia"]),
        ("mete também que funciona com usb-c", ["funciona com usb-c"]),
        ("battery health is 86%, add that", ["battery health is 86%"]),
        ("say crack in back glass", ["crack in back glass"]),
        ("a cor é azul escuro e preto", ["azul escuro e preto"]),
        ("põe a foto da caixa", []),
        ("add another item", []),
        ("the case is included", []),
        ("say good in the condition", []),
    ],
)
def test_what_a_message_says_to_write(said: str, added: list[str]) -> None:
    assert read_wished_additions(said) == added


@pytest.mark.parametrize(
    ("name", "said", "shown"),
    [
        ("furniture.damage", "White stain is the name of the colour, not a stain! The only marks are the ring on top, "
         "and one knob is missing, bottom right.",
         "Scratches or stains (The only marks are the ring on top, and one knob is missing, bottom right)"),
        ("consoles.condition", "Good, the stain is a coffee stain on top", "Good (the stain is a coffee stain on top)"),
    ],
)  # fmt: skip
def test_an_explanation_of_a_name_is_no_fault(name: str, said: str, shown: str) -> None:
    judged = judge_with_remark(question(name), said, "en", TODAY)
    assert isinstance(judged, ProbableAnswer) and judged.guess.shown == shown


@pytest.mark.parametrize(
    ("clause", "is_talk"),
    [
        ("que eu enganei-me há pouco", True),
        ("I got that wrong earlier", True),
        ("my mistake", True),
        ("foi engano meu", True),
        ("the wrong cable is in the box", False),
        ("o cabo está errado", False),
        ("I made a cover for it", False),
    ],
)
def test_a_clause_that_only_takes_back_what_was_said(clause: str, is_talk: bool) -> None:
    assert is_of_talk(clause) is is_talk


@pytest.mark.parametrize(
    ("said", "is_wish"),
    [
        *(
            (each, False)
            for each in ("drop the price to 140", "cut the price down to €140", "tira o preço para 140")
        ),
        *((each, False) for each in ("tira 20 euros ao preço", "take 20 off the price")),
        *((each, True) for each in ("drop the price bit", "tira a parte do preço", "remove the price tag")),
        *((each, True) for each in ("take the 2 games out", "drop the charger")),
    ],
)
def test_a_price_that_is_to_be_another_amount_is_no_part_of_a_text(said: str, is_wish: bool) -> None:
    assert bool(read_text_wishes(said)) is is_wish


@pytest.mark.parametrize(
    ("said", "added"),
    [
        ("put “box, no charger” please", ["box, no charger"]),
        ('mete "com caixa e cabo" sff', ["com caixa e cabo"]),
        ('add "box" and the cable', ['"box" and the cable']),
        ('add the "blue" box', ['the "blue" box']),
    ],
)
def test_words_that_are_quoted_whole_are_added_without_their_quotes(said: str, added: list[str]) -> None:
    assert read_wished_additions(said) == added
