"""Sentences that say all that a text is to have, beside those that take a thing out or refuse."""

import pytest

from server.loopos.answers.clauses.joined_parts import join_parts
from server.loopos.answers.clauses.reminders import without_address
from server.loopos.answers.clauses.stated_texts import stated_text

QUESTION = "que acessorios jogos inclui which games or accessories are included".split()


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("no the drift isnt an accessory, its dock, charger and the box", "dock, charger and the box"),
        ("não, os acessórios são duas baterias e cartão de 32gb", "duas baterias e cartão de 32gb"),
        ("não, o amarelado tambem não, só o baby set", "só o baby set"),
        ("não. só isto: baby set", "baby set"),
        ("nos acessórios tira isso do amarelado, é o baby set e mais nada.", "o baby set"),
        (
            "the hood isnt an accessory, raincover only, basket has a hole",
            "raincover only, basket has a hole",
        ),
        ("no, it's the box and the charger", "the box and the charger"),
        ("não, o negociar é no preço, nos acessórios não", ""),
        ("a tinta lascada não é acessório, é um defeito", ""),
        ("No, it's the hood that is torn", ""),
        ("no, only the hood is torn", ""),
        ("no thats not it", ""),
        ("os jogos não são acessórios", ""),
        ("the games are mario kart and zelda", ""),
    ],
)
def test_all_that_a_text_is_to_have_is_read_without_its_refusal(said: str, written: str) -> None:
    assert stated_text(said, QUESTION, is_open=True) == written


@pytest.mark.parametrize("said", ["não, só o baby set", "no, it's the box and the charger"])
def test_a_text_that_is_not_open_has_to_be_named(said: str) -> None:
    assert not stated_text(said, QUESTION, is_open=False)


@pytest.mark.parametrize(
    ("parts", "first", "most", "text", "left"),
    [
        (
            [
                "falta lhe a lamina, falta a lamina de amassar",
                "a tampa tem racha e falta a lamina de amassar",
            ],
            "",
            300,
            "a tampa tem racha e falta a lamina de amassar",
            [],
        ),
        (
            ["the left ear pad is torn"],
            "left ear pad is torn, cable lost",
            300,
            "left ear pad is torn, cable lost",
            [],
        ),
        (["box", "box of cables"], "", 300, "box; box of cables", []),
        (
            ["tem a racha", "o botão que prende um bocado"],
            "",
            30,
            "tem a racha",
            ["o botão que prende um bocado"],
        ),
        (["a tinta está lascada e o cinto meio gasto"], "", 38, "a tinta está lascada", []),
    ],
)
def test_a_text_has_each_fact_once_and_none_cut(
    parts: list[str], first: str, most: int, text: str, left: list[str]
) -> None:
    assert join_parts(parts, most, first=first) == (text, left)


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("o risquinho no ecrã que já disse", "o risquinho no ecrã"),
        ("mas não te esqueças do botão que prende", "o botão que prende"),
        ("dont forget the strap isnt original", "the strap isnt original"),
        ("a mudança de trás salta, esqueci-me se já disse", "a mudança de trás salta"),
        ("esqueci-me: tem um risco, ponham isso", "tem um risco"),
        ("can i add it has a screen protector btw", "it has a screen protector"),
        ("charger included please, battery about 5 days", "charger included, battery about 5 days"),
        ("não foi isso que disse", "não foi isso que disse"),
    ],
)
def test_a_fact_is_without_what_is_said_to_who_reads_it(said: str, left: str) -> None:
    assert without_address(said) == left
