"""Countries of documents: two letters, whatever code was read."""

from __future__ import annotations

import pytest

from server.loopos.requests.countries import country_code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("PT", "pt"),
        (" pt ", "pt"),
        ("PRT", "pt"),
        ("D", "de"),
        ("GBN", "gb"),
        ("UTO", None),
        ("Portugal", None),
        ("P1", None),
        ("Ñß", None),
        ("", None),
        (None, None),
    ],
)
def test_a_country_is_two_letters_or_nothing(text: str | None, code: str | None) -> None:
    assert country_code(text) == code
