"""The parts of the JavaScript SDK for frameworks, each with the published framework."""

from __future__ import annotations

import asyncio
import json
import re
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import pytest

from tests.integration.clients.node import AI_SDK, FOLDER
from tests.parts import agui_client
from tests.parts.agui_client import NODE
from tests.parts.missing import skip_missing
from tests.parts.server import Served
from tests.parts.typescript import compiler_in, faults_of
from tests.parts.wait import PATIENCE_S

pytestmark = pytest.mark.conformance


async def told_by(module: Path, package: str, *arguments: str) -> Any:
    """Run a page of a framework, whose Node has to end by itself, and return what it tells."""
    if not (module.parent / "node_modules" / package).exists():
        skip_missing(package, "make conformance")
    process = await asyncio.create_subprocess_exec(NODE, module, *arguments, stdout=PIPE)
    out, _ = await asyncio.wait_for(process.communicate(), 4 * PATIENCE_S)
    assert process.returncode == 0
    return json.loads(out)


async def test_react_draws_what_a_chat_shows(demo: Served) -> None:
    told = await told_by(FOLDER / "react.mjs", "react", demo.url)
    assert told["complaints"] == []
    assert told["texts"][0] == "Polly Magic"
    assert set(told["texts"]) <= {each for each in told["messages"] if isinstance(each, str)}
    assert len(told["texts"]) > 1
    assert {None, "running", "finished"} >= set(told["states"]) >= {None, "finished"}
    assert [told["isSame"], told["isStable"]] == [True, True]
    assert told["afterUnmount"] == 0


async def test_ai_sdk_asks_a_person_and_goes_on_in_the_same_message() -> None:
    told = await told_by(AI_SDK / "approval.mjs", "ai")
    assert (told["waiting"], told["resumes"], told["errors"]) == ("approval-requested", 1, [])
    assert told["told"] == [
        ["user", ["Sell it"]],
        ["assistant", ["Shall I?", ["output-available", "sold"], "Done."]],
    ]


async def test_ai_sdk_has_a_message_answered_again_and_changes_it(demo: Served) -> None:
    told = await told_by(AI_SDK / "versions.mjs", "ai", demo.url)
    assert told["errors"] == []
    assert told["told"] == [
        [["Polly Magic"], ["Polly Magic"], [1], 2, "assistant"],
        [["Polly Magic"], ["Polly Magic"], [2], 2, "assistant"],
        [["Polly Beam"], ["Polly Beam"], [3], 2, "assistant"],
        [["Polly Beam", "yes"], ["Polly Beam", "yes"], [4, 1], 4, "assistant"],
    ]


def test_a_page_in_typescript_compiles_with_the_types_of_the_sdk(tmp_path: Path) -> None:
    compiler = compiler_in(FOLDER, "make conformance")
    of_others = FOLDER / "node_modules"
    packages = {name: of_others / name for name in ("react", "@types/react")}
    packages["ai"] = AI_SDK / "node_modules/ai"
    packages["@ag-ui"] = agui_client.FOLDER / "node_modules/@ag-ui"
    faults = faults_of(compiler, tmp_path, FOLDER / "sample.ts", packages)
    # The AI SDK's own types want those of Node, which a page does not have.
    others = re.compile(r"\S*node_modules/(?:ai|@ai-sdk)/")
    # A line that is indented goes on with the fault before it.
    own = [line for line in faults if not others.match(line) and not line.startswith(" ")]
    assert own == []
