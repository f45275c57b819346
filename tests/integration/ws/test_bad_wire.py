"""Bytes that break the protocol get the right answer at once, and affect no other socket."""

import json
import struct
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.integration.ws.raw import BINARY, CLOSE, PING, PONG, TEXT, Raw, closing, raw
from tests.integration.ws.visitor import Visitor
from tests.parts.server import STRICT, Served, is_ready

HELLO_S = 5.0
"""The promise."""

SLACK_S = 4.0
"""A busy machine's."""

HELLO = json.dumps({"type": "typing"}).encode()


@pytest.fixture
def wire(bare: Served) -> Iterator[Raw]:
    """Yield a connection to the bare server."""
    with raw(bare.url) as connection:
        yield connection


@pytest.fixture(autouse=True)
def _unharmed(bare: Served) -> Iterator[None]:
    """Whatever a test does, the server is still there and has written no traceback."""
    yield
    assert is_ready(bare)
    assert "Traceback" not in bare.log_text()


BROKEN: list[tuple[str, list[tuple[int, bytes, dict[str, object]]], int]] = [
    ("invalid UTF-8", [(TEXT, b"\xff\xfe", {})], 1007),
    ("UTF-8 split wrongly", [(TEXT, b"\xc3", {"fin": False}), (0, b"(", {})], 1007),
    ("unmasked", [(TEXT, HELLO, {"masked": False})], 1002),
    ("compressed without the extension", [(TEXT, HELLO, {"rsv": 0x40})], 1002),
    ("a reserved opcode", [(3, b"", {})], 1002),
    ("a long ping", [(PING, b"x" * 126, {})], 1002),
    ("a fragmented ping", [(PING, b"", {"fin": False})], 1002),
    ("a continuation of nothing", [(0, b"x", {})], 1002),
    ("one byte too long", [(TEXT, b"x" * 65_537, {})], 1009),
    ("fragments too long", [(TEXT, b"x" * 40_000, {"fin": False}), (0, b"x" * 40_000, {})], 1009),
    ("close code 999", [(CLOSE, closing(999), {})], 1002),
    ("close code 1005", [(CLOSE, closing(1005), {})], 1002),
    ("half a close code", [(CLOSE, b"\x03", {})], 1002),
    ("a reason that is no text", [(CLOSE, closing(1000, b"\xff"), {})], 1007),
    ("a proper goodbye", [(CLOSE, closing(4999, b"bye"), {})], 4999),
    ("a binary frame", [(BINARY, b"x", {})], 1003),
    ("a message before the hello", [(TEXT, HELLO, {})], 4401),
    ("a hello with nothing", [(TEXT, b'{"type":"hello"}', {})], 4401),
    ("a ticket that never was", [(TEXT, b'{"type":"hello","ticket":"x"}', {})], 4401),
    ("a token that is none", [(TEXT, b'{"type":"hello","resume_token":"a.b.c"}', {})], 4401),
    ("another version", [(TEXT, b'{"type":"hello","v":99}', {})], 4410),
    ("five bad frames", [(TEXT, b"{", {})] * 5, 4400),
    ("five empty frames", [(TEXT, b"", {})] * 5, 4400),
]


@pytest.mark.parametrize(("_name", "frames", "code"), BROKEN, ids=[each[0] for each in BROKEN])
def test_a_broken_frame_ends_the_socket_with_its_code(
    wire: Raw, _name: str, frames: list[tuple[int, bytes, dict[str, object]]], code: int
) -> None:
    wire.open()
    for opcode, payload, how in frames:
        wire.send(wire.frame(opcode, payload, **how))  # type: ignore[arg-type]
    assert wire.close_code() == code


@pytest.mark.parametrize("size", [2**63 - 1, 2**32, 2**63])
def test_a_declared_size_without_end_is_refused_before_it_comes(wire: Raw, size: int) -> None:
    wire.open()
    wire.send(bytes([0x81, 0xFF]) + struct.pack("!Q", size) + b"\0\0\0\0")
    assert wire.close_code() in {1002, 1009}


def test_a_frame_of_exactly_the_limit_is_judged_by_its_content(wire: Raw) -> None:
    wire.open()
    wire.send(wire.frame(TEXT, b"x" * 65_536))
    opcode, payload = next(wire.frames())
    assert (opcode, json.loads(payload)["code"]) == (TEXT, "bad_json")


def test_the_fields_of_a_frame_that_is_longer_than_any_hello_are_not_judged_before_it(wire: Raw) -> None:
    wire.open()
    for size, code in ((16_384, "bad_frame"), (16_385, "too_long"), (65_536, "too_long")):
        wire.send(wire.frame(TEXT, b'{"type":"hello","v":"x"}' + b" " * (size - 24)))
        opcode, payload = next(wire.frames())
        assert (opcode, json.loads(payload)["code"]) == (TEXT, code)


def test_a_ping_is_answered(wire: Raw) -> None:
    wire.open()
    wire.send(wire.frame(PING, b"hello"))
    assert next(wire.frames()) == (PONG, b"hello")


def test_silence_after_the_handshake_ends_after_five_seconds(wire: Raw) -> None:
    began = time.monotonic()
    wire.open()
    opened = time.monotonic()
    assert wire.close_code() == 4408
    ended = time.monotonic()
    assert ended - began >= HELLO_S - 0.5
    assert ended - opened <= HELLO_S + SLACK_S


