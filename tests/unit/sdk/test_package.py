"""The package that `npm pack` makes of the SDK: its files, and its use from an empty folder."""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from server import __version__
from tests.parts.agui_client import NODE

ROOT = Path(__file__).parents[3]
SDK = ROOT / "sdk/js"
NPM = NODE.parents[1] / "lib/node_modules/npm/bin/npm-cli.js"
USES = """
import { Conversation, LoopwireClient, loopwire } from "@loopwire/client";
const chat = loopwire({ url: "http://127.0.0.1:1" });
chat.close();
console.log([typeof loopwire, chat.client instanceof LoopwireClient, chat.conversation instanceof Conversation].join());
"""


def npm(*arguments: str | Path, cwd: Path) -> str:
    """Run npm without a registry."""
    argv = [NODE, NPM, *arguments, "--offline", "--no-audit", "--no-fund", "--no-update-notifier"]
    environment = {**os.environ, "PATH": f"{NODE.parent}:{os.environ['PATH']}", "HOME": str(cwd)}
    return subprocess.run(
        argv, cwd=cwd, env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture(scope="module")
def tarball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the package."""
    folder = tmp_path_factory.mktemp("pack")
    return folder / npm("pack", SDK, "--silent", cwd=folder)


def exported(description: dict[str, Any]) -> set[str]:
    """Name the files that `exports` leads to."""
    paths: set[str] = set()
    for target in description["exports"].values():
        paths |= set(target.values() if isinstance(target, dict) else [target])
    return {path.removeprefix("./") for path in paths}


def test_the_package_holds_all_modules_and_types_and_nothing_else(tarball: Path) -> None:
    with tarfile.open(tarball) as packed:
        names = {Path(name).relative_to("package").as_posix() for name in packed.getnames()}
    modules = {path.name for path in SDK.iterdir() if path.name.endswith((".js", ".d.ts"))}
    assert names == modules | {"package.json", "README.md", "LICENSE"}


def test_package_json_names_the_version_and_existing_files() -> None:
    description = json.loads((SDK / "package.json").read_text())
    assert description["version"] == __version__
    assert all((SDK / path).exists() for path in exported(description))
    assert (SDK / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    assert f"/static/sdk@{__version__}/" in (SDK / "README.md").read_text()


def test_the_package_can_be_used_from_an_empty_folder(tarball: Path, tmp_path: Path) -> None:
    npm("install", tarball, cwd=tmp_path)
    script = [NODE, "--input-type=module", "-e", USES]
    ran = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.strip() == "function,true,true"
