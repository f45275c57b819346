"""The shapes of events name each field that is sent, and none that AG-UI does not know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ag_ui.core
import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from server.protocol.event_shapes import event_definitions
from server.protocol.events import Event, interrupt, text_start
from server.protocol.schema import json_schema
from server.runs.conversation.pictures import image_part
from tests.unit.protocol.test_events import SAMPLES
from tests.unit.protocol.test_recorded import RECORDED, frames_in_order, recorded

Json = dict[str, Any]

DEFINED: Json = json_schema()["$defs"]
VALIDATOR = Draft202012Validator({"$ref": "#/$defs/Event", "$defs": DEFINED})
EVENTS: dict[str, Json] = {
    name: each
    for name, each in event_definitions().items()
    if name.endswith("Event") and "properties" in each
}
SENT = {each["properties"]["type"].get("const"): each for each in EVENTS.values()}
INTERRUPT = interrupt("int_1", "cal_1", "Pay?", {}, expires_at=5, kind="approval", block_id="blk_1")
UNNAMED = {"agent"}
"""What a mark has for the page alone: the agent that called a tool, which is null where there is none."""


def unnamed_fields(rule: Json, value: Any, place: str) -> Iterator[str]:
    """Yield the places of the fields that a shape does not name, in a value that fits it."""
    if "$ref" in rule:
        rule = DEFINED[rule["$ref"].rpartition("/")[2]]
    if isinstance(value, list):
        for each in value:
            yield from unnamed_fields(rule.get("items", {}), each, f"{place}[]")
    elif isinstance(value, dict) and (options := rule.get("oneOf")):
        yield from min((list(unnamed_fields(each, value, place)) for each in options), key=len)
    elif isinstance(value, dict) and "properties" in rule:
        for name, each in value.items():
            if name in rule["properties"]:
                yield from unnamed_fields(rule["properties"][name], each, f"{place}.{name}")
            elif name not in UNNAMED:
                yield f"{place}.{name}"


def recorded_events() -> Iterator[Event]:
    for name in RECORDED:
        for frame in frames_in_order(recorded(name)["frames"]):
            yield from [frame["event"]] if "event" in frame else frame.get("events", ())


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: event["type"])
def test_each_field_of_an_event_that_can_be_made_is_named(event: Event) -> None:
    assert list(unnamed_fields(SENT[event["type"]], event, event["type"])) == []


def test_each_field_of_the_recorded_events_is_named() -> None:
    events = list(recorded_events())
    assert len(events) > 100
    assert {
        place for each in events for place in unnamed_fields(SENT[each["type"]], each, each["type"])
    } == set()


def test_each_part_of_a_person_s_message_is_named_with_its_fields() -> None:
    parts = [
        {"type": "text", "text": "This?"},
        {"type": "answer", "block_id": "blk_1", "name": "product", "value": ["17"], "label": "Polly Magic"},
        image_part("ses_1", "blb_1", 3, 4),
        {"type": "input", "text": "A price", "title": "A price"},
    ]
    event = text_start("msg_1", "user", content=parts)
    VALIDATOR.validate(event)
    assert list(unnamed_fields(SENT[event["type"]], event, "event")) == []


def test_each_field_of_an_interrupt_is_named() -> None:
    assert list(unnamed_fields(DEFINED["Interrupt"], INTERRUPT, "interrupt")) == []


def aliases(model: type[BaseModel]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


@pytest.mark.parametrize("name", [each for each in EVENTS if each != "OtherEvent"])
def test_ag_ui_knows_each_field_of_an_event_and_needs_the_same_ones(name: str) -> None:
    model: type[BaseModel] = getattr(ag_ui.core, name)
    shape = EVENTS[name]
    assert shape["properties"].keys() <= aliases(model)
    needed = {field.alias or key for key, field in model.model_fields.items() if field.is_required()}
    assert set(shape["required"]) - {"type"} == needed - {"type"}


@pytest.mark.parametrize(("name", "model"), [("Interrupt", "Interrupt"), ("TokenUsage", "TokenUsage")])
def test_ag_ui_knows_each_field_of_what_stands_in_an_event(name: str, model: str) -> None:
    assert DEFINED[name]["properties"].keys() <= aliases(getattr(ag_ui.core, model))


def test_every_type_of_ag_ui_is_sent_or_named_as_one_that_is_not() -> None:
    known, beyond = EVENTS["OtherEvent"]["properties"]["type"]["anyOf"]
    every = {each.value for each in ag_ui.core.EventType}
    assert {*SENT} - {None} == every - set(known["enum"])
    assert set(beyond["not"]["enum"]) == every
