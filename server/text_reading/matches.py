"""The labels that a text may name: those that it names whole, and those of which it names a part."""

from dataclasses import dataclass


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
