"""Documents: their links lead to files, the README is short, and every setting is documented."""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest

from server.protocol.event_kinds import EVENTS, EventKind
from server.settings import names

ROOT = Path(__file__).parents[2]
FOLDERS = (
    ".",
    "bench",
    "docs",
    "docs/core",
    "docs/decisions",
    "docs/protocol",
    "docs/services",
    "sdk/js",
    "sdk/python",
    "tests",
)
PAGES = [page for folder in FOLDERS for page in sorted((ROOT / folder).glob("*.md"))]
README_LINES = 150
ARCHITECTURE_WORDS = 1800
OPEN_POINTS = 17
"""What the documents of LoopOS do not state, by their own list."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_to_a_file_leads_to_one(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())
    inside = [link for link in links if not link.startswith(("http:", "https:", "mailto:"))]
    assert [link for link in inside if not (page.parent / link).exists()] == []


def test_every_test_that_is_named_is_there() -> None:
    files = list((ROOT / "tests").rglob("*.py"))
    known = {path.stem for path in files}
    known |= {name for path in (*files, *PAGES) for name in re.findall(r"def (test_\w+)", path.read_text())}
    named = {(page.name, name) for page in PAGES for name in re.findall(r"\btest_\w+", page.read_text())}
    assert sorted(each for each in named if each[1] not in known) == []


def test_every_test_that_is_named_with_its_folder_is_in_it() -> None:
    """`store/test_open` names the end of a path, `tests/unit test_bidi` a whole one."""
    files = {
        "/" + path.relative_to(ROOT).with_suffix("").as_posix() for path in (ROOT / "tests").rglob("*.py")
    }
    pages = [(page.name, page.read_text()) for page in PAGES]
    ends = [(name, "/" + each) for name, text in pages for each in re.findall(r"\b((?:\w+/)+test_\w+)", text)]
    whole = [
        (name, f"/{folder}/{each}")
        for name, text in pages
        for folder, each in re.findall(r"\b(tests/\w+) ((?:\w+/)*test_\w+)", text)
    ]
    assert len(ends) > 60
    assert len(whole) > 20
    assert sorted(each for each in ends if not any(path.endswith(each[1]) for path in files)) == []
    assert sorted(each for each in whole if each[1] not in files) == []


def test_every_line_of_the_log_that_the_page_for_operators_quotes_is_logged() -> None:
    """The table of what is away quotes whole lines; `…` stands for what a line fills in."""
    rows = re.findall(r"^\|(.+)\|$", (ROOT / "docs/operations.md").read_text(), re.MULTILINE)
    columns = [row.split(" | ") for row in rows]
    head = next(each for each in columns if "what the operator sees" in each)
    rows_below = columns[columns.index(head) :]
    seen = [each[head.index("what the operator sees")] for each in rows_below if len(each) == len(head)]
    quoted = [line for text in seen for line in re.findall(r"`([^`]* [^`]*)`", text) if _is_sentence(line)]
    assert len(quoted) >= 8
    logged = _log_lines()
    assert [line for line in quoted if not any(re.fullmatch(each, line) for each in logged)] == []


def _is_sentence(quoted: str) -> bool:
    """Tell a line of the log from a field of an answer, such as `redis: false`."""
    return re.fullmatch(r"\w+: \w+", quoted) is None


def _log_lines() -> set[str]:
    """Return a pattern for each line that the server logs."""
    found = set()
    sources = (file.read_text() for file in (ROOT / "server").rglob("*.py"))
    for source in sources:
        for call in ast.walk(ast.parse(source)) if "log." in source else ():
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and ast.unparse(call.func.value) == "log"
            ):
                words = (each.value for each in call.args if isinstance(each, ast.Constant))
                text = next((each for each in words if isinstance(each, str)), "")
                found.add(re.sub(r"%(?:\\\.\d)?\w", ".+", re.escape(text)))
    return found


def test_no_page_says_that_make_test_runs_all_tests() -> None:
    claims = re.compile(r"make test`?[^.|\n]*\bruns (?:them all|all checks and tests|every check and test)")
    assert [page.name for page in PAGES if claims.search(page.read_text())] == []


def test_the_architecture_is_short_and_names_files_that_are_there() -> None:
    """A file is named by the end of its path: `runs/worker.py` stands for `server/runs/worker.py`."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    assert len([each for each in text.split() if re.search(r"\w", each)]) <= ARCHITECTURE_WORDS
    named = set(re.findall(r"`([\w/.-]+\.(?:py|js|md|toml))`", text))
    files = [
        path for folder in ("server", "sdk/js", "sdk/python/src") for path in (ROOT / folder).glob("**/*.*")
    ]
    paths = [f"/{path.relative_to(ROOT).as_posix()}" for path in (*files, *ROOT.glob("*.*"))]
    assert len(named) > 40
    assert sorted(each for each in named if not any(path.endswith(f"/{each}") for path in paths)) == []


