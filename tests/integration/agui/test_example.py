"""The example of the documentation, run by Node word for word against a server."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.parts.agui_client import FOLDER, NODE
from tests.parts.missing import skip_missing
from tests.parts.server import Served
from tests.parts.wait import PATIENCE_S

pytestmark = pytest.mark.once

DOCUMENT = Path(__file__).parents[3] / "docs/protocol/README.md"
ADDRESS = "http://127.0.0.1:8000"


@pytest.mark.conformance
def test_the_example_knows_in_its_second_run_what_was_said_in_the_first(loopwire: Served) -> None:
    if not (FOLDER / "node_modules/.installed").exists():
        skip_missing("AG-UI's client", "scripts/npm tests/parts/agui")
    (example,) = re.findall(r"```js\n(import \{ HttpAgent \}.+?)```", DOCUMENT.read_text(), re.DOTALL)
    assert ADDRESS in example
    ran = subprocess.run(
        [NODE, "--input-type=module"],
        cwd=FOLDER,
        input=example.replace(ADDRESS, loopwire.url),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    said = [line.partition(": ") for line in ran.stdout.splitlines() if ": " in line]
    assert [text for role, _, text in said if role == "user"] == ["Polly Magic", "yes"]
    answers = [text for role, _, text in said if role == "assistant" and text]
    assert len(set(answers)) == len(answers) >= 2
