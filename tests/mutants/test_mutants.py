"""The mutants are what they say, and a fault that is put into a loaded module is what it then does."""

from __future__ import annotations

import argparse
import ast
import importlib
import random
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.mutants.__main__ import on_python, why_unfinished
from tests.mutants.areas import AREAS, LEFT_OUT, drawn, shares, sources
from tests.mutants.mutant import Mutant
from tests.mutants.operators import Mutants
from tests.mutants.patch import Unfit, Unreached, put
from tests.mutants.reach import Reach, span
from tests.mutants.script_operators import ScriptMutants
from tests.mutants.session import ALIVE, DEAD, FAILED, Asked, Session, Trial
from tests.parts.wait import PATIENCE_S

ROOT = Path(__file__).parents[2]

LOADED = """
LEAST = 3
SQL = f"limit {LEAST}"


class Box:
    def __init__(self):
        self.held = []

    @property
    def count(self):
        return len(self.held)

    def put(self, thing):
        if self.count >= LEAST and thing:
            raise ValueError
        self.held.append(thing)
        self.last = thing


def least():
    return LEAST + 1


MORE = least()
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Yield a module that is loaded, below a root."""
    (tmp_path / "mutated_box.py").write_text(LOADED)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("mutated_box")
    del sys.modules["mutated_box"]


def mutated(root: Path, before: str, after: str) -> None:
    """Put a fault into the loaded module: this text for that."""
    assert LOADED.count(before) == 1
    line = LOADED[: LOADED.index(before)].count("\n") + 1
    put(Mutant("mutated_box.py", line, "by hand", LOADED.replace(before, after)), root)


def kinds_of(code: str) -> set[tuple[str, str]]:
    """Return every mutant of a piece of code: its operator and its lines without blanks."""
    found = set()
    mutants = Mutants("a.py", code)
    for line in range(1, code.count("\n") + 2):
        for kind in mutants.kinds(line):
            for seed in range(40):
                found.add((kind, mutants.draw(line, kind, random.Random(seed)).came(code)))
    return found


def test_a_statement_is_removed_and_two_are_swapped():
    found = kinds_of("def tell(entries, row):\n    row.told = True\n    entries.append(row)\n")
    assert ("remove_statement", "pass") in found
    assert ("swap_statements", "entries.append(row)") in found
    assert not any(kind == "remove_statement" for kind, _ in kinds_of("def say():\n    log.info(1)\n"))


def test_what_nobody_could_tell_apart_is_left_as_it_is():
    keeps = "def __init__(self, bus, lease_s):\n    self.bus = bus\n    self.most = lease_s / 2\n    self.held = []\n"
    assert not any(kind == "swap_statements" for kind, _ in kinds_of(keeps))
    takes = "def take(self, bus):\n    self.bus = bus\n    self.last = self.bus.last\n"
    assert any(kind == "swap_statements" for kind, _ in kinds_of(takes))
    assert kinds_of("Draw = Callable[[str], Fragment | None]\n") == set()


@pytest.mark.parametrize(
    ("first", "second", "independent"),
    [
        ("del self.a[-len(back):]", "del self.b[-len(back):]", True),
        ("del self.a[0]", "del self.a[1]", False),
        ("del self.a[take()]", "del self.b[0]", False),
        ("self.a = a", "self.b = Windows(most.messages)", True),
        ("self.a = a", "self.b = Windows(self.a)", False),
        ("self.a = a", "self.b = Reader(self)", False),
        ("self.a = a", "self.b = self.open()", False),
        ("self.a = a", "self.b = await open()", False),
        ("self.a = take(a)", "self.b = take(a)", False),
        ("self.a = a", "a.append(1)", False),
    ],
)
def test_lines_are_swapped_where_their_order_may_have_an_effect(first: str, second: str, independent: bool):
    mutants = Mutants("a.py", f"async def f(self, a, back):\n    {first}\n    {second}\n")
    assert ("swap_statements" in mutants.kinds(2)) is not independent


def test_a_size_is_set_to_nothing_or_to_much_and_another_number_to_the_next():
    assert {each for kind, each in kinds_of("MOST = 20\n") if kind == "number"} == {"MOST=0", "MOST=20000"}
    assert {each for kind, each in kinds_of("S = 2e9\n") if kind == "number"} == {
        "S=0.0",
        "S=2000000000000.0",
    }
    assert {each for kind, each in kinds_of("MOST = 3\n") if kind == "number"} == {"MOST=4"}
    inside = kinds_of("def f():\n    return 404\n\n\nclass A:\n    x = 30\n")
    assert {each for kind, each in inside if kind == "number"} == {"return405", "x=31"}


