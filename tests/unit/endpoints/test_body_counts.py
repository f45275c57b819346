"""The lists of a body hold at most what the documents say, in numbers of their own: one more is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from server.agui.input import RunAgentInput
from server.protocol.field_errors import first_error

TOOL = {"name": "t"}
ANSWER = {"interruptId": "int_1", "status": "resolved"}


def judge(**lists: list[dict[str, Any]]) -> RunAgentInput:
    return RunAgentInput.model_validate_json(
        json.dumps({"threadId": "t", "runId": "r", "messages": [], **lists})
    )


@pytest.mark.parametrize(("name", "element", "most"), [("tools", TOOL, 128), ("resume", ANSWER, 32)])
def test_a_run_takes_so_many_and_not_one_more(name: str, element: dict[str, Any], most: int) -> None:
    assert len(getattr(judge(**{name: [element] * most}), name)) == most
    with pytest.raises(ValidationError) as refused:
        judge(**{name: [element] * (most + 1)})
    fault = first_error(refused.value)
    assert (fault["type"], fault["loc"], fault["ctx"]["max_length"]) == ("too_long", (name,), most)
