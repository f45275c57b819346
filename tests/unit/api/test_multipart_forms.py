"""Multipart forms are read in memory alone."""

from __future__ import annotations

import tempfile
from collections.abc import MutableMapping
from typing import Any

import pytest
from starlette.requests import Request

from server.api import multipart_forms
from server.api.multipart_forms import MOST_OF_TYPE, MOST_SEMICOLONS, TooManyPhotos, read_fields, read_form
from server.errors import BadFrame, UnsupportedMediaType
from server.protocol.commands import MAX_IMAGES
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
    with pytest.raises(TooManyPhotos, match=str(MAX_IMAGES)):
        await read_form(request_of(body, headers))
    with pytest.raises(BadFrame):
        await read_form(request_of(body.replace(b'; name="files"', b""), headers))


def unread(content_type: str) -> Request:
    """Return a request whose body may not be read."""

    async def receive() -> MutableMapping[str, Any]:
        raise AssertionError("the body was read")

    headers = [(b"content-type", content_type.encode("latin-1"))]
    return Request({"type": "http", "method": "POST", "path": "/", "headers": headers}, receive)


@pytest.mark.parametrize(
    "charset",
    [
        "punycode",
        '"PUNYCODE"',
        "undefined",
        "idna",
        "utf-7",
        "utf-16",
        "iso-8859-1",
        "no-such-codec",
        "",
        "utf-8; charset=punycode",
        "\xe9",
    ],
)
async def test_a_form_in_another_charset_than_utf_8_is_refused_before_it_is_read(charset: str) -> None:
    with pytest.raises(UnsupportedMediaType, match="UTF-8"):
        await read_form(unread(f"multipart/form-data; boundary=x; charset={charset}"))
    urlencoded = unread(f"application/x-www-form-urlencoded; charset={charset}")
    with pytest.raises(UnsupportedMediaType, match="UTF-8"):
        await read_fields(urlencoded, most_bytes=100, most_fields=4)


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf8"', "us-ascii", "ASCII"])
async def test_a_form_that_names_utf_8_or_a_part_of_it_is_read(charset: str) -> None:
    body, headers = form({"name": "Ana"}, [])
    headers["content-type"] += f"; charset={charset}"
    assert (await read_form(request_of(body, headers))).fields == [("name", "Ana")]
    urlencoded = {"content-type": f"application/x-www-form-urlencoded;charset={charset}"}
    read = await read_fields(request_of(b"name=Ana", urlencoded), most_bytes=100, most_fields=4)
    assert read == {"name": "Ana"}


async def test_the_charset_of_a_part_or_of_a_field_decodes_nothing() -> None:
    text = b"-" + b"a" * 1_000_000
    parts = (
        b'Content-Disposition: form-data; name="_charset_"\r\n\r\npunycode',
        b'Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=punycode\r\n\r\n'
        + text,
        b"Content-Disposition: form-data; name*=punycode''-aa; name=\"b\"\r\n\r\nx",
    )
    body = b"".join(b"--x\r\n" + each + b"\r\n" for each in parts) + b"--x--\r\n"
    read = await read_form(request_of(body, {"content-type": "multipart/form-data; boundary=x"}))
    assert read.fields == [("_charset_", "punycode"), ("a", text.decode()), ("b", "x")]


async def test_a_long_content_type_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise AssertionError("it was parsed")

    monkeypatch.setattr(multipart_forms, "parse_options_header", refuse)
    for kind in ("multipart/form-data", "application/x-www-form-urlencoded"):
        long = unread(kind + ";" * (MOST_OF_TYPE + 1 - len(kind)))
        with pytest.raises(UnsupportedMediaType, match="256 characters"):
            if kind == "multipart/form-data":
                await read_form(long)
            else:
                await read_fields(long, most_bytes=100, most_fields=4)


async def test_a_content_type_of_the_greatest_length_is_read() -> None:
    body, headers = form({"name": "Ana"}, [])
    headers["content-type"] = headers["content-type"].ljust(MOST_OF_TYPE, ";")
    assert (await read_form(request_of(body, headers))).fields == [("name", "Ana")]


@pytest.mark.parametrize("more", [0, 1])
async def test_a_disposition_of_many_parameters_is_refused(more: int) -> None:
    """A name of a file may hold some semicolons."""
    disposition = b'form-data; name="files"; filename="a' + b";" * (MOST_SEMICOLONS - 2 + more) + b'.png"'
    body = b"--x\r\nContent-Disposition: " + disposition + b"\r\n\r\nabc\r\n--x--\r\n"
    request = request_of(body, {"content-type": "multipart/form-data; boundary=x"})
    if more:
        with pytest.raises(BadFrame, match="too many parameters"):
            await read_form(request)
    else:
        assert (await read_form(request)).files == [b"abc"]