def test_conditions_lose_a_side_and_queries_a_clause():
    assert {("drop_operand", "x=(a)"), ("drop_operand", "x=(b)")} <= kinds_of("x = a and b\n")
    assert ("drop_clause", "q=select(a)") in kinds_of("q = select(a).where(b)\n")
    assert ("swap_extreme", "x=max(1,y)") in kinds_of("x = min(1, y)\n")
    assert ("fix_condition", "ifFalse:") in kinds_of("if held:\n    pass\n")


@pytest.mark.parametrize(
    ("file", "line", "changed"),
    [
        ("a.js", "if (seq <= last) return;", "if(!(seq<=last))return;"),
        ("a.js", "this.#attempts = 0;", ";"),
        ("a.js", "say('a + b', c + 1);", "say('a+b',c-1);"),
        ("a.lua", "if n == before and not touch then", "ifn==beforeandtouchthen"),
        ("a.lua", "call('DEL', log)", ""),
    ],
)
def test_scripts_are_changed_outside_their_texts(file: str, line: str, changed: str):
    mutants = ScriptMutants(file, line)
    found = {
        mutants.draw(1, kind, random.Random(seed)).came(line)
        for kind in mutants.kinds(1)
        for seed in range(20)
    }
    assert changed in found
    assert not any("a-b" in each for each in found)


def test_a_comment_has_no_mutants():
    assert ScriptMutants("a.js", "// a === b").kinds(1) == []
    assert Mutants("a.py", "# a == b\n").kinds(1) == []


def test_an_object_that_lives_already_executes_the_mutant(module: ModuleType, tmp_path: Path):
    box = module.Box()
    mutated(tmp_path, "self.held.append(thing)", "pass")
    box.put(1)
    assert box.held == []
    mutated(tmp_path, "len(self.held)", "len(self.held) + 7")
    assert box.count == 7


def test_a_constant_is_changed_with_all_that_was_made_of_it(module: ModuleType, tmp_path: Path):
    mutated(tmp_path, "LEAST = 3", "LEAST = 8")
    assert (module.LEAST, module.SQL, module.MORE, module.least()) == (8, "limit 8", 9, 9)


def test_a_function_that_made_a_constant_makes_it_again(module: ModuleType, tmp_path: Path):
    mutated(tmp_path, "LEAST + 1", "LEAST - 1")
    assert module.MORE == 2


def test_what_changes_no_loaded_code_is_not_counted(module: ModuleType, tmp_path: Path):
    with pytest.raises(Unfit):
        mutated(tmp_path, "    def put", "    # said\n    def put")


def test_a_line_is_reached_by_the_tests_of_its_statement_the_quickest_first():
    lines = (ROOT / "server/rooms/outbox.py").read_text().splitlines()
    raised = next(at for at, line in enumerate(lines, 1) if line.strip() == "raise Slow")
    reach = Reach(
        {"slow": 2.0, "quick": 1.0, "other": 0.1}, {"server/rooms/outbox.py": {raised: ["slow", "quick"]}}
    )
    assert reach.tests(ROOT, "server/rooms/outbox.py", raised) == ["quick", "slow"]


def test_a_constant_is_reached_by_the_tests_that_name_it():
    file = "server/callbacks/sender.py"
    lines = (ROOT / file).read_text().splitlines()
    test = "tests/integration/callbacks/test_sending.py::test_the_schedule_is_ten_attempts_in_three_days"
    reach = Reach({test: 1.0, f"{test.partition('::')[0]}::test_two_senders_post_each_once[sqlite]": 1.0})
    assert reach.tests(ROOT, file, lines.index("SCHEDULE = (") + 2) == [test]


def test_a_head_of_a_block_is_a_statement_of_its_own():
    tree = ast.parse("def f():\n    if (a and\n        b):\n        c()\n")
    assert span(tree, 3) == range(2, 4)
    assert span(tree, 4) == range(4, 5)


def test_a_seed_draws_the_same_mutants_and_no_line_twice():
    first, again = (
        list(islice(drawn(ROOT, "server/callbacks/signing.py", random.Random("7")), 9)) for _ in range(2)
    )
    assert first == again
    assert len({each.line for each in first}) == len(first) > 5


def test_every_area_is_dealt_its_share_and_has_its_files_and_tests():
    assert sum(each.share for each in AREAS) == 100
    assert shares(list(AREAS), 100) == {each.package: each.share for each in AREAS}
    assert sum(shares(list(AREAS), 37).values()) == 37
    for each in AREAS:
        assert sources(ROOT, each.package)
        assert [name for name in each.tests if not (ROOT / "tests" / name).exists()] == []


