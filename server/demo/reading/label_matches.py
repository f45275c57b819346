"""The labels of a choice that have the words of a text: whole labels, parts of them, or their numbers."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from server.typos import alike

UNITS = frozenset({"gb", "tb"})


@dataclass(frozen=True)
class Matches:
    """The labels that the text may name: strong names whole labels, weak only parts of them."""

    strong: tuple[int, ...] = ()
    weak: tuple[int, ...] = ()

    @property
    def one(self) -> int | None:
        """Return the only sensible label, if there is one."""
        best = self.strong or self.weak
        return best[0] if len(best) == 1 else None

    @property
    def several(self) -> tuple[int, ...]:
        """Return the labels among which the text does not decide."""
        best = self.strong or self.weak
        return best if len(best) > 1 else ()


def find_weak(
    words: list[str], likely: list[str], named: list[list[str]], near: Sequence[Set[str]]
) -> list[int]:
    """Return the labels that have all the words of the text, else its numbers, else something of a group `near`
    them.
    """
    found = [i for i, label in enumerate(named) if covers(words, label)]
    if not found:
        numbers = [word for word in words if word[0].isdigit()]
        found = [i for i, label in enumerate(named) if numbers and set(numbers) <= set(label)]
    if not found:
        known = [word for word in likely if any(_has(label, word) for label in named)]
        found = [i for i, label in enumerate(named) if known and covers(known, label)]
    if not found:
        groups = [group for group in near if group & set(words)]
        found = [i for i, label in enumerate(named) if any(group & set(label) for group in groups)]
    return found


def _has(words: Iterable[str], word: str) -> bool:
    return any(alike(each, word) for each in words)


def covers(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether the label has every wanted word. A unit may be left out."""
    needed = [word for word in wanted if word not in UNITS] or list(wanted)
    units = UNITS.intersection(wanted)
    other = UNITS & set(words) - units if units else set()
    return not other and all(_has(words, word) for word in needed)


def lies_within(inner: Sequence[str], outer: Sequence[str]) -> bool:
    return len(inner) < len(outer) and all(_has(outer, word) for word in inner)
