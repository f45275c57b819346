"""Machine-readable zones: published specimens, every single wrong sign, and what contradicts the print."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.loopos.requests.machine_zone import MachineZone, mrz_digit, read_zone

# The specimens of ICAO Doc 9303.
TD3 = ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"]
TD1 = ["I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<"]
TD2 = ["I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6"]


def test_mrz_digit_returns_the_digits_of_the_published_examples() -> None:
    assert mrz_digit("520727") == 3
    assert mrz_digit("AB2134<<<") == 5


@pytest.mark.parametrize(("lines", "number"), [(TD3, "L898902C3"), (TD1, "D23145890"), (TD2, "D23145890")])
def test_a_published_specimen_is_read(lines: list[str], number: str) -> None:
    zone = read_zone(lines)
    assert zone is not None and zone.valid
    assert (zone.number, zone.country, zone.name) == (number, "UTO", "ANNA MARIA ERIKSSON")
    assert zone.expiry == date(2012, 4, 15)


@given(st.sampled_from([TD3, TD1, TD2]), st.data())
def test_a_zone_with_one_wrong_digit_in_a_checked_field_is_invalid(
    lines: list[str], data: st.DataObject
) -> None:
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
def test_lines_of_another_shape_are_no_zone(lines: list[str]) -> None:
    assert read_zone(lines) is None


@pytest.mark.parametrize("lines", [TD3, TD1, TD2])
@pytest.mark.parametrize("between", ["", "\n", "\r\n", " \n "])
def test_a_zone_in_one_text_is_taken_apart(lines: list[str], between: str) -> None:
    assert read_zone([between.join(lines)]) == read_zone(lines)


# PRADO PRT-BO-04001: a number of twelve signs, and a name that its field cuts.
CC = ["I<PRT007666667<ZZ00<<<<<<<<<<<", "8303143M3405293PRT<<<<<<<<<<<4", "CACADOR<DE<ARAUJO<<ANDRE<ESTEV"]
DNI = ["IDESPBAA000589599999999R<<<<<<", "8001014F2501017ESP<<<<<<<<<<<7", "ESPANOLA<ESPANOLA<<CARMEN<<<<<"]


def zone_of(lines: list[str]) -> MachineZone:
    """Return the zone of these lines, whose check digits hold."""
    zone = read_zone(lines)
    assert zone is not None and zone.valid
    return zone


def test_a_number_of_more_than_nine_signs_goes_on_in_the_optional_field() -> None:
    zone = zone_of(CC)
    assert (zone.number, zone.expiry) == ("007666667ZZ0", date(2034, 5, 29))
    wrong = read_zone([CC[0].replace("ZZ00", "ZZ10"), *CC[1:]])
    assert wrong is not None and not wrong.valid


def test_a_spanish_card_has_the_number_of_its_holder_in_the_optional_field() -> None:
    zone = zone_of(DNI)
    assert zone.number == "99999999R"
    assert zone.has_number("99999999R") and zone.has_number("BAA000589")
    assert not zone.has_number("99999999T")


def test_a_day_is_compared_without_its_century_and_an_unknown_digit_is_any() -> None:
    zone = zone_of(TD3)
    assert zone.has_birth(date(1974, 8, 12)) and zone.has_expiry(date(2012, 4, 15))
    assert not zone.has_birth(date(1974, 8, 13)) and not zone.has_expiry(date(2013, 4, 15))
    unknown = ["I<UTOD231458907<<<<<<<<<<<<<<<", "74<<<<1F1204159UTO<<<<<<<<<<<4", TD1[2]]
    assert zone_of(unknown).has_birth(date(1974, 1, 1)) and not zone_of(unknown).has_birth(date(1975, 1, 1))


@pytest.mark.parametrize(
    ("lines", "printed", "agrees"),
    [
        (TD3, "Eriksson Anna Maria", True),
        (TD3, "Anna Eriksson", True),
        (TD3, "Anna Maria Eriksson Lund", True),
        (TD3, "Anna Larsson", False),
        (TD3, "Ann Maria Eriksson", False),
        (CC, "André Estevão Caçador de Araújo", True),
        (CC, "André Filipe Caçador de Araújo", False),
        (DNI, "Carmen Española Española", True),
    ],
)
def test_a_printed_name_agrees_when_it_is_written_otherwise_and_not_when_it_is_another(
    lines: list[str], printed: str, agrees: bool
) -> None:
    assert zone_of(lines).has_name(printed) is agrees
