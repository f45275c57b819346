"""The body of a request to a model."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from openai._base_client import BaseClient
from pydantic import BaseModel

from server.agents.model.client import Client, encode_body


class Setting(BaseModel):
    """A setting of a model, as the SDK hands them on."""

    effort: str = "low"
    summary: str | None = None


def test_a_request_carries_models_as_they_were_set_and_iterables_as_lists():
    body = {"reasoning": Setting(effort="high"), "stop": (each for each in ("a", "b")), "tools": {}.values()}
    assert json.loads(encode_body(body)) == {"reasoning": {"effort": "high"}, "stop": ["a", "b"], "tools": []}


def test_a_request_body_refuses_values_of_other_types():
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
        for odd in ({"max_retries": 2, "http_client": http}, {"max_retries": 0}):
            other = Client(api_key="k", base_url="http://127.0.0.1:1", **odd)
            assert other.kind("/responses", options) is None


async def test_a_client_learns_sixteen_kinds_of_requests_and_no_redirected_one() -> None:
    request = httpx2.Request("POST", "http://127.0.0.1:1/responses", headers={"x-a": "1"}, content=b"old")
    answer = httpx2.Response(200, request=request)
    moved = httpx2.Response(200, request=request, history=[httpx2.Response(307, request=request)])
    async with httpx2.AsyncClient() as http:
        client = Client(api_key="k", base_url="http://127.0.0.1:1", max_retries=0, http_client=http)
        kinds = [client.kind("/responses", {"headers": {"x-n": f"{n}"}}) for n in range(18)]
        assert len(set(kinds)) == 18 and None not in kinds
        client.learn(kinds[17], moved)
        assert (client.find(kinds[17]), client.find(None)) == (None, None)
        for each in kinds[:17]:
            client.learn(each, answer)
        assert [client.find(each) is not None for each in kinds] == [True] * 16 + [False] * 2
        known = client.find(kinds[0])
        assert known is not None
        again = known.request(b"new!", httpx2.Cookies())
        assert (again.method, str(again.url), again.content) == ("POST", str(request.url), b"new!")
        assert (again.headers["x-a"], again.headers["content-length"]) == ("1", "4")


async def test_a_client_without_retries_is_its_own_and_another_one_is_made_for_what_differs() -> None:
    async with httpx2.AsyncClient() as http:
        client = Client(api_key="k", base_url="http://127.0.0.1:1", max_retries=0, http_client=http)
        assert client.with_options(max_retries=0) is client
        assert client.with_options(timeout=3.0) is not client


async def test_a_client_that_names_its_refusals_otherwise_makes_every_request_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(BaseClient, "_make_status_error_from_response")
    async with httpx2.AsyncClient() as http:
        client = Client(api_key="k", base_url="http://127.0.0.1:1", max_retries=0, http_client=http)
        assert client.kind("/responses", {}) is None
