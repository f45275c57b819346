"""The compiler of TypeScript, run on files of the tests beside a copy of the JavaScript SDK."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.parts.agui_client import NODE
from tests.parts.missing import skip_missing
from tests.parts.wait import PATIENCE_S

SDK = Path(__file__).parents[2] / "sdk/js"
CHECKED = {
    "noEmit": True,
    "strict": True,
    "target": "es2024",
    "lib": ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
    "module": "nodenext",
    "types": [],
}


def compiler_in(installed: Path, how: str) -> Path:
    """Return the compiler of a folder with packages; `how` says what would bring one."""
    compiler = installed / "node_modules/typescript/bin/tsc"
    if not compiler.exists():
        skip_missing("typescript", how)
    return compiler


def faults_of(
    compiler: Path, folder: Path, source: Path, packages: Mapping[str, Path] | None = None
) -> list[str]:
    """Compile a file in an empty folder and return what the compiler says, a line each.

    The file may import `@loopwire/client`, and each of the `packages` by its name.
    """
    modules = folder / "node_modules"
    shutil.copytree(SDK, modules / "@loopwire/client", ignore=shutil.ignore_patterns("tests"))
    for name, place in (packages or {}).items():
        (modules / name).parent.mkdir(exist_ok=True)
        (modules / name).symlink_to(place)
    shutil.copy(source, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": CHECKED, "files": [source.name]}))
    checked = subprocess.run(
        [NODE, compiler, "--pretty", "false"],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    return checked.stdout.splitlines()
