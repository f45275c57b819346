"""Responses as people read them: amounts with their cents, a band as one line, a part of one as a percentage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BaseModel, Field

from server.field_words import MOST_TEXT, Unit, field_text, line_with_label, response_pairs, units_of

Money = Annotated[float, Field(ge=0), Unit.EURO]


class Within(BaseModel):
    """A model within another."""

    deposit: Money | None = None


class Answer(BaseModel):
    """An answer with each kind of number."""

    value_out_max: Money
    value_out_min: Money
    value_out_average: Money
    confidence_score: Annotated[float, Unit.SHARE] | None
    total: int
    reasoning: str
    parts: list[Within]


UNITS = units_of(Answer)


def pairs(language: str, **values: object) -> dict[str, str]:
    """Return what people read of an answer."""
    return {
        label: text.replace("\N{NO-BREAK SPACE}", " ")
        for label, text in response_pairs(values, language, UNITS)
    }


def test_the_units_of_a_model_are_found_wherever_they_stand() -> None:
    assert UNITS == {
        "value_out_max": Unit.EURO,
        "value_out_min": Unit.EURO,
        "value_out_average": Unit.EURO,
        "confidence_score": Unit.SHARE,
        "deposit": Unit.EURO,
    }


def test_a_band_is_one_line_and_amounts_have_their_cents() -> None:
    shown = pairs(
        "pt", value_out_max=215.0, value_out_min=160.5, value_out_average=187.7, reasoning="Porque."
    )
    assert shown == {"Preço em segunda mão": "187,70 € (de 160,50 € a 215 €)", "Porquê": "Porque."}
    shown = pairs("en", value_out_max=90.0, value_out_min=90.0, value_out_average=90.0)
    assert shown == {"Second-hand price": "€90"}


def test_a_part_of_a_band_stays_as_it_is() -> None:
    assert pairs("en", value_out_max=215.0, value_out_min=None) == {"Highest price": "€215"}


def test_a_part_of_one_is_a_percentage_and_what_says_nothing_is_left_out() -> None:
    assert pairs("en", confidence_score=0.9, total=3, reasoning="", approved=None) == {
        "Confidence": "90%",
        "Found": "3",
    }


class CountedList(list[object]):
    """A list that counts the values that were read of it."""

    read = 0

    def __iter__(self) -> Iterator[object]:
        for each in super().__iter__():
            self.read += 1
            yield each


class CountedDict(dict[str, object]):
    """An object that counts the members that were read of it."""

    read = 0

    def items(self) -> Any:
        """Yield and count them."""
        for each in super().items():
            self.read += 1
            yield each


def test_of_a_long_value_only_what_is_shown_is_written() -> None:
    """A list of 30,000 numbers was written whole, and then cut at 2,000 characters."""
    numbers, members = CountedList([12] * 30_000), CountedDict(dict.fromkeys(map(str, range(8_000)), "abc"))
    assert field_text(numbers, "en") == "\n".join(["12"] * 30_000)[:MOST_TEXT]
    assert numbers.read <= MOST_TEXT
    assert field_text(members, "en") == "\n".join(f"{each}: abc" for each in range(8_000))[:MOST_TEXT]
    assert members.read <= MOST_TEXT


def test_french_has_a_space_before_the_colon() -> None:
    assert line_with_label("Question", "Quel état ?", "fr-FR") == "Question\N{NO-BREAK SPACE}: Quel état ?"
    assert line_with_label("Frage", "Welcher Zustand?", "de") == "Frage: Welcher Zustand?"
    assert field_text({"color": "Noir"}, "fr").endswith("\N{NO-BREAK SPACE}: Noir")
