"""Which test executes which line, and how long it takes: one pass over the tests with coverage."""

from __future__ import annotations

import ast
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.mutants.patch import Constant, Function, Unfit, dependents, module_name, names_used, owner_of


@dataclass
class Reach:
    """The recorded lines and times of each test."""

    seconds: dict[str, float] = field(default_factory=dict)
    """Of each test that passed."""
    lines: dict[str, dict[int, list[str]]] = field(default_factory=dict)
    """The tests of each line of each file."""

    seen: set[str] = field(default_factory=set)
    """All tests that were run."""

    def write(self, file: Path) -> None:
        """Keep it."""
        file.write_text(json.dumps([self.seconds, self.lines, sorted(self.seen)]))

    @classmethod
    def read(cls, file: Path) -> Reach:
        """Read what `write` wrote."""
        seconds, named, seen = json.loads(file.read_text())
        lines = {name: {int(at): ids for at, ids in each.items()} for name, each in named.items()}
        return cls(seconds, lines, set(seen))

    def tests(self, root: Path, file: str, line: int) -> list[str]:
        """Name the tests that execute a line, the quickest first; of a module constant, those that may use it."""
        scripts = "server/bus/redis/client.py"
        found = self._of_file(scripts) if file.endswith(".lua") else self._of_line(root, file, line)
        return sorted(found & self.seconds.keys(), key=lambda each: self.seconds[each])

    def _of_file(self, file: str) -> set[str]:
        return {each for ids in self.lines.get(file, {}).values() for each in ids}

    def _of_line(self, root: Path, file: str, line: int) -> set[str]:
        tree = ast.parse((root / file).read_text())
        try:
            owner = owner_of(tree, line)
        except Unfit:
            return set()
        mine = self.lines.get(file, {})
        found = {each for at in span(tree, line) for each in mine.get(at, ())}
        if isinstance(owner, str) and found:
            return found
        names = dependents(tree, {owner} if isinstance(owner, str) else owner)
        return {each for at in self._using(root, file, names) for each in at} | self._naming(
            root, file, names
        )

    def _naming(self, root: Path, file: str, names: set[str]) -> set[str]:
        """Tests that read a constant themselves: the lines of tests are not recorded."""
        found = set()
        for other in {
            each.partition("::")[0] for each in self.seconds if (root / each.partition("::")[0]).exists()
        }:
            text = (root / other).read_text()
            if f"from {module_name(file)} import" not in text:
                continue
            using = [
                each
                for each in ast.parse(text).body
                if isinstance(each, Function) and names_used(each) & names
            ]
            heads = tuple(f"{other}::{each.name}" for each in using)
            found |= {each for each in self.seconds if each.partition("[")[0] in heads}
        return found

    def _using(self, root: Path, file: str, names: set[str]) -> Iterator[list[str]]:
        for other, lines in self.lines.items():
            text = (root / other).read_text()
            if other != file and f"from {module_name(file)} import" not in text:
                continue
            for function in ast.walk(ast.parse(text)):
                if isinstance(function, Function) and names_used(function) & names:
                    inside = range(function.lineno + 1, (function.end_lineno or 0) + 1)
                    yield from (lines.get(at, []) for at in inside)


def span(tree: ast.Module, line: int) -> range:
    """Return the lines of the innermost statement around a line; of a compound one those of its head."""
    best = range(line, line + 1)
    for each in ast.walk(tree):
        if not isinstance(each, ast.stmt) or not each.lineno <= line <= (each.end_lineno or 0):
            continue
        body = getattr(each, "body", None)
        end = body[0].lineno if body and line < body[0].lineno else (each.end_lineno or 0) + 1
        if not body or line < body[0].lineno or isinstance(each, Constant):
            best = range(each.lineno, end)
    return best


class Recorder:
    """Runs tests one after another and records them."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember what cannot tell a fault from none."""
        if not report.passed:
            self._failed.add(report.nodeid)

    def record(self, items: list[pytest.Item], reach: Reach) -> None:
        """Run them all and add what they reach."""
        import coverage  # noqa: PLC0415 - a process that has it does not fork its servers.

        watch = coverage.Coverage(
            data_file=None,
            config_file=False,
            source=["server", "sdk/python/src"],
            concurrency=["thread", "greenlet"],
        )
        watch.start()
        # Nothing follows the last test, but what all tests share is the parent's: this fork must not take it down.
        for item, following in zip(items, [*items[1:], items[-1]], strict=True):
            watch.switch_context(item.nodeid)
            began = time.perf_counter()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            reach.seconds[item.nodeid] = time.perf_counter() - began
        watch.stop()
        reach.seen |= {each.nodeid for each in items}
        for each in self._failed:
            reach.seconds.pop(each, None)
        data = watch.get_data()
        for file in data.measured_files():
            name = Path(file).relative_to(self._root).as_posix()
            contexts = data.contexts_by_lineno(file)
            lines = reach.lines.setdefault(name, {})
            for at, ids in contexts.items():
                lines[at] = [*lines.get(at, ()), *filter(None, ids)]
