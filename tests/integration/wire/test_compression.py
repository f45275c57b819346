"""Compression on the wire: the responses to a browser for pages, JSON, files and streams, and the refused requests."""

from __future__ import annotations

import gzip
import http.client
import json
import re
import zlib
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import brotli
import pytest

from server.html.files.page_files import PREFIX, page_files
from server.http.compression import SMALLEST
from tests.integration.agui.caller import body_of
from tests.integration.conversation.seller import Seller
from tests.integration.requests.test_chat import body_of as chat_body
from tests.parts.sampled import later
from tests.parts.server import ROOT, Served

pytestmark = pytest.mark.once

GZIP = {"accept-encoding": "gzip, deflate, br, zstd"}
CSS = "/static/css/page.css"
UNPACK = {"gzip": gzip.decompress, "br": brotli.decompress}


def fetch(
    place: Served, path: str, method: str = "GET", body: bytes | None = None, **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    """Return a response as it is on the wire, and its body."""
    connection = http.client.HTTPConnection(urlsplit(place.url).netloc, timeout=60)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, named)
    response = connection.getresponse()
    raw = response.read()
    connection.close()
    return response, raw


@pytest.mark.parametrize(
    "path", ["/", later("/services"), later("/docs"), "/openapi.json", "/v1/services", later("/nothing/here")]
)
def test_pages_and_json_are_the_same_compressed_and_plain(place: Served, path: str) -> None:
    accept = "text/html" if path.startswith(("/nothing", "/docs")) else "*/*"
    packed, raw = fetch(place, path, **GZIP, accept=accept)
    plain, text = fetch(place, path, accept=accept)
    assert len(text) >= SMALLEST
    assert (packed.headers["content-encoding"], plain.headers["content-encoding"]) == ("gzip", None)
    for each, size in ((packed, len(raw)), (plain, len(text))):
        assert each.headers["content-length"] == str(size)
        assert "Accept-Encoding" in each.headers["vary"]
    assert _steady(gzip.decompress(raw)) == _steady(text)
    head, nothing = fetch(place, path, "HEAD", **GZIP, accept=accept)
    assert (head.status, nothing) == (packed.status, b"")
    assert head.headers["content-encoding"] == "gzip"


def _steady(page: bytes) -> bytes:
    """A page without what is of one request alone."""
    return re.sub(rb"\b\d{10,}\b", b"", page)


@pytest.mark.parametrize("coding", ["gzip", "br"])
def test_a_file_is_compressed_and_has_an_etag_for_each_form(place: Served, coding: str) -> None:
    stored = (ROOT / "web" / CSS[1:]).read_bytes()
    accept = {"accept-encoding": coding}
    packed, raw = fetch(place, CSS, **accept)
    plain, text = fetch(place, CSS)
    assert packed.headers["content-encoding"] == coding
    assert UNPACK[coding](raw) == text == stored
    assert packed.headers["content-length"] == str(len(raw))
    assert packed.headers["content-type"] == plain.headers["content-type"]
    assert packed.headers["etag"] != plain.headers["etag"]
    for each in (packed, plain):
        assert (each.headers["vary"], each.headers["cache-control"]) == ("Accept-Encoding", "no-cache")
    for kind, own, other in ((accept, packed, plain), ({}, plain, packed)):
        same, nothing = fetch(place, CSS, if_none_match=own.headers["etag"], **kind)
        assert (same.status, nothing) == (304, b"")
        assert (same.headers["etag"], same.headers["vary"]) == (own.headers["etag"], "Accept-Encoding")
        assert fetch(place, CSS, if_none_match=other.headers["etag"], **kind)[0].status == 200
    head, nothing = fetch(place, CSS, "HEAD", **accept)
    assert (head.headers["content-length"], nothing) == (packed.headers["content-length"], b"")


def test_a_file_below_the_address_of_all_files_is_kept_for_ever(place: Served) -> None:
    site = page_files(ROOT / "web")
    for path in ("js/page.js", "css/conversation.css", "fonts/hanken-grotesk-latin.woff2", "logo.svg"):
        packed, raw = fetch(place, f"{site.address}/{path}", **GZIP)
        plain, text = fetch(place, f"{site.address}/{path}")
        small = path.endswith((".woff2", "logo.svg"))
        assert packed.headers["content-encoding"] == (None if small else "br")
        assert (raw if small else brotli.decompress(raw)) == text == site.short[path]
        assert packed.headers["vary"] == plain.headers["vary"] == (None if small else "Accept-Encoding")
        assert (packed.headers["etag"] == plain.headers["etag"]) == small
        for each in (packed, plain):
            assert each.headers["cache-control"] == "public, max-age=31536000, immutable"
        same, nothing = fetch(
            place, f"{site.address}/{path}", if_none_match=f"W/{packed.headers['etag']}", **GZIP
        )
        assert (same.status, nothing, same.headers["etag"]) == (304, b"", packed.headers["etag"])
        head, nothing = fetch(place, f"{site.address}/{path}", "HEAD", **GZIP)
        assert (head.status, nothing, head.headers["content-length"]) == (200, b"", str(len(raw)))
    assert fetch(place, f"{site.address}/js/none.js")[0].status == 404
    assert fetch(place, f"{site.address}/../js/page.js")[0].status == 404


