"""Documents: their links lead to files, the README is short, and every setting is documented."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from server.settings import names

ROOT = Path(__file__).parents[2]
FOLDERS = (
    ".",
    "bench",
    "docs",
    "docs/core",
    "docs/decisions",
    "docs/protocol",
    "sdk/js",
    "sdk/python",
    "tests",
)
PAGES = [page for folder in FOLDERS for page in sorted((ROOT / folder).glob("*.md"))]
README_LINES = 150
ARCHITECTURE_WORDS = 1800


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


def test_the_readme_is_read_in_one_sitting() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= README_LINES


def test_the_page_of_settings_is_what_the_settings_say() -> None:
    page = runpy.run_path(str(ROOT / "scripts/settings_page.py"))["page"]()
    assert (ROOT / "docs/settings.md").read_text() == page, "run scripts/settings_page.py"
    assert [name for name in sorted(names()) if f"`{name}`" not in page] == []
