"""One fault in one line, with its place."""

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

    def key(self, original: str) -> tuple[str, str, str]:
        """Identify it by its file and by the lines that change, before and after, with one on either side."""
        return self.file, self._lines(original, " -"), self._lines(original, " +")

    def came(self, original: str) -> str:
        """Return the lines that came, without blanks."""
        return self._lines(original, "+")

    def _lines(self, original: str, signs: str) -> str:
        lines = difflib.unified_diff(original.splitlines(), self.text.splitlines(), lineterm="", n=1)
        return "\n".join("".join(each[1:].split()) for each in list(lines)[2:] if each[0] in signs)

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
