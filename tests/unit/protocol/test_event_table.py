"""A type of event stands in one table, and whoever sends or folds events knows exactly the types of that table."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from ag_ui.core import EventType

from server.protocol import events
from server.protocol.folds import EVENTS, UNDRAWN
from server.protocol.transcript import Transcript

ROOT = Path(__file__).parents[3]


def types_of(file: Path) -> Iterator[str]:
    """Yield the types of the events that a file makes: `"type"` of a dict, the first argument of `_event`."""
    for node in ast.walk(ast.parse(file.read_text())):
        values: list[ast.expr] = []
        if isinstance(node, ast.Dict):
            keys = [each.value if isinstance(each, ast.Constant) else None for each in node.keys]
            values = [value for key, value in zip(keys, node.values, strict=True) if key == "type"]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "_event":
            values = node.args[:1]
        for value in values:
            if isinstance(value, ast.Constant) and value.value in {each.value for each in EventType}:
                yield value.value


def test_every_event_that_can_be_made_is_in_the_table() -> None:
    assert set(types_of(Path(inspect.getfile(events)))) == set(EVENTS)


def test_nothing_else_in_the_server_makes_an_event_of_another_type() -> None:
    made = {name for file in (ROOT / "server").rglob("*.py") for name in types_of(file)}
    assert made == set(EVENTS)


def test_the_javascript_client_folds_the_same_types() -> None:
    source = (ROOT / "sdk/js/folds.js").read_text()
    table = source[source.index("export const folds = {") :]
    assert set(re.findall(r"^  ([A-Z_]+)\(", table[: table.index("\n};")], re.MULTILINE)) == set(EVENTS)


def test_the_types_of_the_javascript_client_name_the_same_types() -> None:
    source = (ROOT / "sdk/js/index.d.ts").read_text()
    named = re.search(r"export type EventType =([^;]+);", source)
    assert named is not None
    assert set(re.findall(r'"([A-Z_]+)"', named[1])) == set(EVENTS)


@pytest.mark.parametrize("name", [name for name, kind in EVENTS.items() if kind.merged])
def test_what_may_be_merged_is_a_delta_of_a_message(name: str) -> None:
    made = [
        make("one", "two")
        for make in vars(events).values()
        if inspect.isfunction(make) and list(inspect.signature(make).parameters) == ["message_id", "delta"]
    ]
    assert name in {each["type"] for each in made}


def test_what_is_not_drawn_moves_no_step() -> None:
    assert not [name for name in UNDRAWN if EVENTS[name].moves_steps]


def test_an_event_of_a_newer_version_changes_nothing() -> None:
    transcript = Transcript()
    assert transcript.apply({"type": "SOMETHING_NEW", "messageId": "msg_1"}) == []
    assert transcript == Transcript()
