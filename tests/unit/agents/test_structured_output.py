"""Answers that have a type: how they are read, and what agents of a request read themselves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agents import Agent
from pydantic import BaseModel

from server.agents.run.structured_output import (
    StructuredAnswer,
    StructuredOutput,
    has_structured_output,
    merge_outputs,
    read_outputs,
    repair_text,
    request_text,
)


class Price(BaseModel):
    """An answer with two fields."""

    value: float
    reason: str = ""


class Open(BaseModel):
    """An answer with keys of its own, which no strict schema has."""

    more: dict[str, Any]


@pytest.mark.parametrize(
    "text",
    [
        '{"value": 7, "reason": "é"}',
        '```json\n{"value": 7, "reason": "é"}\n```',
        '  ```\n\n {"value": 7, "reason": "é"}\n\n  ``` ',
        '```json \x0b\n\x0c\n{"value": 7, "reason": "é"}\n\x0c\n```',
    ],
)
def test_an_answer_is_read_with_or_without_a_fence(text: str) -> None:
    assert StructuredOutput(Price).validate_json(text) == StructuredAnswer({"value": 7.0, "reason": "é"})


@pytest.mark.parametrize(
    "text",
    [
        '```{"value": 7}```',
        '```json {"value": 7}\n```',
        '```json\n{"value": 7}```',
        "```json\n```",
        "```",
        "````",
    ],
)
def test_the_marks_of_a_fence_stand_in_lines_of_their_own(text: str) -> None:
    assert StructuredOutput(Price).validate_json(text).fault.startswith("Invalid JSON")


@pytest.mark.parametrize("end", ["", "x", "\n```", "x\n```", "x\n```\n"])
def test_lines_and_marks_in_a_fence_cost_no_more_than_other_text(end: str) -> None:
    """A search that tries each line anew would take years for so many."""
    for unit in ("\n", " \n", "\n```", "`"):
        assert StructuredOutput(Price).validate_json(f"```json\n{unit * 200_000}{end}").fault
    answer = StructuredOutput(Price).validate_json(
        "```" + "\n" * 200_000 + '{"value": 7}' + "\n" * 200_000 + "```"
    )
    assert answer.value == {"value": 7.0, "reason": ""}


def test_no_control_character_of_an_answer_goes_on_to_the_caller() -> None:
    answer = StructuredOutput(Open).validate_json(
        '{"more": {"a\\u001b": ["\\u0007b\\r\\n", {"c": "\\u001b[31m"}]}}'
    )
    assert answer.value == {"more": {"a": ["b\n", {"c": "[31m"}]}}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{}", "value: Field required"),
        ('{"value": "x"}', "value: Input should be a valid number, unable to parse string as a number"),
        ('Here: ```json\n{"value": 7}\n```', "Invalid JSON"),
    ],
)
def test_an_answer_that_does_not_fit_is_told_by_its_first_fault(text: str, fault: str) -> None:
    answer = StructuredOutput(Price).validate_json(text)
    assert answer.value is None
    assert answer.fault.startswith(fault)
    assert repair_text(answer.fault) == (
        f"Your answer cannot be used: {answer.fault}. Answer again, with the whole JSON object and nothing else."
    )


def test_a_type_is_described_to_the_model_strictly_where_that_can_be() -> None:
    price, open_ = StructuredOutput(Price), StructuredOutput(Open)
    assert (price.name(), price.is_plain_text(), price.is_strict_json_schema()) == ("Price", False, True)
    assert price.json_schema()["required"] == ["value", "reason"]
    assert (open_.name(), open_.is_strict_json_schema()) == ("Open", False)
    assert open_.validate_json('{"more": {"a": 1}}').value == {"more": {"a": 1}}


def test_agents_of_one_type_share_what_reads_it_and_others_stay() -> None:
    team: Any = {name: Agent(name=name, output_type=Price) for name in ("one", "two")}
    team["plain"] = Agent(name="plain")
    team["text"] = Agent(name="text", output_type=str)
    read_outputs(team)
    assert isinstance(team["one"].output_type, StructuredOutput)
    assert team["one"].output_type is team["two"].output_type
    assert (team["plain"].output_type, team["text"].output_type) == (None, str)


def test_a_call_of_a_model_says_whether_its_answer_has_a_type() -> None:
    schema = StructuredOutput(Price)
    assert has_structured_output((), {"output_schema": schema})
    assert has_structured_output((1, 2, 3, 4, schema), {})
    assert not has_structured_output((1, 2, 3, schema), {})
    assert not has_structured_output((1, 2, 3, 4, None), {})
    assert not has_structured_output((), {})


def test_agents_read_the_request_and_the_facts_that_there_are() -> None:
    assert request_text({"a": "é"}, {}) == '{"request": {"a": "é"}}'
    assert json.loads(request_text({"a": 1}, {"b": 2})) == {"request": {"a": 1}, "facts": {"b": 2}}
    assert merge_outputs([{"a": 1, "b": 1}, {"b": 2}]) == {"a": 1, "b": 2}
