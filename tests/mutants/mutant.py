"""One fault in one line, and where it stands."""

from __future__ import annotations

import difflib
import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mutant:
    """A file with one fault; `kind` is the name of the operator that made it."""

    file: str
    """Its path in the repository."""
    line: int
    """Where the fault begins in the original."""
    kind: str
    text: str
    """The whole file with the fault."""

    def changed(self, original: str) -> tuple[str, str]:
        """Return the lines that are gone and those that came, without blanks: they identify the mutant."""
        lines = list(difflib.unified_diff(original.splitlines(), self.text.splitlines(), lineterm="", n=0))[
            2:
        ]
        before, after = (["".join(each[1:].split()) for each in lines if each[0] == sign] for sign in "-+")
        return "\n".join(before), "\n".join(after)

    def diff(self, original: str) -> str:
        """Show it as a patch with two lines around it."""
        lines = difflib.unified_diff(original.splitlines(), self.text.splitlines(), lineterm="", n=2)
        return "\n".join(list(lines)[2:])


def write_plan(file: Path, mutants: list[Mutant]) -> None:
    """Hand mutants to the process that tries them."""
    file.write_text(json.dumps([asdict(each) for each in mutants]))


def read_plan(file: Path) -> list[Mutant]:
    """Read what `write_plan` wrote."""
    return [Mutant(**each) for each in json.loads(file.read_text())]
