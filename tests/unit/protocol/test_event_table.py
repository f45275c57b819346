"""Every type of event is in one table, and constructors and folds know exactly the types of that table."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest
from ag_ui.core import EventType

from loopwire.folds import FOLDS
from server.protocol import events
from server.protocol.event_kinds import EVENTS, EventKind, OlderMessage, kind_of
from server.protocol.event_shapes import event_definitions
from server.protocol.transcript import Transcript
from server.runs.conversation.references import is_large
from tests.unit.protocol.test_events import SAMPLES

ROOT = Path(__file__).parents[3]


def types_of(file: Path) -> Iterator[str]:
    """Yield the types of the events that a file makes: `"type"` of a dict, the first argument of `_event`."""
    source = file.read_text()
    # Few files name one, and parsing all of them takes seconds.
    if not any(f'"{each.value}"' in source for each in EventType):
        return
    for node in ast.walk(ast.parse(source)):
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


def test_the_server_makes_events_of_the_types_in_the_table_alone() -> None:
    made = {name for file in (ROOT / "server").rglob("*.py") for name in types_of(file)}
    assert made == set(EVENTS)


def calls_of(file: Path) -> Iterator[str]:
    """Yield the names of the constructors of events that a file calls."""
    source = file.read_text()
    if not re.search(r"\b(?:ev|events)\b", source):
        return
    for node in ast.walk(ast.parse(source)):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and ast.unparse(called.value) in ("ev", "events"):
            yield called.attr


def test_every_event_that_can_be_made_is_sent_by_a_part_of_the_server() -> None:
    made = {name for name, each in vars(events).items() if inspect.isfunction(each) and name[0] != "_"}
    called = {name for file in (ROOT / "server").rglob("*.py") for name in calls_of(file)}
    assert made - {"ours"} <= called


def test_the_javascript_client_folds_the_same_types() -> None:
    source = (ROOT / "sdk/js/folds.js").read_text()
    table = source[source.index("export const folds = {") :]
    assert set(re.findall(r"^  ([A-Z_]+)(?:\(|: )", table[: table.index("\n};")], re.MULTILINE)) == set(
        EVENTS
    )


def test_the_python_client_folds_the_same_types() -> None:
    assert set(FOLDS) == set(EVENTS)


def test_the_schema_has_a_shape_of_the_same_types() -> None:
    shapes = event_definitions().values()
    assert {each["properties"]["type"]["const"] for each in shapes if is_event(each)} == set(EVENTS)


def is_event(shape: dict[str, Any]) -> bool:
    """Return whether a definition is that of an event: AG-UI's names are written large."""
    return str(shape.get("properties", {}).get("type", {}).get("const", "")).isupper()


@pytest.mark.parametrize("name", [name for name, kind in EVENTS.items() if kind.merged])
def test_event_types_that_may_be_merged_have_a_text_as_delta(name: str) -> None:
    samples = [each for each in SAMPLES if each["type"] == name]
    assert samples and all(isinstance(each["delta"], str) for each in samples)


def test_event_types_that_are_not_drawn_move_no_step() -> None:
    assert not [name for name, kind in EVENTS.items() if kind.moves_steps and not kind.drawn]


def test_a_new_type_decides_what_its_content_is_and_what_it_does_to_older_messages() -> None:
    """No default answers for it: a row without one of them fails when the table is imported."""
    decided = [each.name for each in fields(EventKind) if each.default is MISSING]
    assert decided == ["fold", "content", "older"]


@pytest.mark.parametrize("name", EVENTS)
def test_the_content_of_an_event_is_a_field_of_its_samples(name: str) -> None:
    content = EVENTS[name].content
    samples = [each for each in SAMPLES if each["type"] == name]
    assert samples and all(content is None or content.field in each for each in samples)


@pytest.mark.parametrize("name", [name for name, kind in EVENTS.items() if kind.content is None])
def test_event_types_without_content_have_no_content_field(name: str) -> None:
    free = {"content", "patch", "messages"}
    assert [each for each in SAMPLES if each["type"] == name and free & each.keys()] == []


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda each: each["type"])
def test_only_results_and_blocks_are_referred_to_when_they_are_large(sample: events.Event) -> None:
    content = EVENTS[sample["type"]].content
    large = sample if content is None else {**sample, content.field: "x" * 100_000}
    block = sample["type"] == "ACTIVITY_SNAPSHOT" and sample["activityType"] == "block"
    assert is_large(large) is (block or sample["type"] == "TOOL_CALL_RESULT")


def test_event_types_that_change_an_older_message_name_it() -> None:
    changing = {
        each["type"]: each for each in SAMPLES if EVENTS[each["type"]].older is not OlderMessage.UNCHANGED
    }
    assert changing and all("messageId" in each and "activityType" in each for each in changing.values())


def test_an_event_of_a_newer_version_changes_nothing() -> None:
    new = {"type": "SOMETHING_NEW", "messageId": "msg_1"}
    transcript = Transcript()
    assert transcript.apply(new) == []
    assert transcript == Transcript()
    kind = kind_of(new)
    assert (kind.content, kind.older, kind.drawn) == (None, OlderMessage.UNCHANGED, False)


def types_that(told: Callable[[EventKind], bool]) -> set[str]:
    return {name for name, kind in EVENTS.items() if told(kind)}


def test_only_pieces_of_a_text_are_merged_for_a_slow_reader() -> None:
    assert types_that(lambda kind: kind.merged) == {"TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT"}


def test_the_page_is_sent_no_markup_for_pieces_and_for_arguments_that_are_complete() -> None:
    pieces = {"TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT", "TOOL_CALL_ARGS", "TOOL_CALL_END"}
    assert types_that(lambda kind: not kind.drawn) == pieces


def test_the_steps_move_with_the_agent_with_the_state_and_with_the_end_of_a_run() -> None:
    moving = {"STEP_STARTED", "STATE_SNAPSHOT", "STATE_DELTA", "RUN_FINISHED", "RUN_ERROR"}
    assert types_that(lambda kind: kind.moves_steps) == moving


def test_a_text_is_complete_when_another_begins_a_tool_is_called_or_another_agent_takes_over() -> None:
    begun = {"TEXT_MESSAGE_START", "REASONING_MESSAGE_START", "TOOL_CALL_START", "STEP_STARTED"}
    assert types_that(lambda kind: kind.completes_text) == begun


def test_a_run_has_one_kind_of_beginning_and_two_kinds_of_ends() -> None:
    assert types_that(lambda kind: kind.begins_run) == {"RUN_STARTED"}
    assert types_that(lambda kind: kind.ends_run) == {"RUN_FINISHED", "RUN_ERROR"}


def test_of_older_messages_activities_alone_are_changed() -> None:
    older = {name: kind.older for name, kind in EVENTS.items() if kind.older is not OlderMessage.UNCHANGED}
    assert older == {
        "ACTIVITY_SNAPSHOT": OlderMessage.REPLACED_BY_BLOCK,
        "ACTIVITY_DELTA": OlderMessage.CHANGED,
    }