def test_a_static_file_has_only_the_security_headers_of_files(place: Served) -> None:
    site = page_files(ROOT / "web")
    for path in (f"{site.address}/js/page.js", f"{site.address}/icons.svg", "/static/sdk/index.js", CSS):
        headers = fetch(place, path)[0].headers
        assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
        assert headers["x-content-type-options"] == "nosniff"
        assert [
            name for name in ("permissions-policy", "cross-origin-opener-policy") if name in headers
        ] == []
    for path in ("/", "/static/none.js"):
        headers = fetch(place, path)[0].headers
        assert "script-src 'self'" in headers["content-security-policy"], path
        assert "camera=(self)" in headers["permissions-policy"], path


@pytest.mark.parametrize("path", ["/", "/embed/demo"])
def test_the_developer_view_names_the_scripts_as_they_were_written(place: Served, path: str) -> None:
    site, name = page_files(ROOT / "web"), "embed.js" if "embed" in path else "page.js"
    for query, address in {"": site.address, "?debug": "/static", "?debug=0": site.address}.items():
        page = fetch(place, path + query)[1].decode()
        assert f'src="{address}/js/{name}" type="module"' in page, query
        named = page.replace(f'data-more="{site.address}/words/', "")
        assert (PREFIX in named) == (address == site.address), query


def test_a_page_of_another_version_gets_the_files_of_this_one_and_keeps_none(place: Served) -> None:
    site = page_files(ROOT / "web")
    answer, raw = fetch(place, f"{PREFIX}0123456789ab/js/page.js")
    assert (answer.status, answer.headers["cache-control"]) == (200, "no-cache")
    assert raw == site.short["js/page.js"]


def test_a_range_request_gets_a_part_of_the_uncompressed_file(place: Served) -> None:
    stored = (ROOT / "web" / CSS[1:]).read_bytes()
    part, raw = fetch(place, CSS, range="bytes=100-1999", **GZIP)
    assert (part.status, raw) == (206, stored[100:2000])
    assert part.headers["content-encoding"] is None


def test_a_font_is_not_compressed_again(place: Served) -> None:
    path = "/static/fonts/hanken-grotesk-latin.woff2"
    font, raw = fetch(place, path, **GZIP)
    assert font.headers["content-encoding"] is None
    assert raw == (ROOT / "web" / path[1:]).read_bytes()


def test_a_ticket_is_never_compressed(place: Served) -> None:
    body = json.dumps({"alias": "a" * 128}).encode()
    headers = {"content-type": "application/json", "origin": place.url}
    answer, raw = fetch(place, "/v1/tickets", "POST", body, **GZIP, **headers)
    assert (answer.status, answer.headers["content-encoding"]) == (200, None)
    assert json.loads(raw)["ticket"]


def test_an_answer_over_agui_is_no_compressed_stream(place: Served) -> None:
    headers = {"content-type": "application/json", "origin": place.url}
    body = json.dumps(body_of("compressed", "run", ("m1", "olá"))).encode()
    answer, raw = fetch(place, "/agui/submission", "POST", body, **GZIP, **headers)
    assert (answer.status, answer.headers["content-encoding"]) == (200, None)
    assert b"RUN_FINISHED" in raw


def test_deep_chats_stream_is_not_compressed(place: Served) -> None:
    headers = {"content-type": "application/json", "accept": "text/event-stream", "origin": place.url}
    answer, raw = fetch(place, "/chat", "POST", json.dumps(chat_body("olá")).encode(), **GZIP, **headers)
    assert answer.status == 200, raw
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["content-encoding"] is None


async def test_a_stream_of_events_is_not_compressed(place: Served, people: Callable[[], Seller]) -> None:
    ticket = people().ticket()
    connection = http.client.HTTPConnection(urlsplit(place.url).netloc, timeout=60)
    bearer = {"authorization": f"Bearer {ticket['ticket']}", **GZIP}
    connection.request("GET", f"/v1/sessions/{ticket['session_id']}/events", headers=bearer)
    response = connection.getresponse()
    assert (response.status, response.headers["content-encoding"]) == (200, None)
    assert response.readline().startswith((b"data: ", b"id: "))
    response.close()
    connection.close()


BOMB = zlib.compressobj(9, zlib.DEFLATED, 31)
PACKED = BOMB.compress(bytes(8 << 20)) + BOMB.flush()
DOORS: list[tuple[str, str]] = [
    ("/v1/tickets", "application/json"),
    ("/v1/sessions", "application/json"),
    ("/agui/submission", "application/json"),
    ("/loopos_ai_translator", "application/json"),
    ("/chat", "application/json"),
    ("/chat", "multipart/form-data; boundary=b"),
    ("/preferences", "application/json"),
    ("/services/translator", "application/x-www-form-urlencoded"),
]


@pytest.mark.parametrize(("path", "kind"), DOORS)
@pytest.mark.parametrize("coding", ["gzip", "identity, gzip", "br"])
def test_a_compressed_body_is_refused_unread(place: Served, path: str, kind: str, coding: str) -> None:
    headers: dict[str, Any] = {"content-type": kind, "content-encoding": coding, "origin": place.url}
    answer, raw = fetch(place, path, "POST", PACKED, **headers)
    assert (answer.status, b"unsupported_media_type" in raw or b"<html" in raw) == (415, True), raw


def test_a_body_with_a_compressed_transfer_is_refused(place: Served) -> None:
    chunk = b"%x\r\n%b\r\n0\r\n\r\n" % (len(PACKED), PACKED)
    connection = http.client.HTTPConnection(urlsplit(place.url).netloc, timeout=60)
    connection.putrequest("POST", "/v1/tickets")
    for name, value in {"transfer-encoding": "gzip, chunked", "content-type": "application/json"}.items():
        connection.putheader(name, value)
    connection.endheaders(chunk)
    assert connection.getresponse().status in {400, 415, 501}
    connection.close()
