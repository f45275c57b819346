"""The walks of docs/extending.md are followed literally: their tests pass with all steps, and fail without one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "extending.md"
STEP = re.compile(
    r"^\d+\. (?:In (?:a new file )?`(?P<file>[^`]+)`"
    r"(?:, (?P<where>at the end|above|below|instead of)(?: `(?P<anchor>[^`]+)`)?)?:\n\n"
    r"   ```\w+\n(?P<code>.*?)   ```$|Run `(?P<command>[^`]+)`)",
    re.MULTILINE | re.DOTALL,
)
TESTS = re.compile(r"^Tests: `([^`]+)`$", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """One numbered step: a command, or code and where it goes."""

    file: str | None
    where: str | None
    anchor: str | None
    code: str | None
    command: str | None

    def follow(self, tree: Path) -> None:
        """Do what it says."""
        if self.command:
            subprocess.run(self.command, cwd=tree, shell=True, check=True, capture_output=True)
            return
        assert self.file is not None and self.code is not None
        file, code = tree / self.file, "\n".join(self._lines())
        if self.where is None:
            file.write_text(code)
            return
        text = file.read_text()
        if self.where == "at the end":
            file.write_text(f"{text}\n\n{code}")
            return
        assert self.anchor is not None
        assert text.count(self.anchor) == 1, (
            f"{self.anchor!r} stands {text.count(self.anchor)} times in {self.file}"
        )
        start = text.index(self.anchor)
        line = text.rindex("\n", 0, start) + 1, text.index("\n", start) + 1
        head, tail = {
            "above": (text[: line[0]], text[line[0] :]),
            "below": (text[: line[1]], text[line[1] :]),
            "instead of": (text[: line[0]], text[line[1] :]),
        }[self.where]
        # A definition stands apart from the next one.
        apart = "\n\n" if self.where == "above" and not code.startswith(" ") else ""
        file.write_text(head + code + apart + tail)

    def _lines(self) -> Iterator[str]:
        """Yield the code without the indent of the list, whose own indent stays."""
        assert self.code is not None
        yield from (line.removeprefix("   ") for line in self.code.split("\n"))


@dataclass(frozen=True)
class Walk:
    """A walk of the page."""

    name: str
    steps: tuple[Step, ...]
    tests: tuple[str, ...]


def walks() -> list[Walk]:
    """Read the page."""
    _, *sections = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)
    return [
        Walk(
            section.split("\n", 1)[0],
            tuple(Step(**found.groupdict()) for found in STEP.finditer(section)),
            tuple(" ".join(TESTS.findall(section)).split()),
        )
        for section in sections
    ]


WALKS = {each.name: each for each in walks()}
TRIED = "Add a setting"
LEFT_OUT = [
    pytest.param(
        name,
        number,
        marks=[] if name == TRIED and number == len(walk.steps) else [pytest.mark.conformance],
    )
    for name, walk in WALKS.items()
    for number in range(1, len(walk.steps) + 1)
    if (name, number) != ("Add a setting", 1)  # Without it there is none, and its page is as before.
]
"""One walk without its last step in each run of the suite, all without each step in the whole of it."""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a copy of what git knows, as it lies here."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = [ROOT / name for name in filter(None, names.split("\0"))]
    for file in files:
        if file.is_file():
            _copy(file, tmp_path)
    for folder in {file.parent / "__pycache__" for file in files}:
        for compiled in folder.glob("*.pyc"):
            _copy(compiled, tmp_path)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    return tmp_path


def _copy(file: Path, tree: Path) -> None:
    """Copy a file with its time, by which Python knows what it compiled before."""
    copied = tree / file.relative_to(ROOT)
    copied.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(file, copied)


def passes(tree: Path, tests: tuple[str, ...]) -> tuple[bool, str]:
    """Run the named tests in the copy."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    ended = subprocess.run(command, cwd=tree, check=False, capture_output=True, text=True)
    return ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]


def test_the_page_has_each_walk_with_its_number_of_steps() -> None:
    assert {name: len(walk.steps) for name, walk in WALKS.items()} == {
        "Add a service that answers requests": 4,
        "Add an event": 13,
        "Add a block": 2,
        "Add a language": 3,
        "Add a setting": 2,
        "Add a limit": 5,
    }
    assert all(walk.tests for walk in WALKS.values())


def test_the_tests_of_all_walks_pass_after_all_steps(tree: Path) -> None:
    steps = [step for walk in WALKS.values() for step in walk.steps]
    # The commands write files out of what the steps of all walks changed.
    for step in sorted(steps, key=lambda each: each.command is not None):
        step.follow(tree)
    passed, said = passes(tree, tuple(dict.fromkeys(test for walk in WALKS.values() for test in walk.tests)))
    assert passed, said


@pytest.mark.conformance
@pytest.mark.parametrize("name", WALKS)
def test_the_tests_of_a_walk_pass_after_all_its_steps(tree: Path, name: str) -> None:
    walk = WALKS[name]
    for step in walk.steps:
        step.follow(tree)
    passed, said = passes(tree, walk.tests)
    assert passed, said


@pytest.mark.parametrize(("name", "number"), LEFT_OUT, ids=str)
def test_a_test_of_a_walk_fails_when_a_step_is_left_out(tree: Path, name: str, number: int) -> None:
    walk = WALKS[name]
    for place, step in enumerate(walk.steps, 1):
        if place != number:
            step.follow(tree)
    passed, _ = passes(tree, walk.tests)
    assert not passed