HANDSHAKES: list[tuple[str, dict[str, str | None], int]] = [
    ("another page with a protocol of its own", {"Origin": "https://evil.example", "protocol": "chat"}, 403),
    ("a sandboxed page without a protocol", {"Origin": "null", "Sec_WebSocket_Protocol": None}, 403),
    ("two hosts", {"X-First": "1\r\nHost: evil.example"}, 400),
    ("no host", {"Host": None}, 400),
    ("a foreign address", {"path": "http://evil.example/ws"}, 400),
    ("a foreign name for this machine", {"Host": "evil.example", "Origin": "http://evil.example"}, 421),
    ("a foreign name, of a program", {"Host": "evil.example", "Origin": None}, 421),
    ("version 8", {"Sec_WebSocket_Version": "8"}, 426),
    ("no key", {"Sec_WebSocket_Key": None}, 400),
    ("a short key", {"Sec_WebSocket_Key": "abc"}, 400),
    ("another path", {"path": "/nothing"}, 403),
    ("a header of 20 kB", {"X-Long": "x" * 20_000}, 400),
    ("no upgrade", {"Upgrade": None, "Connection": None}, 404),
]


@pytest.mark.parametrize(("_name", "changes", "status"), HANDSHAKES, ids=[each[0] for each in HANDSHAKES])
def test_a_wrong_handshake_is_answered(
    wire: Raw, _name: str, changes: dict[str, str | None], status: int
) -> None:
    wire.send(wire.head(**changes))
    assert wire.status() == status


def test_a_refusal_is_no_error_in_the_log(bare: Served) -> None:
    """The parent takes every refusal for an application that forgot to answer."""
    with raw(bare.url) as wire:
        wire.send(wire.head(Origin="https://evil.example", protocol="chat"))
        assert wire.status() == 403
    assert is_ready(bare)
    assert "handshake" not in bare.log_text()


def test_a_handshake_with_too_many_headers_is_answered(wire: Raw) -> None:
    wire.send(wire.head(**{f"X-{number}": "x" for number in range(200)}))
    assert wire.status() == 400


def test_a_handshake_with_a_body_is_answered(wire: Raw) -> None:
    wire.send(wire.head(**{"Content-Length": "5"}) + b"hello")
    assert wire.status() in {101, 400}


def test_a_post_that_asks_for_an_upgrade_is_answered(wire: Raw) -> None:
    wire.send(wire.head().replace(b"GET", b"POST", 1))
    assert wire.status() in {400, 403, 404, 405}


def test_garbage_and_tls_on_the_plain_port_are_answered(bare: Served) -> None:
    for data in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\0" * 100, b"HELLO\r\n\r\n"):
        with raw(bare.url) as wire:
            wire.send(data)
            assert wire.status() == 400


def test_a_head_that_never_ends_is_cut_off(bare: Served) -> None:
    with raw(bare.url) as silent, raw(bare.url) as slow, raw(bare.url) as long:
        slow.send(b"GET /ws HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        long.send(b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: ")
        with suppress(ConnectionError):
            long.send(b"x" * 20_000)
            long.send(b"x" * 20_000)
        assert long.status() in {0, 400}
        assert silent.ended()
        assert slow.ended()


@pytest.mark.conformance
def test_a_second_head_on_the_same_connection_has_its_deadline_too(wire: Raw) -> None:
    wire.send(b"GET /healthz HTTP/1.1\r\nHost: " + wire.host.encode() + b"\r\n\r\n")
    assert wire.status() == 200
    wire.send(b"GET /healthz HTTP/1.1\r\nHost: ")
    assert wire.ended()


def test_an_unknown_subprotocol_is_told_to_reload(wire: Raw) -> None:
    wire.send(wire.head(protocol="loopwire.v9"))
    assert wire.status() == 101
    assert wire.close_code() == 4410


@pytest.mark.once
def test_a_twenty_first_stranger_of_an_address_is_refused_until_one_leaves(serve_each: object) -> None:
    served = serve_each(STRICT)  # type: ignore[operator]
    strangers = [Raw(served.url) for _ in range(20)]
    try:
        # All at once: the first may not have been sent away for its silence before the last has come.
        for each in strangers:
            each.send(each.head())
        assert [each.status() for each in strangers] == [101] * 20
        with raw(served.url) as late:
            late.send(late.head())
            assert late.status() == 503
        assert [each.close_code() for each in strangers] == [4408] * 20
        with raw(served.url) as later:
            later.open()
    finally:
        for each in strangers:
            each.socket.close()


async def test_bad_frames_of_an_introduced_client_are_answered_and_forgiven(bare: Served) -> None:
    visitor = Visitor(bare)
    talk = await visitor.open()
    for number, (frame, code) in enumerate(
        [
            ("{", "bad_json"),
            ("[]", "bad_frame"),
            ('{"type":"RUN_FINISHED"}', "unknown_type"),
            ('{"type":"message","id":"x","content":[{"type":"text","text":" "}]}', "empty"),
            (
                json.dumps({"type": "message", "id": "x", "content": [{"type": "text", "text": "x" * 8001}]}),
                "too_long",
            ),
            ('{"type":"hello","ticket":"x"}', "bad_frame"),
        ]
    ):
        await talk.send(frame)
        answer = await talk.until(lambda each: each.get("type") == "error")
        assert answer["code"] == code, number
    assert (await talk.say("oi", "c1"))["type"] == "ack"
    await talk.finished()
    await talk.send("{")
    assert await talk.closed() == 4400
    await visitor.aclose()
