"""`python -m tests.mutants.session PLAN FOLDER`: tries the mutants of a plan on the tests of their areas.

It runs in a copy of the tree. The tests are collected once; each mutant is a forked process that gets the fault
and then runs the tests that reach its line, the quickest first, until one fails. That test has to fail once more in
another fork, alone: a test that fails now and then would say that a fault is noticed which is not. Redis, Valkey and
PostgreSQL are started once and are inherited.
"""

from __future__ import annotations

import gc
import itertools
import json
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.mutants.areas import AREAS, area_of
from tests.mutants.mutant import Mutant, read_plan
from tests.mutants.patch import Fatal, Unfit, Unreached, put
from tests.mutants.reach import Reach, Recorder
from tests.parts.wait import until, until_async

ROOT = Path.cwd()
PATIENCE_S = 15.0
"""How long a test waits here for a state; what never comes is the usual end of a mutant."""
MOST_S = 45.0
"""A test that takes longer than this and five times its usual time does not end."""
PROCESSES = {"backend", "serve", "loopwire", "bare", "strict"}
"""Fixtures of servers in processes of their own, which no fault in this one reaches."""
SECOND_COLUMN = r"configured|\[redis|\[fake|-fake"
PARTS = ("[valkey", "[redis", "postgres")
ALIVE, DEAD, FAILED, UNFIT = 0, 1, 2, 3
"""How a fork ends: no test failed, the fault itself or a test without an end ended it, a test failed, no fault."""

_numbers = itertools.count()


@dataclass(frozen=True)
class Asked:
    """The order for a session."""

    wanted: dict[str, int]
    """How many mutants of each package."""
    jobs: int
    """How many at once."""
    columns: bool
    """Whether tests on Redis and PostgreSQL run too."""


