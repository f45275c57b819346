"""A text without its price: only what asks the price and nothing else goes."""

from __future__ import annotations

import pytest

from server.loopos.answers import tells_other_currency, told_price, without_price
from server.loopos.answers.amounts.prices_in_notes import take_price
from tests.parts.sampled import later


@pytest.mark.parametrize(
    ("language", "text", "rest"),
    [
        ("pt", "caixa e cabo. Queria 120 euros", "caixa e cabo."),
        ("en", "case, charger, I want 480 euros", "case, charger"),
        ("pt", "2 comandos, 3 jogos. 90 €", "2 comandos, 3 jogos."),
        ("en", "with case... asking 100€ or best offer. smoke-free", "with case... smoke-free"),
        ("pt", "nada, obrigado. O preço é 260 euros.", "nada, obrigado."),
        ("pt", "60 euros", ""),
        ("pt", "afinal quero 380, nao 400", ""),
        ("pt", "quero 380 e não 400€", ""),
        ("pt", "quero 380, não 400, e leva a caixa", "e leva a caixa"),
        ("en", "the rain cover. I want 80 euros, not 100", "the rain cover."),
        ("en", "2 chargers, not 3", "2 chargers, not 3"),
        ("en", "180 quid", ""),
        ("en", "want 180 quid for it", ""),
        ("en", "dock and box, £180 ono", "dock and box"),
        ("en", "a charger that cost 20 pounds", "a charger that cost 20 pounds"),
        ("en", "it weighs 20 pounds", "it weighs 20 pounds"),
        ("pt", "caixa. Peço 200 dólares", "caixa."),
        ("en", "the box and a cable. and i'd like 320 for it", "the box and a cable."),
        ("en", "new tyres 2024, I paid 60 euros for them", "new tyres 2024, I paid 60 euros for them"),
        ("en", "repaired for 80 euros", "repaired for 80 euros"),
        ("pt", "peço 420 euros, mas aceito menos", "peço 420 euros, mas aceito menos"),
        ("en", "none. 1.5 m cable", "none. 1.5 m cable"),
        ("en", "it cost 1.200,50 €", "it cost 1.200,50 €"),
        ("en", "a dent in the lid. I'd want about 350", "a dent in the lid."),
        ("pt", "caixa e cabo. queria uns 120 euros", "caixa e cabo."),
        ("en", "a cable of about 20 cm", "a cable of about 20 cm"),
        ("en", "", ""),
    ],
)
def test_without_price_removes_the_words_of_the_price_alone(language: str, text: str, rest: str) -> None:
    assert without_price(text, language) == rest


def test_a_text_that_is_too_long_to_be_read_stays_as_it_is() -> None:
    assert without_price("a, " * 300 + "I want 90 euros", "en").endswith("a")
    assert without_price("a, " * 400 + "I want 90 euros", "en").endswith("I want 90 euros")


@pytest.mark.parametrize(
    "message",
    [later("1 " * 40_000, id="numbers"), pytest.param("5 euros 6 euros " * 10_000, id="amounts")],
)
def test_the_time_to_look_for_a_price_does_not_grow_with_the_square_of_a_message(message: str) -> None:
    # By the square each of them takes minutes.
    assert told_price(message, "pt") is None


def test_the_digits_of_a_long_number_are_read_once() -> None:
    # By the square of their number this takes minutes.
    assert not tells_other_currency("1" * 200_000)
    assert tells_other_currency(f"{'1' * 200_000} dollars")


@pytest.mark.parametrize(
    ("language", "text", "rest"),
    [
        ("pt", "pensando melhor, 140 euros", ""),
        ("pt", "caixa, pensando melhor, 140 euros", "caixa"),
        ("en", "on second thought, 150", ""),
        ("en", "box and cable, on second thought 150 euros", "box and cable"),
    ],
)
def test_words_that_only_lead_to_a_price_go_with_it(language: str, text: str, rest: str) -> None:
    assert take_price(text, language, None).rest == rest
