"""The table of sellers' answers: the value of each, or that the seller has to confirm it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Row:
    """One answer to a question (`element`), or to the choice of an option (`product/option type`)."""

    element: str
    language: str
    outcome: str
    """`=value`: it says this. `?value,value`: asked back with one of these guesses, or none.

    `?`: not sure. `-`: no value, and no guess.
    """
    phrase: str

    @property
    def kind(self) -> str:
        """`=`, `?` or `-`."""
        return self.outcome[0]

    @property
    def value(self) -> str:
        """Return the right value, or the right guess."""
        return self.outcome[1:]

    def allows(self, guess: str) -> bool:
        """Return whether a person would find this guess plausible, written as `?value`."""
        return self.kind != "-" and (not self.value or guess[1:] in self.value.split(","))

    @property
    def of_an_option(self) -> bool:
        """Return whether it is about an option of a product."""
        return "/" in self.element


@cache
def rows(*names: str) -> tuple[Row, ...]:
    """Return the rows of these files."""
    lines = [line for name in names for line in (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()]
    fields = [[field.strip() for field in line.split("|", 3)] for line in lines if line and line[0] != "#"]
    return tuple(Row(*each) for each in fields)
