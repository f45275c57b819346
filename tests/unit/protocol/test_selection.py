"""An option that a model selects counts where the seller said it: the messages decide, and not the model."""

from __future__ import annotations

from datetime import date

import pytest

from server.protocol.answers import Refused, Unsure, Valid, judge_selection
from tests.unit.protocol.phrases.judged import question

TODAY = date(2026, 11, 22)
IPHONE_12, STORAGE, COLOUR = 1001, 11, 12


def outcome(value: str, *messages: str, language: str = "pt", is_asked: bool = False) -> str:
    """`=`, `?` or the code of the refusal, of a value of the iPhone 12; the newest message is the first."""
    kind = STORAGE if value.endswith("GB") else COLOUR
    element = question(f"{IPHONE_12}/{kind}")
    option = next(each for each in element.options if value in (each.label.pt, each.label.en))
    judged = judge_selection(
        element, option.value, messages, language, TODAY, beside="iPhone 12", is_asked=is_asked
    )
    if isinstance(judged, Refused):
        return judged.code
    assert isinstance(judged, Valid) or judged.guess.value == option.value
    return "?" if isinstance(judged, Unsure) else "="


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ("128 GB", ["sim", "Quero vender um iPhone 12 preto de 128"]),
        ("Preto", ["sim", "Quero vender um iPhone 12 preto de 128"]),
        ("64 GB", ["iphone 12 azul com caixa, 64gb"]),
        ("Preto", ["preto sem caixa"]),
        ("Preto", ["black with a white case"]),
        ("Branco", ["afinal é branco", "iphone 12 preto"]),
        ("Branco", ["não é preto, é branco", "iphone 12 preto"]),
        ("64 GB", ["de 64, com cartão de 128"]),
    ],
)
def test_a_value_that_the_seller_said_is_sure(value: str, messages: list[str]) -> None:
    assert outcome(value, *messages) == "="


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("128 GB", "acho que 128"),
        ("128 GB", "128 ou 256?"),
        ("Preto", "preto?"),
        ("Preto", "tem a capa preta"),
        ("Azul", "azulinho"),
        ("Azul", "da cor do mar"),
    ],
)
def test_what_was_not_said_plainly_is_asked_back_where_it_was_asked_for(value: str, message: str) -> None:
    assert outcome(value, message, is_asked=True) == "?"


@pytest.mark.parametrize("message", ["não sei", "qual é a diferença?", "sim", "ok", "?", "...", ""])
def test_nothing_is_guessed_for_a_seller_who_says_nothing_of_it(message: str) -> None:
    assert outcome("128 GB", message, is_asked=True) == "not_said"


@pytest.mark.parametrize(
    ("value", "messages", "code"),
    [
        ("256 GB", ["iphone 12"], "not_said"),
        ("256 GB", ["sim", "iphone 12"], "not_said"),
        ("128 GB", ["vendo por 128 euros"], "not_said"),
        ("128 GB", ["não é o de 128"], "not_said"),
        ("128 GB", ["o segundo"], "not_said"),
        ("64 GB", ["128"], "said_otherwise"),
        ("Preto", ["afinal é branco", "iphone 12 preto"], "said_otherwise"),
        ("128 GB", ["de 64, com cartão de 128"], "said_otherwise"),
        ("128 GB", [], "not_said"),
    ],
)
def test_a_guess_of_the_model_is_refused(value: str, messages: list[str], code: str) -> None:
    assert outcome(value, *messages) == code


def test_a_place_in_the_list_counts_where_the_list_was_asked() -> None:
    assert outcome("128 GB", "o segundo", is_asked=True) == "="


def test_the_part_of_a_longer_label_is_not_the_shorter_one() -> None:
    element = question("1017/14")
    both = {each.label.pt: each.value for each in element.options}
    for label, value in both.items():
        judged = judge_selection(element, value, [f"o ipad com {label}"], "pt", TODAY)
        assert isinstance(judged, Valid), label
