"""The body of a request to a model."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel

from server.agents.model.client import encode_body


class Setting(BaseModel):
    """A setting of a model, as the SDK hands them on."""

    effort: str = "low"
    summary: str | None = None


def test_a_request_carries_models_as_they_were_set_and_iterables_as_lists():
    body = {"reasoning": Setting(effort="high"), "stop": (each for each in ("a", "b")), "tools": {}.values()}
    assert json.loads(encode_body(body)) == {"reasoning": {"effort": "high"}, "stop": ["a", "b"], "tools": []}


def test_it_carries_nothing_else():
    with pytest.raises(TypeError, match="cannot carry object"):
        encode_body({"stop": object()})