@pytest.mark.parametrize("part", LEFT_OUT)
def test_each_path_that_is_left_out_names_a_file_of_an_area(part: str):
    files = [file for each in AREAS for file in (ROOT / each.package).rglob("*") if file.is_file()]
    assert any(part in f"/{file.relative_to(ROOT).as_posix()}" for file in files)


@pytest.mark.parametrize("ends", ["sys.exit(3)", "os.kill(os.getpid(), 9)", "raise MemoryError"])
def test_a_session_that_dies_gives_no_result(tmp_path: Path, ends: str):
    package = tmp_path / "tests" / "mutants"
    package.mkdir(parents=True)
    for each in (package, package.parent):
        (each / "__init__.py").touch()
    (package / "session.py").write_text(
        "import os, pathlib, sys\n"
        "sys.stderr = open(os.devnull, 'w')\n"
        "(pathlib.Path(sys.argv[1]) / 'results.jsonl').write_text('{\"alive\": false}\\n')\n"
        f"{ends}\n"
    )
    asked = argparse.Namespace(jobs=1, columns=False)
    tried, ended = on_python(tmp_path, tmp_path, {"server/ws": 9}, [], asked)
    assert tried == [{"alive": False}]
    assert ended != 0
    assert "after 1 of 9 mutants" in (why_unfinished(ended, len(tried), 9, "server/ws") or "")


def test_each_test_of_a_mutant_is_taken_down_for_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    followed: list[tuple[Any, Any]] = []
    hook = SimpleNamespace(pytest_runtest_protocol=lambda item, nextitem: followed.append((item, nextitem)))
    first, last = (SimpleNamespace(config=SimpleNamespace(hook=hook)) for _ in range(2))
    monkeypatch.setattr("tests.mutants.session.put", lambda mutant, root: None)
    monkeypatch.setattr("tests.mutants.session.PATIENCE_S", PATIENCE_S)
    trial = SimpleNamespace(mutant=None, next_tests=[first, last], begin=lambda test: None)
    assert Session(tmp_path, Asked({}, 1, columns=False))._try(trial) == ALIVE  # type: ignore[arg-type]
    assert [(item is first, following is last) for item, following in followed] == [
        (True, True),
        (False, True),
    ]


@dataclass(frozen=True)
class NamedTest:
    """A test of which only the name is read."""

    nodeid: str


def started_trial(folder: Path) -> tuple[Trial, list[Any]]:
    """Return the trial of a mutant whose second test of three has failed."""
    tests: list[Any] = [NamedTest(f"tests/unit/test_box.py::test_{n}") for n in range(3)]
    trial = Trial(Mutant("server/box.py", 1, "by hand", ""), dict.fromkeys(tests, 0.1), folder)
    trial.begin(tests[1])
    assert trial.needs_another(FAILED)
    return trial, tests


@pytest.mark.parametrize("code", [FAILED, DEAD])
def test_a_mutant_is_dead_when_its_test_fails_once_more_alone(tmp_path: Path, code: int):
    trial, tests = started_trial(tmp_path)
    assert trial.next_tests == [tests[1]]
    trial.begin(tests[1])
    assert not trial.needs_another(code)


def test_a_test_that_fails_once_only_leaves_the_mutant_to_those_after_it(tmp_path: Path):
    trial, tests = started_trial(tmp_path)
    trial.begin(tests[1])
    assert trial.needs_another(ALIVE)
    assert trial.next_tests == [tests[2]]
    trial.begin(tests[2])
    assert trial.needs_another(FAILED)
    assert trial.next_tests == [tests[2]]
    assert not trial.needs_another(ALIVE)


def test_a_module_that_no_test_loads_is_not_replaced_by_another(tmp_path: Path):
    with pytest.raises(Unreached):
        put(Mutant("not_loaded.py", 1, "by hand", "x = 1"), tmp_path)


def test_too_few_mutants_are_no_result_but_of_a_package_that_has_no_more():
    assert why_unfinished(0, 100, 100, "") is None
    assert why_unfinished(0, 12, 100, "server/rooms/outbox.py") is None
    assert why_unfinished(0, 99, 100, "") == "99 of 100 mutants were tried"
    assert why_unfinished(0, 0, 0, "server/nothing") == "0 of 0 mutants were tried"


def test_each_known_equivalent_says_why_and_stands_in_its_file():
    for each in tomllib.loads((Path(__file__).parent / "equivalent.toml").read_text())["equivalent"]:
        assert each["why"].endswith(".")
        text = "".join((ROOT / each["file"]).read_text().split())
        assert "".join(each["before"].split()) in text, f"{each['file']}: {each['before']}"
        assert each["before"] != each["after"]
