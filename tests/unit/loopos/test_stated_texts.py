"""Sentences that say all that a text is to have, beside those that take a thing out or refuse."""

import pytest

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