class Session:
    """The plugin that takes the place of pytest's loop."""

    def __init__(self, folder: Path, asked: Asked) -> None:
        self._folder, self._asked = folder, asked
        self._failures: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what runs in other processes."""
        items[:] = [each for each in items if not PROCESSES & set(getattr(each, "fixturenames", ()))]
        if not self._asked.columns:
            items[:] = [each for each in items if not re.search(SECOND_COLUMN, each.name)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember the test that saw the fault."""
        if report.failed:
            self._failures.append(report.nodeid)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Record the reach, then try the mutants."""
        session.config.pluginmanager.unregister(name="terminalreporter")
        self._start_parts(session.items)
        kept = self._folder / "reach.json"
        known = Reach.read(kept) if kept.exists() else Reach()
        if new := [each for each in session.items if each.nodeid not in known.seen]:
            _say(f"{len(new)} tests are recorded first")
            self._in_child(session, partial(self._record, session, new, known, kept))
        reach = Reach.read(kept)
        if unfit := sorted(reach.seen - reach.seconds.keys()):
            _say(
                f"{len(unfit)} tests were skipped or failed without any fault, and see none: {', '.join(unfit[:9])}"
            )
        self._try_all(session, reach)
        return True

    def _start_parts(self, items: list[pytest.Item]) -> None:
        """Run one test on each part: what it started stays, as the session does not end between."""
        for name in PARTS:
            if first := next((each for each in items if name in each.nodeid), None):
                first.config.hook.pytest_runtest_protocol(item=first, nextitem=items[-1])
        gc.collect()

    def _record(self, session: pytest.Session, items: list[pytest.Item], reach: Reach, file: Path) -> int:
        recorder = Recorder(ROOT)
        session.config.pluginmanager.register(recorder)
        recorder.record(items, reach)
        reach.write(file)
        return 0

    def _in_child(self, session: pytest.Session, work: Callable[[], int]) -> None:
        assert os.waitstatus_to_exitcode(os.waitpid(self._fork(session, "record", work), 0)[1]) == 0

    def _fork(self, session: pytest.Session, name: str, work: Callable[[], int]) -> int:
        if pid := os.fork():
            return pid
        code = DEAD
        try:
            os.setsid()
            factory = session.config._tmp_path_factory  # type: ignore[attr-defined]
            factory._basetemp, factory._given_basetemp = None, self._folder / "tmp" / name
            factory._given_basetemp.parent.mkdir(exist_ok=True)
            code = work()
        except BaseException as exc:
            _say(f"{name}: {exc!r}")
        finally:
            os._exit(code)

    def _try_all(self, session: pytest.Session, reach: Reach) -> None:
        items = {each.nodeid: each for each in session.items}
        queue = Queue(read_plan(self._folder / "plan.json"), self._asked.wanted)
        running: dict[int, Trial] = {}
        while (mutant := queue.take() if len(running) < self._asked.jobs else None) or running:
            if mutant:
                near = tuple(f"tests/{each}" for each in area_of(mutant.file).tests)
                known = reach.tests(ROOT, mutant.file, mutant.line)
                tests = [items[each] for each in known if each in items and each.startswith(near)]
                trial = Trial(mutant, {each: reach.seconds[each.nodeid] for each in tests}, self._folder)
                running[self._fork(session, trial.name, partial(self._try, trial))] = trial
                continue
            for pid, trial in list(running.items()):
                if (code := trial.ended(pid)) is not None:
                    del running[pid]
                    shutil.rmtree(self._folder / "tmp" / trial.name, ignore_errors=True)
                    if trial.needs_another(code):
                        running[self._fork(session, trial.name, partial(self._try, trial))] = trial
                    elif code == UNFIT:
                        queue.replace(trial.mutant)
                    else:
                        trial.write(alive=code == ALIVE)
            time.sleep(0.02)

    def _try(self, trial: Trial) -> int:
        for each in (until, until_async):
            each.__kwdefaults__["seconds"] = PATIENCE_S
        try:
            put(trial.mutant, ROOT)
        except Unfit:
            return UNFIT
        except Unreached:
            return ALIVE
        except Fatal:
            return DEAD
        self._failures.clear()
        tests = trial.next_tests
        if not tests:
            return ALIVE
        # pytest takes down what the next test does not share; a test that stays up makes the next one fail.
        for item, following in zip(tests, [*tests[1:], None], strict=True):
            trial.begin(item)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following or item)
            if self._failures:
                return FAILED
        return ALIVE


class Queue:
    """The mutants to try: so many of each area as are wanted, without those that fit no loaded module."""

    def __init__(self, plan: list[Mutant], wanted: dict[str, int]) -> None:
        self._left = dict(wanted)
        self._waiting = {
            area: [each for each in plan if area_of(each.file).package == area] for area in wanted
        }

    def take(self) -> Mutant | None:
        """Return the next, if there is one."""
        for area, waiting in self._waiting.items():
            if self._left[area] and waiting:
                self._left[area] -= 1
                return waiting.pop(0)
        return None

    def replace(self, mutant: Mutant) -> None:
        """Take another one of its area instead, and say so."""
        _say(f"unfit {mutant.file}:{mutant.line} {mutant.kind}")
        self._left[area_of(mutant.file).package] += 1


class Trial:
    """One mutant on its tests."""

    def __init__(self, mutant: Mutant, tests: dict[pytest.Item, float], folder: Path) -> None:
        self.mutant, self.tests = mutant, tests
        self.next_tests = list(tests)
        """What the next fork runs."""
        self.name = f"{next(_numbers)}"
        self._later: list[pytest.Item] | None = None
        """While a test that failed is tried once more, alone: those that come after it."""
        self._results = folder / "results.jsonl"
        self._at = folder / f"{self.name}.at"
        self._began = time.monotonic()

    def begin(self, test: pytest.Item) -> None:
        """Say in the child which test begins, and when it will have taken too long."""
        until = time.monotonic() + MOST_S + 5 * self.tests[test]
        fresh = self._at.with_suffix(".new")
        fresh.write_text(f"{until} {test.nodeid}")
        fresh.rename(self._at)

    def _last(self) -> tuple[float, str]:
        if not self._at.exists():
            return self._began + MOST_S, ""
        until, _, test = self._at.read_text().partition(" ")
        return float(until), test

    def ended(self, pid: int) -> int | None:
        """Return how it ended, if it has; what takes too long is dead."""
        done, status = os.waitpid(pid, os.WNOHANG)
        if not done and time.monotonic() < self._last()[0]:
            return None
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        if not done:
            os.waitpid(pid, 0)
            return DEAD
        return DEAD if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status)

    def needs_another(self, code: int) -> bool:
        """Return whether a fork that ended with `code` is no result yet, and choose the tests of the next."""
        if code == FAILED and self._later is None:
            names = [each.nodeid for each in self.next_tests]
            at = names.index(self._last()[1])
            self.next_tests, self._later = [self.next_tests[at]], self.next_tests[at + 1 :]
            return True
        if code == ALIVE and self._later:
            _say(f"failed once only: {self.next_tests[0].nodeid}")
            self.next_tests, self._later = self._later, None
            return True
        return False

    def write(self, *, alive: bool) -> None:
        """Add the result to the others and say it."""
        seconds = time.monotonic() - self._began
        killer = "" if alive else self._last()[1]
        self._at.unlink(missing_ok=True)
        result = {**asdict(self.mutant), "alive": alive, "tests": len(self.tests), "by": killer}
        with self._results.open("a") as file:
            file.write(json.dumps(result) + "\n")
        place = f"{self.mutant.file}:{self.mutant.line} {self.mutant.kind}"
        _say(f"{'ALIVE' if alive else 'dead':5} {place}, {len(self.tests)} tests, {seconds:.0f} s {killer}")


def _say(line: str) -> None:
    os.write(2, f"{line}\n".encode())


def main() -> int:
    """Collect and run."""
    folder = Path(sys.argv[1])
    asked = Asked(**json.loads((folder / "asked.json").read_text()))
    packages = [each for each in AREAS if each.package in asked.wanted]
    tests = sorted({f"tests/{each}" for package in packages for each in package.tests})
    plugin = Session(folder, asked)
    return pytest.main(["-q", "-p", "no:cacheprovider", *tests], plugins=[plugin])


if __name__ == "__main__":
    sys.exit(main())
