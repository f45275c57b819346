"""The rules of identity documents, with published specimens and every single wrong sign."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.loopos.requests.documents import (
    cc_holds,
    dni_holds,
    mrz_digit,
    plain_name,
    plain_number,
    read_zone,
    same_name,
)

# The specimens of ICAO Doc 9303.
TD3 = ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"]
TD1 = ["I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<"]
TD2 = ["I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6"]


def test_the_digit_of_the_published_example() -> None:
    assert mrz_digit("520727") == 3
    assert mrz_digit("AB2134<<<") == 5


@pytest.mark.parametrize(("lines", "number"), [(TD3, "L898902C3"), (TD1, "D23145890"), (TD2, "D23145890")])
def test_a_published_specimen_is_read(lines: list[str], number: str) -> None:
    zone = read_zone(lines)
    assert zone is not None and zone.valid
    assert (zone.number, zone.country, zone.name) == (number, "UTO", "ANNA MARIA ERIKSSON")
    assert zone.expiry == date(2012, 4, 15)


@given(st.sampled_from([TD3, TD1, TD2]), st.data())
def test_one_wrong_digit_in_what_is_checked_is_noticed(lines: list[str], data: st.DataObject) -> None:
    row = 0 if len(lines) == 3 and data.draw(st.booleans()) else 1
    line = lines[row]
    checked = range(5, 15) if row == 0 else [*range(10), *range(13, 20), *range(21, 28)]
    if len(lines) == 3 and row == 1:
        checked = [*range(7), *range(8, 15)]
    at = data.draw(st.sampled_from([each for each in checked if line[each].isdigit()]))
    other = data.draw(st.sampled_from([each for each in "0123456789" if each != line[at]]))
    wrong = [*lines]
    wrong[row] = line[:at] + other + line[at + 1 :]
    zone = read_zone(wrong)
    assert zone is not None
    assert not zone.valid


@pytest.mark.parametrize(
    "lines", [[], ["abc"], [TD3[0]], [TD3[0], TD2[1]], ["é" * 44, TD3[1]], [*TD3, TD3[1]]]
)
def test_another_shape_is_no_zone(lines: list[str]) -> None:
    assert read_zone(lines) is None


@pytest.mark.parametrize("number", ["00000000 0 ZZ4", "000000000zz4", "00000000-0-ZZ4"])
def test_the_specimen_of_the_cartao_de_cidadao_holds(number: str) -> None:
    assert cc_holds(number)


@given(st.integers(0, 11), st.integers(1, 9))
def test_one_wrong_sign_of_a_cartao_de_cidadao_is_noticed(at: int, by: int) -> None:
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


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("João da Silva", "JOAO DA SILVA", True),
        ("Silva, João", "João Silva", True),
        ("Ana Maria Costa", "Ana Costa", True),
        ("Ana", "Ana Costa", False),
        ("Ana Costa", "Ana Lopes", False),
        ("", "Ana Costa", False),
        ("O'Neill Conor", "CONOR O NEILL", True),
    ],
)
def test_names_are_compared_by_their_words(one: str, other: str, same: bool) -> None:
    assert same_name(one, other) is same
    assert same_name(other, one) is same


def test_numbers_and_names_are_made_plain() -> None:
    assert plain_number(" 12.345.678-z ") == "12345678Z"
    assert plain_name("José  Ñunez-Pérez") == "JOSE NUNEZ PEREZ"
