"""Frames that carry no message are counted for their socket and their address, by the settings of both."""

from __future__ import annotations

import logging

import pytest
from websockets.frames import Close, Frame

from server.limits import Limits
from server.ws import frame_parser
from server.ws.frame_parser import FrameCounts, FrameParser
from tests.integration.ws.raw import CLOSE, PING, PONG, TEXT, closing, frame

HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
UNFINISHED = frame(TEXT, fin=False)
KINDS = {
    "pings": (b"", frame(PING)),
    "pongs": (b"", frame(PONG)),
    "continuations": (UNFINISHED, frame(0, fin=False)),
    "texts in two": (b"", UNFINISHED + frame(0)),
}


class Time:
    """A clock that stands until it is moved."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Time:
    return Time()


def counts_of(clock: Time, **limits: str) -> FrameCounts:
    return FrameCounts(Limits(**limits), clock)  # type: ignore[arg-type]


def parser_of(counts: FrameCounts, address: str = "192.0.2.1") -> FrameParser:
    """Shake hands."""
    parser = FrameParser(counts, max_size=1000, logger=logging.getLogger("test"))
    parser.receive_data(HANDSHAKE)
    (request,) = parser.events_received()
    parser.send_response(parser.accept(request))  # type: ignore[arg-type]
    parser.address = address
    return parser


def sent(parser: FrameParser, data: bytes, times: int = 1) -> int | None:
    """Parse the same bytes so often and return the code with which the parser closed."""
    for _ in range(times):
        if parser.parser_exc is None:
            parser.keep(data)
        while parser.parser_exc is None and parser.take_frame(1 << 20):
            pass
    return parser.close_sent.code if isinstance(parser.close_sent, Close) else None


@pytest.mark.parametrize("kind", KINDS)
def test_a_socket_is_closed_with_the_first_frame_too_many(clock: Time, kind: str) -> None:
    first, each = KINDS[kind]
    size = 2 if kind == "texts in two" else 1
    parser = parser_of(counts_of(clock, control_frames_per_socket="20/10s"))
    assert sent(parser, first) is None
    assert sent(parser, each, (20 - bool(first)) // size) is None
    assert sent(parser, each) == 1008


def test_a_socket_may_send_as_many_again_in_the_next_window(clock: Time) -> None:
    parser = parser_of(counts_of(clock, control_frames_per_socket="20/10s,30/1m"))
    assert sent(parser, frame(PING), 20) is None
    clock.now += 10
    assert sent(parser, frame(PING), 10) is None
    assert sent(parser, frame(PING)) == 1008


def test_messages_and_the_goodbye_are_not_counted(clock: Time) -> None:
    parser = parser_of(counts_of(clock, control_frames_per_socket="1/10s"))
    assert sent(parser, frame(PING) + frame(TEXT, b"x") * 50) is None
    assert len(parser.events_received()) == 51
    assert sent(parser, frame(CLOSE, closing(1000))) == 1000


def test_frames_after_our_close_are_counted(clock: Time) -> None:
    parser = parser_of(counts_of(clock, control_frames_per_socket="20/10s"))
    parser.send_close(1000)
    sent(parser, frame(TEXT, b"x"), 20)
    assert parser.parser_exc is None
    sent(parser, frame(TEXT, b"x"))
    assert parser.parser_exc is not None


def test_the_sockets_of_an_address_share_its_limit_and_each_keeps_a_twentieth_of_its_own(clock: Time) -> None:
    counts = counts_of(clock, control_frames_per_socket="100/10s", control_frames_per_address="150/10s")
    first, second, third = (parser_of(counts) for _ in range(3))
    elsewhere = parser_of(counts, "192.0.2.2")
    assert sent(first, frame(PING), 100) is None
    assert sent(second, frame(PING), 50) is None
    assert sent(second, frame(PING)) == 1008
    assert sent(third, frame(PING), 5) is None
    assert sent(elsewhere, frame(PING), 100) is None
    assert sent(third, frame(PING)) == 1008
    clock.now += 10
    assert sent(first, frame(PING), 100) is None


def test_the_number_of_remembered_addresses_is_limited(clock: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_parser, "MOST_ADDRESSES", 3)
    counts = counts_of(clock)
    for number in range(10):
        assert counts.allows(f"192.0.2.{number}", counts.socket())
    assert len(counts.addresses) == 3
    clock.now += 10
    assert counts.allows("192.0.2.99", counts.socket())
    assert counts.addresses == ("192.0.2.99",)


def test_twenty_thousand_addresses_are_remembered(clock: Time) -> None:
    counts = counts_of(clock)
    tally = counts.socket()
    for number in range(20_001):
        counts.allows(f"{number}", tally)
    assert len(counts.addresses) == 20_000
    assert counts.addresses[0] == "1", "the one that was counted first is forgotten first"


def test_the_frames_of_an_address_are_remembered_for_its_longest_window(clock: Time) -> None:
    counts = counts_of(
        clock, control_frames_per_socket="1000/10s", control_frames_per_address="150/10s,200/1m"
    )
    assert sent(parser_of(counts), frame(PING), 150) is None
    clock.now += 10
    later = parser_of(counts)
    assert sent(later, frame(PING), 50) is None
    assert sent(later, frame(PING)) == 1008


@pytest.mark.parametrize(
    ("data", "code", "reason"),
    [
        (UNFINISHED + frame(TEXT), 1002, "expected a continuation frame"),
        (frame(0), 1002, "unexpected continuation frame"),
        (frame(TEXT, b"x" * 1001), 1009, "frame with 1001 bytes exceeds limit of 1000 bytes"),
        (
            frame(TEXT, b"x" * 600, fin=False) + frame(0, b"x" * 401),
            1009,
            "frame with 401 bytes after reading 600 bytes exceeds limit of 1000 bytes",
        ),
        (
            UNFINISHED + frame(0, b"x", fin=False) * 256,
            1009,
            "frame with 1 bytes after reading 255 bytes exceeds limit of 255 bytes",
        ),
        (frame(TEXT, b"x" * 1126), 1009, "frame with 1126 bytes exceeds limit of 1125 bytes"),
    ],
)
def test_a_client_is_told_why_its_frame_is_refused(clock: Time, data: bytes, code: int, reason: str) -> None:
    parser = parser_of(counts_of(clock, control_frames_per_socket="1000/10s"))
    assert sent(parser, data) == code
    assert parser.close_sent is not None
    assert parser.close_sent.reason == reason


def test_a_ping_is_answered_with_what_it_carries(clock: Time) -> None:
    parser = parser_of(counts_of(clock))
    parser.data_to_send()
    sent(parser, frame(PING, b"p"))
    assert parser.data_to_send() == [Frame(PONG, b"p").serialize(mask=False)]  # type: ignore[arg-type]


def test_the_parser_takes_nothing_while_the_rest_of_a_frame_is_missing(clock: Time) -> None:
    parser = parser_of(counts_of(clock))
    whole = frame(TEXT, b"x" * 40)
    parser.keep(whole[:20])
    assert parser.take_frame(1000) == 20
    assert parser.take_frame(1000) == 0
    parser.keep(whole[20:])
    assert parser.take_frame(1000) == len(whole) - 20
    assert parser.take_frame(1000) == 0
