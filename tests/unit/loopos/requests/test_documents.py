"""The numbers of identity documents, with published specimens and every single wrong sign."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.loopos.requests.documents import cc_holds, dni_holds, plain_number


@pytest.mark.parametrize("number", ["00000000 0 ZZ4", "000000000zz4", "00000000-0-ZZ4"])
def test_the_specimen_of_the_cartao_de_cidadao_holds(number: str) -> None:
    assert cc_holds(number)


@given(st.integers(0, 11), st.integers(1, 9))
def test_a_cartao_de_cidadao_with_one_wrong_sign_is_refused(at: int, by: int) -> None:
    text = "000000000ZZ4"
    if text[at].isdigit():
        other = str((int(text[at]) + by) % 10)
        assert not cc_holds(text[:at] + other + text[at + 1 :])


@pytest.mark.parametrize("number", ["12345678Z", "12.345.678-z", "X1234567L", "00000000T"])
def test_a_dni_and_a_nie_hold(number: str) -> None:
    assert dni_holds(number)


@pytest.mark.parametrize("number", ["12345678A", "X1234567T", "1234567Z", "", "Ñ1234567L", "W1234567L"])
def test_a_wrong_letter_or_shape_does_not_hold(number: str) -> None:
    assert not dni_holds(number)


@given(st.integers(0, 99_999_999))
def test_a_dni_holds_with_one_letter_only(number: int) -> None:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    assert sum(dni_holds(f"{number:08}{letter}") for letter in letters) == 1


def test_a_number_is_made_plain() -> None:
    assert plain_number(" 12.345.678-z ") == "12345678Z"
