"""The body of a request to a model."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from pydantic import BaseModel

from server.agents.model.client import Client, encode_body


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


@pytest.mark.parametrize(
    ("options", "repeatable"),
    [
        ({}, True),
        ({"security": {"bearer_auth": True}, "headers": {"x-a": "1"}}, True),
        ({"headers": {"x-a": httpx2.Headers()}}, False),
        ({"headers": {"x-a": "1", "x-b": None}}, False),
        ({"timeout": 3}, False),
    ],
)
async def test_a_request_of_plain_headers_is_made_once_for_all_like_it(
    options: dict[str, Any], repeatable: bool
) -> None:
    async with httpx2.AsyncClient() as http:
        client = Client(api_key="k", base_url="http://127.0.0.1:1", max_retries=0, http_client=http)
        assert (client.kind("/responses", options) is not None) is repeatable
