"""The labels that a text may name: those that it names whole, and those of which it names a part."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from server.text_reading.typos import alike


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


def has_alike(words: Iterable[str], word: str) -> bool:
    """Return whether one of the words is this one, mistyped or not."""
    return any(alike(each, word) for each in words)


def lies_within(inner: Sequence[str], outer: Sequence[str]) -> bool:
    """Return whether a label's words are all among those of a longer one."""
    return len(inner) < len(outer) and all(has_alike(outer, word) for word in inner)
