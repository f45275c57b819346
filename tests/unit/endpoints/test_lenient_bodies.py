"""JSON bodies as clients send them: with a mark at their begin, without a type, and with half of a character."""

from __future__ import annotations

import codecs
from typing import Any

import pytest
from starlette.requests import Request

from server.api.requests.body import read_body
from server.api.sessions import SessionChange
from server.endpoints.bodies import body_of
from server.errors import BadJson, UnsupportedMediaType
from server.services.decision import DecisionRequest

JSON = ("content-type", "application/json")
ORIGIN = ("origin", "https://evil.example")


def asking(body: bytes, *headers: tuple[str, str]) -> Request:
    """Return a request with this body."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    sent = [(name.encode(), value.encode()) for name, value in headers]
    return Request({"type": "http", "method": "POST", "headers": sent}, receive)


async def test_a_mark_of_the_byte_order_is_no_part_of_a_body() -> None:
    assert (await body_of(asking(codecs.BOM_UTF8 + b'{"title":"a"}', JSON), SessionChange)).title == "a"


@pytest.mark.parametrize("declared", ["application/problem+json", "Application/JSON; charset=utf-8"])
async def test_each_type_of_json_is_read(declared: str) -> None:
    request = asking(b'{"title":"a"}', ("content-type", declared), ORIGIN)
    assert (await body_of(request, SessionChange)).title == "a"


async def test_a_program_need_not_declare_its_body_and_a_page_has_to() -> None:
    assert (await body_of(asking(b'{"title":"a"}'), SessionChange)).title == "a"
    refused: list[tuple[tuple[str, str], ...]] = [
        (ORIGIN,),
        (("content-type", ""),),
        (("content-type", "text/plain"),),
        (("content-type", "text/plain+json"),),
        (("content-encoding", "gzip"),),
    ]
    for headers in refused:
        with pytest.raises(UnsupportedMediaType):
            await body_of(asking(b'{"title":"a"}', *headers), SessionChange)


@pytest.mark.parametrize("text", [rb"\ud83d", rb"a \ud83d b", rb"\ud83d\u0041"])
async def test_half_of_a_character_is_told_as_that(text: bytes) -> None:
    for model in (SessionChange, DecisionRequest):
        with pytest.raises(BadJson, match="half of a character"):
            body = asking(b'{"title":"' + text + b'"}', JSON)
            await (body_of(body, model) if model is SessionChange else read_body(body, model))
    with pytest.raises(BadJson, match=r"^This is not valid JSON\.$"):
        await body_of(asking(b"{", JSON), SessionChange)