def test_the_architecture_names_the_scripts_of_the_sdk_that_import_a_framework() -> None:
    (named,) = re.findall(r"([^;|]+) alone import a framework", (ROOT / "ARCHITECTURE.md").read_text())
    importing = {
        script.name
        for script in (ROOT / "sdk/js").glob("*.js")
        if re.search(r"""^import .*from ["'][^.]""", script.read_text(), re.MULTILINE)
    }
    assert set(re.findall(r"`([\w.-]+)`", named)) == importing


def test_the_readers_of_each_field_of_a_kind_of_event_are_those_that_the_walk_names() -> None:
    rows = re.findall(
        r"^\| (`[^|]+) \| [^|]+ \| (\[[^|]+) \|$", (ROOT / "docs/extending.md").read_text(), re.MULTILINE
    )
    named = {
        tuple(re.findall(r"`(\w+)`", names_cell)): set(re.findall(r"\(\.\./([^)]+)\)", readers))
        for names_cell, readers in rows
    }
    own = [each.name for each in fields(EventKind) if each.name != "fold"]
    assert sorted(name for row in named for name in row) == sorted(own)
    readers = _readers_of_kinds()
    assert {row: set().union(*(readers[name] for name in row)) for row in named} == named


def test_the_walk_names_each_place_that_names_three_types_of_events() -> None:
    page = (
        (ROOT / "docs/extending.md")
        .read_text()
        .split("### What reads an event")[1]
        .split("\nThe fields of")[0]
    )
    places = {file: _types_in(ROOT / file) for file in _found_by_the_grep_of(page)}
    named = {link.removeprefix("../") for link in re.findall(r"\]\(([^)]+)\)", page)}
    folds = {"sdk/js/folds.js", "sdk/python/src/loopwire/folds.py"}
    assert (
        sorted(file for file, types in places.items() if len(types) >= 3 and file not in named | folds) == []
    )
    assert sorted(named - places.keys()) == []
    missed = [
        file.relative_to(ROOT).as_posix()
        for folder in ("server", "sdk/js", "sdk/python/src", "web/static/js")
        for file in (ROOT / folder).rglob("*.*")
        if file.suffix in {".py", ".js"} and file.relative_to(ROOT).as_posix() not in places
        if _types_in(file) and not {"protocol", "tests"} & set(file.parts)
    ]
    assert missed == []


def _found_by_the_grep_of(page: str) -> list[str]:
    """Return the files that the command of the page finds, without the protocol's own and the tests."""
    (command,) = re.findall(r"`grep -rnE ([^`]+)`", page)
    found = subprocess.run(
        f"grep -rlE {command}", cwd=ROOT, shell=True, check=True, capture_output=True, text=True
    )
    return [
        file
        for file in found.stdout.split()
        if file.endswith((".py", ".js")) and not {"protocol", "tests"} & set(Path(file).parts)
    ]


def _types_in(file: Path) -> set[str]:
    """Return the types of events that a file names: as texts, or as methods by which it takes them."""
    names = re.compile(r"""(?<=["'`])[A-Z_]+(?=["'`])|(?<=^  )[A-Z_]+(?=\()""", re.MULTILINE)
    return set(names.findall(file.read_text())) & set(EVENTS)


def _readers_of_kinds() -> dict[str, set[str]]:
    """Return the files of the server that read each field of `EventKind`, without those of the protocol."""
    found: dict[str, set[str]] = {}
    for file in (ROOT / "server").rglob("*.py"):
        source = file.read_text()
        if "server.protocol.event_kinds" in source and file.parent.name != "protocol":
            for name in re.findall(r"(?:\bkind_of\([\w.]+\)|\bkind)\.(\w+)", source):
                found.setdefault(name, set()).add(file.relative_to(ROOT).as_posix())
    return found


def test_every_point_that_loopos_leaves_open_has_an_answer() -> None:
    rows = re.findall(r"^\| (\d+) \| (.+?) \| (.+) \|$", (ROOT / "docs/services/README.md").read_text(), re.M)
    assert [int(number) for number, _, _ in rows] == list(range(1, OPEN_POINTS + 1))
    assert [number for number, _, answer in rows if len(answer) < 20] == []


def test_the_readme_is_read_in_one_sitting() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= README_LINES


@pytest.mark.parametrize(
    ("name", "origins"),
    [
        ("README.md", "a browser leaves the frames blank"),
        ("docs/embedding.md", "A browser refuses the frame on every site"),
    ],
)
def test_what_puts_the_chat_into_a_site_says_where_its_app_is_named(name: str, origins: str) -> None:
    before, found, _ = (ROOT / name).read_text().partition(origins)
    assert found
    assert "apps file" in before
    assert "LOOPWIRE_APPS" in before


def test_the_page_of_settings_is_what_the_settings_say() -> None:
    page = runpy.run_path(str(ROOT / "scripts/settings_page.py"))["page"]()
    assert (ROOT / "docs/settings.md").read_text() == page, "run scripts/settings_page.py"
    assert [name for name in sorted(names()) if f"`{name}`" not in page] == []
