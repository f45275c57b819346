"""The faults that are put into JavaScript and Lua: by line, outside comments and texts."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from tests.mutants.mutant import Mutant

TEXTS = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`""")

SHARED = (
    ("number", r"(?<![\w.])\d+(?![\w.])", lambda found: str(int(found[0]) + 1)),
    ("boundary", r"(?<![<>=!-])<(?![<=])", lambda _: "<="),
    ("boundary", r"<=", lambda _: "<"),
    ("boundary", r"(?<![<>=-])>(?![>=])", lambda _: ">="),
    ("boundary", r"(?<![=])>=", lambda _: ">"),
    ("arithmetic", r" \+ ", lambda _: " - "),
    ("arithmetic", r" - ", lambda _: " + "),
    ("constant", r"\btrue\b", lambda _: "false"),
    ("constant", r"\bfalse\b", lambda _: "true"),
)

JAVASCRIPT = (
    *SHARED,
    ("equality", r"===", lambda _: "!=="),
    ("equality", r"!==", lambda _: "==="),
    ("logic", r"&&", lambda _: "||"),
    ("logic", r"\|\|", lambda _: "&&"),
    ("logic", r"\?\?", lambda _: "&&"),
    ("negation", r"!(?=[\w(])", lambda _: ""),
    ("condition", r"\bif \((.*)\) ", lambda found: f"if (!({found[1]})) "),
    (
        "statement",
        r"^(\s*)(?!return|const|let|import|export|throw|if|for)[\w.#?]+(\(.*\)| [-+]?= .*);$",
        r"\1;",
    ),
    ("statement", r"^(\s*)(return|throw)\b.*;$", r"\1;"),
    ("value", r"^(\s*)return (?!;).+;$", r"\1return undefined;"),
)

LUA = (
    *SHARED,
    ("equality", r"==", lambda _: "~="),
    ("equality", r"~=", lambda _: "=="),
    ("logic", r" and ", lambda _: " or "),
    ("logic", r" or ", lambda _: " and "),
    ("negation", r"\bnot ", lambda _: ""),
    ("statement", r"^(\s*)(call|pcall)\(.*\)$", r"\1"),
    ("statement", r"^(\s*)[\w, ]+ = .*$", r"\1"),
)


class ScriptMutants:
    """All mutants of one JavaScript or Lua file."""

    def __init__(self, file: str, text: str) -> None:
        self._file, self._lines = file, text.split("\n")
        self._operators = LUA if file.endswith(".lua") else JAVASCRIPT
        self._comment = "--" if file.endswith(".lua") else "//"

    def kinds(self, line: int) -> list[str]:
        """Name the operators that fit this line."""
        return sorted({kind for kind, _ in self._changed(line)})

    def draw(self, line: int, kind: str, chance: random.Random) -> Mutant:
        """Make one of the mutants of an operator in this line."""
        text = chance.choice([new for name, new in self._changed(line) if name == kind])
        return Mutant(self._file, line, kind, text)

    def _changed(self, number: int) -> Iterator[tuple[str, str]]:
        line = self._lines[number - 1]
        if line.lstrip().startswith((self._comment, "/*", "*")):
            return
        texts = [found.span() for found in TEXTS.finditer(line)]
        for kind, pattern, new in self._operators:
            for found in re.finditer(pattern, line):
                whole = kind in {"statement", "value", "condition"}
                if not whole and any(start < found.end() and found.start() < end for start, end in texts):
                    continue
                put = found.expand(new) if isinstance(new, str) else new(found)
                changed = line[: found.start()] + put + line[found.end() :]
                yield kind, "\n".join([*self._lines[: number - 1], changed, *self._lines[number:]])
