"""The addresses of generated requests lead to every route, and generated forms are read or refused in words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import MutableMapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from starlette.requests import Request

from server import __version__
from server.api.multipart_forms import FORM, URLENCODED, media_type_of, read_fields, read_form
from server.errors import LoopwireError
from tests.attacks.generate import PATHS, Known, Requests
from tests.attacks.generate_forms import DOORS
from tests.integration.ws.inside import inside
from tests.parts.routes import all_routes

NAMES = {"session": "ses_1", "item": "itm_1", "text": "x", "service": "chat"}


@pytest.mark.conformance
async def test_generated_requests_lead_to_every_route(tmp_path: Path) -> None:
    known = [each.format(**NAMES) for each in PATHS if each != "/{text}"]
    known.append(f"/static/sdk@{__version__}/x")  # What is generated in place of a version is never one.
    async with inside(tmp_path) as here:
        routes = await all_routes(here.application)
    assert [each.path for each in routes if not any(each.path_regex.match(one) for one in known)] == []


def received(head: bytes, body: bytes) -> Request:
    """Return a request as the application sees it."""

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    lines = [each.partition(b": ") for each in head.split(b"\r\n")[1:]]
    headers = [(name.lower(), value) for name, _, value in lines if name.lower() == b"content-type"]
    return Request({"type": "http", "method": "POST", "path": "/", "headers": headers}, receive)


async def read(request: Request) -> str:
    """Return how a form ends: `read`, or the name of what refuses it."""
    try:
        if media_type_of(request) == FORM:
            await read_form(request)
        else:
            await read_fields(request, most_bytes=64 * 1024, most_fields=200)
    except LoopwireError as error:
        return type(error).__name__
    return "read"


async def test_generated_forms_of_each_route_are_read_or_refused_in_words() -> None:
    requests = Requests(Random(7), "127.0.0.1", Known())
    ends: dict[str, Counter[str]] = defaultdict(Counter)
    for _ in range(4_000):
        head, _, body = requests.next().partition(b"\r\n\r\n")
        request = received(head, body)
        if media_type_of(request) in (FORM, URLENCODED):
            ends[requests.route][await read(request)] += 1
    assert ends.keys() == set(DOORS)
    for route, found in ends.items():
        assert {"read", "BadFrame", "UnsupportedMediaType"} <= found.keys(), (route, found)
