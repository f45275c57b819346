"""The words of a label beside those of a text: which it has, and which another label has too."""

from collections.abc import Iterable, Mapping, Sequence

from server.text_reading.typos import SHORT, alike

UNITS = frozenset({"gb", "tb"})
"""Units that a text may leave out."""


def has_word(words: Iterable[str], word: str) -> bool:
    """Return whether one of the words is like another."""
    return any(alike(each, word) for each in words)


def covers(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether the label has every wanted word. A unit may be left out."""
    needed = [word for word in wanted if word not in UNITS] or list(wanted)
    units = UNITS.intersection(wanted)
    other = UNITS & set(words) - units if units else set()
    return not other and all(has_word(words, word) for word in needed)


def lies_within(inner: Sequence[str], outer: Sequence[str]) -> bool:
    """Return whether a longer label has all words of this one."""
    return len(inner) < len(outer) and all(has_word(outer, word) for word in inner)


def weakly_named(
    words: Sequence[str], likely: Sequence[str], named: Sequence[list[str]], near: Iterable[frozenset[str]]
) -> list[int]:
    """Return the labels that have all the words of the text, else its numbers, else something near them."""
    found = [i for i, label in enumerate(named) if covers(words, label)]
    if not found:
        numbers = [word for word in words if word[0].isdigit()]
        found = [i for i, label in enumerate(named) if numbers and set(numbers) <= set(label)]
    if not found:
        known = [word for word in likely if any(has_word(label, word) for label in named)]
        found = [i for i, label in enumerate(named) if known and covers(known, label)]
    if not found:
        groups = [group for group in near if group & set(words)]
        found = [i for i, label in enumerate(named) if any(group & set(label) for group in groups)]
    return found


def names_all(words: Sequence[str], wanted: Iterable[str], same: Mapping[str, str]) -> bool:
    """Return whether the words have each wanted one, or one that means the `same`; a long one may be written apart."""
    return all(
        (len(word) >= SHORT and word in "".join(words))
        or any(alike(each, same.get(word, word)) or each == word for each in words)
        for word in wanted
    )
