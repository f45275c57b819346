"""The areas of mutation: their files, how many mutants of each, and their tests."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutant import Mutant
from tests.mutants.operators import Mutants
from tests.mutants.script_operators import ScriptMutants


@dataclass(frozen=True)
class Area:
    """A package, its share of a hundred mutants, and the folders of its tests.

    `far` are those whose server is a process of its own. They are tried last, on what the others let live.
    """

    package: str
    share: int
    tests: tuple[str, ...]
    far: tuple[str, ...] = ()


SCRIPTS = "sdk/js"
"""The area whose mutants are tried by Node, not by pytest."""

_FRAMES = ("integration/wire", "integration/api")
_TALKS = (
    "integration/api",
    "integration/agui/test_reload.py",
    "integration/conversation/test_submission.py",
    "integration/crash/test_kill.py",
)
_SENT = ("integration/callbacks", "promises/test_callbacks.py")

AREAS = (
    Area("server/bus", 15, ("unit/bus", "contract/bus", "integration/bus", "integration/runs"), _TALKS),
    Area("server/store", 14, ("unit/store", "contract/store", "integration/runs"), _TALKS),
    Area("server/runs", 15, ("unit/runs", "integration/runs", "integration/ws"), (*_TALKS, *_SENT)),
    Area("server/rooms", 9, ("unit/rooms", "integration/ws", "integration/wire"), _FRAMES),
    Area("server/ws", 3, ("unit/ws", "integration/ws", "integration/wire"), _FRAMES),
    Area(
        "server/http",
        3,
        ("unit/http", "unit/web", "integration/ws", "integration/wire"),
        (*_FRAMES, "integration/inbox", "integration/pages"),
    ),
    Area(
        "server/callbacks",
        8,
        ("unit/callbacks", "integration/callbacks", "contract/store/test_callbacks.py"),
        _SENT,
    ),
    Area("server/auth", 6, ("unit/auth", "integration/ws", "integration/wire"), _FRAMES),
    Area("server/protocol", 5, ("unit/protocol", "unit/html", "unit/demo", "unit/agents"), _TALKS),
    Area("server/loopos", 4, ("unit/loopos", "unit/services", "unit/demo", "contract/store"), _TALKS),
    Area(
        "server/agents",
        8,
        (
            "unit/agents",
            "contract/agents",
            "integration/agents",
            "unit/demo",
            "unit/services",
            "integration/runs",
        ),
        (*_TALKS, "integration/test_tracing.py"),
    ),
    Area("sdk/python/src/loopwire", 4, ("unit/sdk", "integration/sdk"), ("integration/sdk",)),
    Area(SCRIPTS, 6, ()),
)

SPARE = 1.5
"""So many times the mutants that are wanted are drawn: some fit no loaded module."""

LEFT_OUT = (
    "/migrations/",
    "/seed/",
    "/tests/",
    "/runs/crash_points.py",  # Names of places: a test that stops there names them by the same constants.
    "/protocol/examples.py",  # Values that documents show.
    ".d.ts",
)
"""Files whose path has one of these are not mutated."""
_ENDINGS = {".py": Mutants, ".lua": ScriptMutants, ".js": ScriptMutants}


def area_of(file: str) -> Area:
    """Return the area that a file belongs to."""
    return next(each for each in AREAS if file.startswith(f"{each.package}/"))


def shares(areas: list[Area], count: int) -> dict[str, int]:
    """Deal out `count` mutants by the shares of the areas; rounding favours those with the larger rest."""
    whole = sum(each.share for each in areas)
    dealt = {each.package: count * each.share // whole for each in areas}
    rest = sorted(areas, key=lambda each: -(count * each.share % whole))
    for each in rest[: count - sum(dealt.values())]:
        dealt[each.package] += 1
    return dealt


def sources(root: Path, below: str) -> list[str]:
    """List the files that are mutated in a package, or this one file."""
    start = root / below
    found = [start] if start.is_file() else sorted(start.rglob("*"))
    names = [each.relative_to(root).as_posix() for each in found if each.suffix in _ENDINGS]
    return [each for each in names if not any(part in f"/{each}" for part in LEFT_OUT)]


def drawn(root: Path, below: str, chance: random.Random) -> Iterator[Mutant]:
    """Draw mutants without end to the lines: a line, then an operator that fits it, then one of its faults.

    So a line with many arguments is no likelier than another, and no line gets two.
    """
    texts = {file: (root / file).read_text() for file in sources(root, below)}
    lines = [(file, line) for file in texts for line in range(1, texts[file].count("\n") + 1)]
    chance.shuffle(lines)
    made: dict[str, Mutants | ScriptMutants] = {}
    for file, line in lines:
        if file not in made:
            made[file] = _ENDINGS[Path(file).suffix](file, texts[file])
        if kinds := made[file].kinds(line):
            mutant = made[file].draw(line, chance.choice(kinds), chance)
            if mutant.text != texts[file]:
                yield mutant
