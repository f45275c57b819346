"""Compression of responses: by the request, the kind of the response, its size, and the waiting ones."""

from __future__ import annotations

import asyncio
import gzip
from typing import Any

import pytest

from server.http.compression import (
    AT_ONCE_HERE,
    KEPT_CODINGS,
    MOST_WAITING,
    SMALLEST,
    Compression,
    accepts_gzip,
    preferred_coding,
)

TEXT = b'{"text": "Quero vender um iPhone 13"}' * 100
Sent = list[dict[str, Any]]


def response(body: bytes, *headers: tuple[bytes, bytes], parts: int = 1) -> Sent:
    """Return the messages of an application that answers with a body in so many parts."""
    size = len(body) // parts
    cut = [body[size * each : size * (each + 1)] for each in range(parts)]
    length = (b"content-length", str(len(body)).encode())
    start: dict[str, Any] = {"type": "http.response.start", "status": 200, "headers": [length, *headers]}
    return [
        start,
        *(
            {"type": "http.response.body", "body": each, "more_body": number < parts - 1}
            for number, each in enumerate(cut)
        ),
    ]


async def compressed_response(
    compression: Compression, *, accept: bytes = b"gzip", path: str = "/v1/sessions"
) -> Sent:
    """Return what a client gets."""
    sent: Sent = []

    async def receive() -> dict[str, Any]:
        raise AssertionError

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "path": path, "headers": [(b"accept-encoding", accept)] if accept else []}
    await compression(scope, receive, send)
    return sent


def answering(messages: Sent) -> Compression:
    async def app(_: Any, __: Any, send: Any) -> None:
        for each in messages:
            await send(each)

    return Compression(app)


JSON = (b"content-type", b"application/json")


@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        ("gzip", True),
        ("GZIP", True),
        ("br, gzip;q=0.5", True),
        ("x-gzip", True),
        ("*", True),
        ("", False),
        ("br", False),
        ("identity", False),
        ("gzip;q=0", False),
        ("gzip; Q = 0.000, *", False),
        ("*;q=0", False),
        ("gzip;q=nan", False),
        ("gzip;q=", False),
        ("gzip;q=1;q=0", False),
        (",;,=;" * 1000, False),
    ],
)
def test_a_client_says_whether_it_reads_gzip(value: str, accepted: bool) -> None:
    assert accepts_gzip(value) is accepted


@pytest.mark.parametrize(
    ("value", "coding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("br;q=0.5, gzip", "gzip"),
        ("br;q=0.5, gzip;q=0.4", "br"),
        ("gzip", "gzip"),
        ("*", "br"),
        ("*;q=0.5, gzip;q=0.6", "gzip"),
        ("br;q=0, *", "gzip"),
        ("br;q=0, gzip;q=0", None),
        ("x-gzip, br;q=0.9", "gzip"),
        ("identity", None),
        ("", None),
    ],
)
def test_the_coding_is_the_one_that_the_client_wants_most(value: str, coding: str | None) -> None:
    assert preferred_coding(value, KEPT_CODINGS) == coding


@pytest.mark.parametrize("size", [SMALLEST, AT_ONCE_HERE, AT_ONCE_HERE + 1, 1 << 20])
async def test_a_whole_text_is_compressed_and_says_so(size: int) -> None:
    body = (TEXT * (1 + size // len(TEXT)))[:size]
    start, end = await compressed_response(answering(response(body, JSON, (b"vary", b"origin"))))
    headers = dict(start["headers"])
    assert gzip.decompress(end["body"]) == body
    assert headers[b"content-length"] == str(len(end["body"])).encode()
    assert (headers[b"content-encoding"], headers[b"vary"]) == (b"gzip", b"origin, Accept-Encoding")
    assert len(headers) == len(start["headers"]), "a header is there twice"


async def test_a_client_that_does_not_accept_gzip_gets_the_plain_text_and_caches_are_told() -> None:
    start, end = await compressed_response(answering(response(TEXT, JSON)), accept=b"br")
    assert end["body"] == TEXT
    assert dict(start["headers"])[b"vary"] == b"Accept-Encoding"
    assert dict(start["headers"])[b"content-length"] == str(len(TEXT)).encode()


@pytest.mark.parametrize(
    ("messages", "path"),
    [
        (response(TEXT, (b"content-type", b"text/event-stream")), "/v1/sessions"),
        (response(TEXT, JSON, parts=2), "/v1/sessions"),
        (response(TEXT[: SMALLEST - 1], JSON), "/v1/sessions"),
        (response(TEXT, (b"content-type", b"image/jpeg")), "/v1/sessions"),
        (response(TEXT, JSON, (b"content-encoding", b"gzip")), "/v1/sessions"),
        (response(TEXT, JSON, (b"etag", b'"1"')), "/v1/sessions"),
        (response(TEXT, JSON, (b"content-range", b"bytes 0-9/10")), "/v1/sessions"),
        (response(TEXT), "/v1/sessions"),
        (response(TEXT, JSON), "/v1/tickets"),
    ],
    ids=["stream", "parts", "small", "picture", "encoded", "etag", "range", "no type", "secret"],
)
async def test_streams_small_bodies_pictures_and_tickets_are_not_compressed(
    messages: Sent, path: str
) -> None:
    assert await compressed_response(answering(messages), path=path) == messages


async def test_a_stream_begins_before_its_first_event() -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def app(_: Any, __: Any, send: Any) -> None:
        await send(response(b"", (b"content-type", b"text/event-stream"))[0])
        await go_on.wait()

    async def send(message: Any) -> None:
        assert message["type"] == "http.response.start"
        begun.set()

    scope = {"type": "http", "path": "/chat", "headers": [(b"accept-encoding", b"gzip")]}
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(Compression(app)(scope, None, send))  # type: ignore[arg-type]
        await asyncio.wait_for(begun.wait(), 60)
        go_on.set()


async def test_of_many_large_bodies_at_once_those_that_would_wait_long_are_sent_plain() -> None:
    body = TEXT * 20
    compression = answering(response(body, JSON))
    sent = await asyncio.gather(*(compressed_response(compression) for _ in range(3 * MOST_WAITING)))
    packed = [each[1]["body"] for each in sent if each[1]["body"] != body]
    assert len(packed) == MOST_WAITING
    assert {gzip.decompress(each) for each in packed} == {body}
    for start, end in sent:
        assert dict(start["headers"])[b"content-length"] == str(len(end["body"])).encode()
        assert dict(start["headers"])[b"vary"] == b"Accept-Encoding"
    assert (await compressed_response(compression))[1]["body"] != body, "the next one has no turn"
