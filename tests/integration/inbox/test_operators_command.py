"""The command for accounts of operators: passwords come from stdin, and nothing of them is shown."""

from __future__ import annotations

import asyncio
import io
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from server.auth.passwords import is_password
from server.cli import operators
from server.errors import CannotStart
from server.settings import Settings
from server.store import Store
from tests.parts.operators import PASSWORD

Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs the command with this on stdin, and returns what it prints."""
    monkeypatch.setenv("LOOPWIRE_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("DATABASE_URL", raising=False)

    def run_command(*arguments: str, said: str = "") -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO(said))
        assert operators.run(Settings(), arguments) == 0
        return capsys.readouterr().out

    return run_command


async def stored_hash(folder: Path, name: str) -> str | None:
    """Return the hash of an account that may sign in."""
    store = await Store.open_beside(None, data_dir=folder)
    try:
        found = await store.operator_accounts.find(name)
        return None if found is None else found[1]
    finally:
        await store.aclose()


def test_an_account_is_made_listed_disabled_and_gets_another_password(run: Run, tmp_path: Path) -> None:
    add = ("add", " Gil ", "--app", "demo", "--role", "admin")
    line = run(*add, said=f"{PASSWORD}\nmore\n")
    assert re.fullmatch(r"opr_\w+  Gil  demo:admin  made [^\n]+\n", line)
    assert PASSWORD not in line
    with pytest.raises(CannotStart, match="There is an operator 'Gil' already"):
        run(*add, said=f"{PASSWORD}\n")
    assert run("list") == line
    assert is_password(PASSWORD, asyncio.run(stored_hash(tmp_path, "gil")) or "")
    run("password", "GIL", said="another battery\n")
    assert is_password("another battery", asyncio.run(stored_hash(tmp_path, "gil")) or "")
    assert "  disabled " in run("disable", "gil")
    assert asyncio.run(stored_hash(tmp_path, "gil")) is None
    assert run("enable", "gil") == line


def test_a_bad_password_app_or_name_is_refused_with_a_sentence(run: Run) -> None:
    for said in ("", "short\n", f"{'x' * 257}\n"):
        with pytest.raises(CannotStart, match="A password has 12 to 256 characters"):
            run("add", "Gil", "--app", "demo", said=said)
    with pytest.raises(CannotStart, match="There is no app 'none'"):
        run("add", "Gil", "--app", "none", said=f"{PASSWORD}\n")
    with pytest.raises(CannotStart, match="There is no operator 'Gil'"):
        run("disable", "Gil")
    for name in ("", "  ", "x" * 81, "x" * (10 << 20), "a\nb"):
        with pytest.raises(SystemExit):
            run("add", name, "--app", "demo", said=f"{PASSWORD}\n")
