"""Multipart forms are read in memory alone."""

from __future__ import annotations

import tempfile
from collections.abc import MutableMapping
from typing import Any

import pytest
from starlette.requests import Request

from server.api.multipart_forms import read_form
from server.errors import BadFrame
from tests.parts.images import form


def request_of(body: bytes, headers: dict[str, str]) -> Request:
    """Return a request with this body, which comes in pieces."""
    pieces = [body[at : at + 65_536] for at in range(0, len(body), 65_536)]

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "POST", "path": "/", "headers": raw}, receive)


async def test_a_large_picture_of_a_form_is_never_written_to_the_disk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a file on the disk")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    picture = bytes(range(256)) * 20_000
    found = await read_form(request_of(*form({"number": "1"}, [picture, b""])))
    assert found.fields == [("number", "1")]
    assert found.files == [picture, b""]


async def test_a_form_of_too_many_files_or_one_that_breaks_off_is_refused_in_words() -> None:
    body, headers = form({}, [b"x"] * 9)
    with pytest.raises(BadFrame, match="Too many files"):
        await read_form(request_of(body, headers))
    with pytest.raises(BadFrame):
        await read_form(request_of(body.replace(b'; name="files"', b""), headers))
