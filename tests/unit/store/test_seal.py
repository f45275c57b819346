"""Sealed values: they open with the same secret in the same place alone, and are equal each time."""

from __future__ import annotations

import pytest

from server.store.seal import Seal, Unreadable, is_sealed

SECRET = b"a secret of thirty-two characters"
VALUE = {"name": "Anna Eriksson", "images": ["stored"], "text": "\ud83dx"}
PLACE = "request ses_1"


def test_a_sealed_value_is_opened_by_another_process_with_the_secret() -> None:
    sealed = Seal(SECRET).close_json({"name": "Anna"}, PLACE)
    assert is_sealed(sealed)
    assert "Anna" not in sealed
    assert Seal(SECRET).open_json(sealed, PLACE) == {"name": "Anna"}
    assert Seal(SECRET).open(Seal(SECRET).close(b"\xff\xd8", PLACE), PLACE) == b"\xff\xd8"


def test_a_value_sealed_by_an_earlier_version_is_opened() -> None:
    assert Seal(SECRET).open_text("sealed:gfDVQI+IlJbdkKz3s6SCpBll2QM=", PLACE) == "Anna"


def test_half_a_surrogate_pair_of_a_caller_is_sealed_too() -> None:
    seal = Seal(SECRET)
    assert seal.open_json(seal.close_json(VALUE, PLACE), PLACE)["name"] == VALUE["name"]


def test_the_same_value_of_the_same_place_is_the_same_and_of_another_is_not() -> None:
    seal = Seal(SECRET)
    assert seal.close(b"x", PLACE) == seal.close(b"x", PLACE)
    assert seal.close(b"x", PLACE) != seal.close(b"x", "request ses_2")
    assert seal.close(b"x", PLACE) != Seal(SECRET + b"!").close(b"x", PLACE)


@pytest.mark.parametrize(
    ("seal", "about", "change"),
    [
        (Seal(SECRET + b"!"), PLACE, ""),
        (Seal(None), PLACE, ""),
        (Seal(SECRET), "request ses_2", ""),
        (Seal(SECRET), "callback ses_1", ""),
        (Seal(SECRET), PLACE, "AAAA"),
        (Seal(SECRET), PLACE, "!"),
    ],
    ids=["another secret", "no secret", "another session", "another kind", "changed", "no text of ours"],
)
def test_a_value_sealed_with_another_secret_or_place_is_unreadable(
    seal: Seal, about: str, change: str
) -> None:
    sealed = Seal(SECRET).close_text("Anna", PLACE) + change
    with pytest.raises(Unreadable):
        seal.open_text(sealed, about)


@pytest.mark.parametrize("value", [None, {"a": 1}, ["sealed:x"], 'a "sealed:x"'])
def test_a_value_stored_without_a_seal_is_read_as_it_is(value: object) -> None:
    assert Seal(SECRET).open_json(value, PLACE) == value


@pytest.mark.parametrize("data", [b"", b"x", b"y" * 16])
def test_a_value_too_short_for_a_seal_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        Seal(SECRET).open(data, PLACE, "an earlier name")
