"""The removal of markup from texts of callers: what people read of them, in time that grows with their length.

The long texts were read for longer than a test may take before each function read a text once.
"""

from __future__ import annotations

import pytest

from server.text_reading.words.markup_removal import beginning, without_markup, without_symbols
from tests.parts.sampled import later, one_of

LONG = 2_000_000


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a <b>bold</b>  word\n&amp; more", "a bold word & more"),
        ("a<script>x</script>b<STYLE media='print'>y</Style >c", "a b c"),
        ("a<script>x<style>y</script>z</style>b", "a z b"),
        ("a<script>x</style>y</script>b", "a b"),
        ("a<style>x</script>b", "a x b"),
        ("a<script>x<style>y</style>b", "a x b"),
        ("<scripts>x</script>", "x"),
        ("a < b <c", "a < b <c"),
        ("&#65;&#00000000066;&#x43;", "ABC"),
        ("&lt;script&gt;", "<script>"),
    ],
)
def test_what_people_read_of_a_text(text: str, plain: str) -> None:
    assert without_markup(text) == plain


@pytest.mark.parametrize("name", ["scr\u0130pt", "\u017ftyle"])
def test_a_letter_that_is_one_of_a_name_in_another_case_counts_as_that(name: str) -> None:
    assert without_markup(f"a<{name}>x</{name}>b") == "a b"


@pytest.mark.parametrize("number", ["9" * 100_000, "0" * 100_000 + "9" * 9])
def test_a_number_of_many_digits_names_no_character(number: str) -> None:
    """Beyond 4,300 digits Python refuses to read a number."""
    assert without_markup(f"a&#{number};b") == "a\ufffdb"


@pytest.mark.parametrize(
    ("piece", "left"),
    [("<script>", ""), later("<style>", ""), later("<script><style>", ""), ("<script </script ", None)],
)
def test_elements_that_nothing_ends_are_looked_for_once(piece: str, left: str | None) -> None:
    found = without_symbols(piece * (LONG // len(piece)))
    assert left is None or found == left


@pytest.mark.parametrize("piece", one_of(2, ["<", "<!--", "&", "&#", "</", "<a ", "<a>", "\u200d"]))
def test_half_markup_is_read_once(piece: str) -> None:
    """A search that begins anew at each piece is broken off, with a quarter of the length too."""
    without_symbols(piece * (LONG // 4 // len(piece)))


def test_a_beginning_has_room_for_markup() -> None:
    assert (
        without_symbols(beginning("<p class='name'>iPhone</p> 12 " * 9, 30))[:30]
        == "iPhone 12 iPhone 12 iPhone 12 "
    )
    assert len(beginning("a" * LONG, 200)) < 10_000
