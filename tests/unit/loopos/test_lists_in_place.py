"""The lists of what is still to be answered and of what may change: words that choose nothing mark them in place."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from agents.testing import ScriptedModel, assistant_message, function_call

from server.store import Store
from tests.parts.postgres import copy_tables
from tests.parts.sampled import pairs
from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

PHONE = ("iphone 12 64gb blue", "yes", "yes")
LATER = (*PHONE, "I don't know", "I don't know", "yes", "85", "yes", "2022", "case")
CORRECT = (*PHONE, "good", "yes", "85", "yes", "2022", "case", "one of my answers is wrong")
MISSED = {
    "later": "Choose one of these questions.",
    "correct": "Choose what changes, or write the right answer.",
}
SHOWN = [
    ("later", LATER, {}),
    ("later", LATER, {"change": None}),
    ("correct", CORRECT, {"change": "any"}),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def harness(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunnerHarness]:
    """Yield the parts of this module, over a store of their own."""
    folder: Path = tmp_path_factory.mktemp("lists")
    copy_tables(folder)
    store = await Store.open(None, data_dir=folder)
    yield await RunnerHarness.over(store)
    await store.aclose()


async def _show(visitor: HarnessVisitor, said: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Say this to a model that shows the questions; return the block that waits then."""
    called = function_call(
        "get_product_protocol", json.dumps(arguments), call_id=f"call_{len(visitor.replies)}"
    )
    script = ScriptedModel([[called], [assistant_message("One moment.")]])
    visitor.harness = await RunnerHarness.over(visitor.harness.store, script)
    await visitor.say(said)
    return _open(visitor)


def _open(visitor: HarnessVisitor) -> dict[str, Any]:
    (asked,) = visitor.open_blocks()
    return asked


@pytest.mark.parametrize(("name", "before", "arguments"), SHOWN)
async def test_words_that_choose_nothing_mark_the_list_where_it_stands(
    harness: RunnerHarness, name: str, before: tuple[str, ...], arguments: dict[str, Any]
) -> None:
    visitor = await talk(harness, "en", *before)
    first = _open(visitor)
    assert first["name"] == name and not {"again_of", "error"} & first.keys()
    marked = await _show(visitor, "xpto fgh", arguments)
    assert (marked["name"], marked["error"], marked["again_of"]) == (name, MISSED[name], first["id"])
    assert marked["choices"] == first["choices"]
    again = await _show(visitor, "blurple", arguments)
    assert (again["error"], again["again_of"]) == (MISSED[name], marked["id"])


@pytest.mark.parametrize(
    ("shown", "said"),
    pairs(SHOWN, ["who are you?", "lol", "thanks"]),
)
async def test_a_question_or_small_talk_marks_no_list(
    harness: RunnerHarness, shown: tuple[str, tuple[str, ...], dict[str, Any]], said: str
) -> None:
    name, before, arguments = shown
    visitor = await talk(harness, "en", *before)
    asked = await _show(visitor, said, arguments)
    assert asked["name"] == name and not {"again_of", "error"} & asked.keys()
