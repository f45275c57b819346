"""The table of promises in docs/promises.md: each is there once, and the tests that it names exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = re.findall(
    r"^\| (G\d+) \| (.+?) \| (.+?) \| (.+?) \|$", (ROOT / "docs/promises.md").read_text(), re.MULTILINE
)
PROOF = re.compile(r"\[[^\]]+\]\(\.\./(tests/[\w/]+\.py)\) `(test_\w+)`")


@cache
def known_in(path: Path) -> set[str]:
    """Return the tests that pytest collects from a file."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {each.name for each in ast.parse(path.read_text()).body if isinstance(each, functions)}


def test_every_promise_is_listed_once_and_in_its_order():
    assert [row[0] for row in ROWS] == [f"G{number}" for number in range(1, 23)]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_the_tests_that_a_promise_names_exist(row):
    proofs = PROOF.findall(row[3])
    assert proofs, row[3]
    assert row[3].count("`") == 2 * len(proofs)
    for file, name in proofs:
        assert name in known_in(ROOT / file), f"{file}::{name}"
