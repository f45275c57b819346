"""The words of a label, as far as a text has them."""

from collections.abc import Iterable, Sequence

from server.text_reading.typos import alike

UNITS = frozenset({"gb", "tb"})
"""The units of sizes, which a text may leave out."""


def has_alike(words: Iterable[str], word: str) -> bool:
    """Return whether one of the words is this one, or nearly."""
    return any(alike(each, word) for each in words)


def covers_words(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether the label has every wanted word. A unit may be left out."""
    needed = [word for word in wanted if word not in UNITS] or list(wanted)
    units = UNITS.intersection(wanted)
    other = UNITS & set(words) - units if units else set()
    return not other and all(has_alike(words, word) for word in needed)


def lies_within(inner: Sequence[str], outer: Sequence[str]) -> bool:
    """Return whether the inner words are only some of the outer ones."""
    return len(inner) < len(outer) and all(has_alike(outer, word) for word in inner)
