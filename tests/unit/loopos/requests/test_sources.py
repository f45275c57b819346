"""The sources of an answer: the addresses that a search has found, each text and each page of them read once."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest

from server.loopos.requests.sources import MOST_ADDRESS, MOST_ADDRESSES, NO_SOURCES, tell_sources

FOUND = [f"https://shop.example/{each}?a=1" for each in range(40)]


def told(references: list[str], reasoning: str = "Known.", description: str = "") -> dict[str, Any]:
    """Return what is told of a response with these references."""
    given = {"references": references, "reasoning": reasoning, "description": description, "value": 1}
    return tell_sources(given, FOUND, "en")


def test_references_are_those_that_were_found_as_they_were_found() -> None:
    named = [
        "HTTPS://SHOP.example/1/?utm_source=x&a=1#top",
        "https://other.example/",
        *FOUND[1:3],
        "no address",
    ]
    assert told(named) == {
        "references": FOUND[1:3],
        "reasoning": "Known.",
        "description": "",
        "value": 1,
    }


def test_texts_name_no_address_that_nobody_found() -> None:
    given = told([], "See https://other.example/x, or https://shop.example/2?a=1.", "http://a.example")
    assert given["reasoning"] == f"See , or https://shop.example/2?a=1. {NO_SOURCES['en']}"
    assert given["description"] == ""


def test_each_address_is_read_once_and_no_more_of_them_than_a_run_remembers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All pages that were found were read again for each address of a text."""
    read: list[str] = []

    def noting(address: str) -> Any:
        read.append(address)
        return urlsplit(address)

    monkeypatch.setattr("server.loopos.requests.sources.urlsplit", noting)
    strangers = ["http://a"] * (MOST_ADDRESSES - 1)
    text = " ".join([*strangers, FOUND[3], FOUND[4], *strangers])
    given = told([*strangers, *FOUND[3:5]], text, text)
    assert (given["references"], given["reasoning"].split(), given["description"].split()) == (
        [FOUND[3]],
        [FOUND[3]],
        [FOUND[3]],
    )
    assert len(read) <= len(FOUND) + 3 * MOST_ADDRESSES


def test_an_address_that_is_longer_than_any_found_one_is_not_read() -> None:
    long = f"{FOUND[1]}&utm_source={'x' * MOST_ADDRESS}"
    assert told([long, FOUND[2]], long) | {"value": 1} == told([FOUND[2]], "")
