"""RFC 6455 byte by byte: the frames that a server has to accept, to answer and to refuse, on a raw connection."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator

import pytest

from tests.integration.ws.raw import BINARY, CLOSE, PING, PONG, TEXT, Raw, closing, frame, raw
from tests.parts.sampled import one_of
from tests.parts.server import Served, is_ready

CONTINUATION = 0
BYE = frame(CLOSE, closing(4000))
LIMIT = 65_536

Heard = list[tuple[str, object]]
ANSWER: tuple[str, object] = ("text", "bad_json")
"""What a whole text gets that is no JSON: the sign that it was read."""

ENDED: tuple[str, object] = ("close", 4000)


@pytest.fixture
def wire(bare: Served) -> Iterator[Raw]:
    """Yield an open socket of the bare server."""
    with raw(bare.url) as connection:
        yield connection.open()


@pytest.fixture(autouse=True, scope="module")
def _unharmed(bare: Served) -> Iterator[None]:
    """After all of it the server is still there and has written no traceback."""
    yield
    assert is_ready(bare)
    assert "Traceback" not in bare.log_text()


def read_to_end(wire: Raw) -> Heard:
    """Read to the end of the connection."""
    found: Heard = []
    for opcode, payload in wire.frames():
        if opcode == TEXT:
            found.append(("text", json.loads(payload)["code"]))
        elif opcode == PONG:
            found.append(("pong", payload))
        elif opcode == CLOSE:
            found.append(("close", struct.unpack("!H", payload[:2])[0] if payload else None))
    return found


def text(data: str | bytes, **how: object) -> bytes:
    return frame(TEXT, data.encode() if isinstance(data, str) else data, **how)  # type: ignore[arg-type]


def more(data: bytes = b"", *, fin: bool = False) -> bytes:
    return frame(CONTINUATION, data, fin=fin)


def started(data: bytes = b"", opcode: int = TEXT) -> bytes:
    return frame(opcode, data, fin=False)


GOOD: dict[str, tuple[bytes, Heard]] = {
    **{f"a text of {size} bytes": (text("x" * size), [ANSWER]) for size in (0, 1, 125, 126, 127, 65_535, LIMIT)},
    "a size in two bytes that fits one": (text("x" * 5, length=126), [ANSWER]),
    "a size in eight bytes that fits one": (text("x" * 5, length=127), [ANSWER]),
    **{
        f"the mask {mask.hex()}": (text("x" * 9, mask=mask), [ANSWER])
        for mask in (b"\xff" * 4, b"\1\2\3\4", b"\0\0\0\xff")
    },
    "two texts in one segment": (text("x") + text("y"), [ANSWER, ANSWER]),
    "two fragments": (started(b"x") + more(b"y", fin=True), [ANSWER]),
    "three fragments": (started(b"x") + more(b"y") + more(b"z", fin=True), [ANSWER]),
    "an empty first fragment": (started() + more(b"y", fin=True), [ANSWER]),
    "an empty fragment in the middle": (started(b"x") + more() + more(b"z", fin=True), [ANSWER]),
    "an empty last fragment": (started(b"x") + more(fin=True), [ANSWER]),
    "empty fragments only": (started() + more() + more(fin=True), [ANSWER]),
    "two fragmented texts": ((started(b"x") + more(b"y", fin=True)) * 2, [ANSWER, ANSWER]),
    "a whole text after a fragmented one": (started(b"x") + more(b"y", fin=True) + text("z"), [ANSWER, ANSWER]),
    "as many fragments as are taken": (started(b"x") + more(b"y") * 254 + more(b"z", fin=True), [ANSWER]),
    "fragments of the limit together": (started(b"x" * 40_000) + more(b"x" * 25_536, fin=True), [ANSWER]),
    "a ping between fragments": (started(b"x") + frame(PING, b"p") + more(b"y", fin=True), [("pong", b"p"), ANSWER]),
    "a pong between fragments": (started(b"x") + frame(PONG, b"p") + more(b"y", fin=True), [ANSWER]),
    "three pings between fragments": (
        started(b"x") + frame(PING, b"1") + more(b"y") + frame(PING, b"2") + frame(PING) + more(fin=True),
        [("pong", b"1"), ("pong", b"2"), ("pong", b""), ANSWER],
    ),
    "a long ping where hardly a byte of the text is left": (
        started(b"x" * 65_530) + frame(PING, b"p" * 125) + more(b"y" * 6, fin=True),
        [("pong", b"p" * 125), ANSWER],
    ),
    "an empty ping": (frame(PING), [("pong", b"")]),
    "a ping of 125 bytes": (frame(PING, b"p" * 125), [("pong", b"p" * 125)]),
    "a ping that is no text": (frame(PING, b"\xff\0\xfe"), [("pong", b"\xff\0\xfe")]),
    "ten pings": (
        b"".join(frame(PING, b"%d" % number) for number in range(10)),
        [("pong", b"%d" % number) for number in range(10)],
    ),
    "a pong that nobody asked for": (frame(PONG, b"p"), []),
    "ten empty pongs": (frame(PONG) * 10, []),
    **{
        f"the text {value!a}": (text(value), [ANSWER])
        for value in ("κόσμε", "\U0010ffff", "\uffff", "\ud7ff", "\ue000", "\ufeff", "\x00", "🙂", "\x7f\x80")
    },
    "a character over two fragments": (started(b"\xc3") + more(b"\xa9", fin=True), [ANSWER]),
    "a character over four fragments": (
        started(b"\xf0") + more(b"\x9f") + more(b"\x99") + more(b"\x82", fin=True),
        [ANSWER],
    ),
    "a character around a ping": (
        started(b"\xe2\x82") + frame(PING) + more(b"\xac", fin=True),
        [("pong", b""), ANSWER],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_valid_frames_are_read_and_the_close_is_returned(wire: Raw, name: str) -> None:
    sent, expected = GOOD[name]
    wire.send(sent + BYE)
    assert read_to_end(wire) == [*expected, ENDED]


@pytest.mark.parametrize(
    "name", ["two fragments", "a ping between fragments", "a character over four fragments"]
)
def test_frames_sent_byte_by_byte_are_read_the_same(wire: Raw, name: str) -> None:
    sent, expected = GOOD[name]
    for byte in sent + BYE:
        wire.send(bytes([byte]))
    assert read_to_end(wire) == [*expected, ENDED]


NO_OPCODES = (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)
NO_TEXTS = {
    "an overlong slash in two bytes": b"\xc0\xaf",
    "an overlong slash in three": b"\xe0\x80\xaf",
    "an overlong slash in four": b"\xf0\x80\x80\xaf",
    "an overlong NUL": b"\xc0\x80",
    "the first half of a surrogate pair": b"\xed\xa0\x80",
    "the last surrogate": b"\xed\xbf\xbf",
    "a pair of surrogates": b"\xed\xa0\xbd\xed\xb8\x80",
    "a character after the last": b"\xf4\x90\x80\x80",
    "a sequence of five bytes": b"\xf8\x88\x80\x80\x80",
    "FE": b"\xfe",
    "FF": b"\xff",
    "a lone continuation byte": b"\x80",
    "two bytes, the second missing": b"x\xc3",
    "three bytes, the third missing": b"x\xe2\x82",
    "four bytes, the fourth missing": b"x\xf0\x9f\x99",
    "a broken character amid good ones": "olá ".encode() + b"\xce" + b" sim",
}
BROKEN: dict[str, tuple[bytes, Heard]] = {
    **{f"opcode {code}": (frame(code), [("close", 1002)]) for code in NO_OPCODES},
    **{f"opcode {code} with words": (frame(code, b"words"), [("close", 1002)]) for code in NO_OPCODES},
    **{f"reserved bits {bits} of a text": (text("x", rsv=bits << 4), [("close", 1002)]) for bits in range(1, 8)},
    **{f"reserved bits {bits} of a ping": (frame(PING, rsv=bits << 4), [("close", 1002)]) for bits in range(1, 8)},
    "a reserved bit of a continuation": (started(b"x") + frame(0, b"y", rsv=0x40), [("close", 1002)]),
    "a reserved bit of a close": (frame(CLOSE, closing(1000), rsv=0x20), [("close", 1002)]),
    **{
        f"opcode {code} without a mask": (frame(code, b"", mask=None), [("close", 1002)])
        for code in (TEXT, BINARY, CLOSE, PING, PONG)
    },
    "a continuation without a mask": (started(b"x") + frame(0, b"y", mask=None), [("close", 1002)]),
    **{
        f"opcode {code} of 126 bytes": (frame(code, b"\x03\xe8" + b"x" * 124), [("close", 1002)])
        for code in (CLOSE, PING, PONG)
    },
    **{f"opcode {code} as a fragment": (frame(code, fin=False), [("close", 1002)]) for code in (8, 9, 10)},
    "a long ping between fragments": (started(b"x") + frame(PING, b"p" * 126), [("close", 1002)]),
    "a continuation of nothing": (more(b"x", fin=True), [("close", 1002)]),
    "a continuation of nothing that goes on": (more(b"x"), [("close", 1002)]),
    "a continuation after the last": (
        started(b"x") + more(b"y", fin=True) + more(b"z", fin=True),
        [ANSWER, ("close", 1002)],
    ),
    "a text between fragments": (started(b"x") + text("y"), [("close", 1002)]),
    "a fragment of another text between fragments": (started(b"x") + started(b"y"), [("close", 1002)]),
    "a binary frame between fragments": (started(b"x") + frame(BINARY, b"y"), [("close", 1002)]),
    "a good text, then a reserved opcode": (text("x") + frame(3), [ANSWER, ("close", 1002)]),
    "a ping, then a reserved opcode": (frame(PING, b"p") + frame(3), [("pong", b"p"), ("close", 1002)]),
    "one byte too long": (text("x" * (LIMIT + 1)), [("close", 1009)]),
    "far too long": (text("x" * (4 * LIMIT)), [("close", 1009)]),
    "a size of eight bytes that says a terabyte": (b"\x81\xff" + struct.pack("!Q", 1 << 40), [("close", 1009)]),
    "fragments one byte too long": (started(b"x" * LIMIT) + more(b"y", fin=True), [("close", 1009)]),
    "one fragment too many": (started(b"x") + more(b"y") * 256, [("close", 1009)]),
    "one empty fragment too many": (started() + more() * 256, [("close", 1009)]),
    "a binary frame": (frame(BINARY, b"x"), [("close", 1003)]),
    "an empty binary frame": (frame(BINARY), [("close", 1003)]),
    "a binary frame in fragments": (started(b"\xff", BINARY) + more(b"\xfe", fin=True), [("close", 1003)]),
    **{name: (text(value), [("close", 1007)]) for name, value in NO_TEXTS.items()},
    "no text at the end of fragments": (started(b"x") + more(b"\xff", fin=True), [("close", 1007)]),
    "no text in the first of fragments": (started(b"\xff") + more(b"x", fin=True), [("close", 1007)]),
    "a character that a fragment breaks": (started(b"\xc3") + more(b"(", fin=True), [("close", 1007)]),
    "a character that never ends": (started(b"\xe2") + more(b"\x82") + more(fin=True), [("close", 1007)]),
    "a good text, then none": (text("x") + text(b"\xff"), [ANSWER, ("close", 1007)]),
    "no text, then a goodbye in the same segment": (text(b"\xff") + BYE, [("close", 1007)]),
}  # fmt: skip


@pytest.mark.parametrize("name", one_of(3, BROKEN))
def test_an_invalid_frame_closes_the_socket_with_its_code(wire: Raw, name: str) -> None:
    sent, expected = BROKEN[name]
    wire.send(sent)
    assert read_to_end(wire) == expected


CODES = (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999)
NO_CODES = (0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535)
CLOSES: dict[str, tuple[bytes, object]] = {
    "nothing": (b"", None),
    **{f"{code}": (closing(code), code) for code in CODES},
    "a reason": (closing(1000, "tchau, até amanhã".encode()), 1000),
    "the longest reason": (closing(4000, b"x" * 123), 4000),
    "half a code": (b"\x03", 1002),
    **{f"{code}, which is none": (closing(code), 1002) for code in NO_CODES},
    "a reason too long": (closing(1000, b"x" * 124), 1002),
    "a reason that is no text": (closing(1000, b"\xff"), 1007),
    "a reason with half a character": (closing(1000, b"\xe2\x82"), 1007),
}


@pytest.mark.parametrize("name", CLOSES)
def test_a_close_frame_is_returned_or_refused_by_its_code(wire: Raw, name: str) -> None:
    payload, code = CLOSES[name]
    wire.send(frame(CLOSE, payload))
    assert read_to_end(wire) == [("close", code)]


@pytest.mark.parametrize("name", ["nothing", "1000", "4999", "half a code", "a reason that is no text"])
def test_a_close_between_fragments_is_a_close(wire: Raw, name: str) -> None:
    """Section 5.4: a control frame may stand in the middle of a fragmented message, the close frame too."""
    payload, code = CLOSES[name]
    wire.send(started(b"x") + more(b"y") + frame(CLOSE, payload))
    assert read_to_end(wire) == [("close", code)]


def test_frames_after_a_close_are_not_answered(wire: Raw) -> None:
    wire.send(BYE + frame(PING, b"p") + text("x") + BYE)
    assert read_to_end(wire) == [ENDED]


def test_the_close_of_the_server_waits_for_the_answer_of_the_client(wire: Raw) -> None:
    wire.send(frame(BINARY))
    assert next(wire.frames()) == (CLOSE, closing(1003, b"text frames only"))
    wire.send(frame(CLOSE, closing(1003)))
    assert wire.ended()


HANDSHAKES: dict[str, tuple[dict[str, str | None], int]] = {
    "the usual one": ({}, 101),
    "no origin, as from a program": ({"Origin": None}, 101),
    "two wishes of a connection": ({"Connection": "keep-alive, Upgrade"}, 101),
    "other letters": ({"Connection": "uPGRADE", "Upgrade": "WebSocket"}, 101),
    "another protocol too, and ours": ({"Sec_WebSocket_Protocol": "chat, loopwire.v1"}, 101),
    "an extension that we do not speak": ({"Sec_WebSocket_Extensions": "permessage-deflate"}, 101),
    "no wish to be upgraded": ({"Connection": "keep-alive"}, 404),
    "no upgrade": ({"Upgrade": None}, 404),
    "another upgrade": ({"Upgrade": "h2c"}, 404),
    "no key": ({"Sec_WebSocket_Key": None}, 400),
    "a key that is no base64": ({"Sec_WebSocket_Key": "?" * 24}, 400),
    "a key of 15 bytes": ({"Sec_WebSocket_Key": "A" * 20}, 400),
    "a key of 17 bytes": ({"Sec_WebSocket_Key": "A" * 22 + "A="}, 400),
    "a body": ({"Content_Length": "5"}, 400),
    "protocols that are none": ({"Sec_WebSocket_Protocol": "a b"}, 400),
    **{
        f"version {version}": ({"Sec_WebSocket_Version": version}, 426)
        for version in ("0", "8", "14", "013", "x", "13, 8")
    },
    "no version": ({"Sec_WebSocket_Version": None}, 426),
}  # fmt: skip


@pytest.mark.parametrize("name", HANDSHAKES)
def test_each_handshake_gets_its_status(bare: Served, name: str) -> None:
    changes, expected = HANDSHAKES[name]
    with raw(bare.url) as wire:
        wire.send(wire.head(**changes))
        status, headers = wire.answer()
    assert status == expected
    if status == 101:
        assert headers["sec-websocket-protocol"] == "loopwire.v1"
        assert "sec-websocket-extensions" not in headers
    if status == 426:
        assert headers["sec-websocket-version"] == "13"
        assert headers["upgrade"] == "websocket"


def test_the_key_of_the_standard_gets_the_answer_of_the_standard(bare: Served) -> None:
    with raw(bare.url) as wire:
        wire.send(wire.head(Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZQ=="))
        status, headers = wire.answer()
    assert (status, headers["sec-websocket-accept"]) == (101, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")


def test_a_list_of_a_header_over_several_lines_is_accepted(bare: Served) -> None:
    with raw(bare.url) as wire:
        wire.send(
            wire.head().replace(b"Connection: Upgrade", b"Connection: Upgrade\r\nConnection: keep-alive")
        )
        assert wire.status() == 101


@pytest.mark.parametrize(
    "twice", [b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]
)
def test_a_repeated_single_header_is_refused(bare: Served, twice: bytes) -> None:
    with raw(bare.url) as wire:
        wire.send(wire.head().replace(b"\r\n\r\n", b"\r\n" + twice + b"\r\n\r\n"))
        assert wire.status() in {400, 426}


@pytest.mark.parametrize("version", [b"HTTP/1.0", b"HTTP/0.9", b"HTTP/2.0"])
def test_an_upgrade_needs_http_1_1(bare: Served, version: bytes) -> None:
    with raw(bare.url) as wire:
        wire.send(wire.head().replace(b"HTTP/1.1", version))
        assert wire.status() in {400, 404, 426, 505}


@pytest.mark.parametrize("method", [b"POST", b"HEAD", b"OPTIONS", b"PUT"])
def test_an_upgrade_needs_a_get(bare: Served, method: bytes) -> None:
    with raw(bare.url) as wire:
        wire.send(wire.head().replace(b"GET", method, 1))
        assert 400 <= wire.status() < 500


@pytest.mark.parametrize("apart", [False, True], ids=["in the same segment", "after it"])
def test_frames_before_the_handshake_answer_are_answered_after_it(bare: Served, apart: bool) -> None:
    with raw(bare.url) as wire:
        early = frame(PING, b"early") + text("x") + BYE
        for each in (wire.head(), early) if apart else (wire.head() + early,):
            wire.send(each)
        assert wire.status() == 101
        assert read_to_end(wire) == [("pong", b"early"), ANSWER, ENDED]
