"""The sentence for a wrong field names its place and why, and holds nothing of what was sent."""

from __future__ import annotations

from typing import Any, Self

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator, model_validator

from server.protocol.field_errors import describe_fault, first_error, first_fault, shown_name


class Order(BaseModel):
    """An order that a program sends."""

    model_config = ConfigDict(strict=True)

    items: list[int] = []
    name: str = ""
    paid: bool = False

    @field_validator("name")
    @classmethod
    def _is_free(cls, name: str) -> str:
        if name == "secret":
            raise ValueError("This name is taken.")
        return name

    @model_validator(mode="after")
    def _is_something(self) -> Self:
        if self.paid and not self.items:
            raise ValueError("An empty order is not paid.")
        return self


def refused(data: Any) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        Order.model_validate(data)
    return caught.value


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"items": [1, "secret"]}, "items.1: Input should be a valid integer"),
        ({"name": "secret"}, "name: This name is taken"),
        ({"paid": True}, "An empty order is not paid"),
        ({"items": ["secret"], "name": 1}, "items.0: Input should be a valid integer"),
    ],
    ids=["in a list", "own sentence", "whole", "first of two"],
)
def test_the_first_fault_is_told_by_its_place_and_why(data: Any, told: str) -> None:
    error = refused(data)
    assert first_fault(error) == first_fault(error, data) == told
    assert describe_fault(first_error(error)) == told


def test_a_fault_holds_neither_what_was_sent_nor_an_address() -> None:
    assert not {"input", "url"} & first_error(refused({"items": ["secret"]})).keys()


def test_a_name_that_a_sender_made_up_is_shown_when_it_looks_like_one() -> None:
    assert (shown_name("a-B_9" * 12 + "abcd"), shown_name(7)) == ("a-B_9" * 12 + "abcd", "7")
    for odd in ("a" * 65, "a b", "a\n", "", "<b>"):
        assert shown_name(odd) == "(an odd name)"
