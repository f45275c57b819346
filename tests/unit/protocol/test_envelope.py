"""Frames are joined from bytes, and control frames leave out what they do not know."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import Busy, RateLimited
from server.protocol import envelope
from server.protocol.codec import encode_event
from server.protocol.events import text_content

EVENT = encode_event(text_content("msg_1", 'Olá\n"mundo"  '))


def test_a_plain_frame_is_seq_and_event() -> None:
    assert envelope.durable(47, EVENT) == b'{"seq":47,"event":' + EVENT + b"}"


def test_a_frame_tells_its_epoch_and_what_it_stands_for() -> None:
    frame = json.loads(envelope.durable(47, EVENT, epoch="a.1", first=42))
    assert frame == {"seq": 47, "event": json.loads(EVENT), "epoch": "a.1", "from": 42}
    assert "from" not in json.loads(envelope.durable(47, EVENT, first=47))


@given(st.text(), st.text(), st.text())
def test_a_fragment_travels_in_the_same_frame_whatever_it_holds(content: str, target: str, swap: str) -> None:
    fragment = envelope.Fragment(content, target, swap)
    frame = json.loads(envelope.durable(1, EVENT, fragment=fragment))
    assert (frame["content"], frame["target"], frame["swap"]) == (content, target, swap)


def test_a_fragment_is_sent_as_text_without_escapes() -> None:
    frame = envelope.durable(1, EVENT, fragment=envelope.Fragment("<p>Olá, 東京</p>", "#log", "beforeend"))
    assert "<p>Olá, 東京</p>".encode() in frame


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_batch_holds_the_frames_in_order(count: int) -> None:
    frames = [envelope.durable(seq, EVENT) for seq in range(1, count + 1)]
    assert [each["seq"] for each in json.loads(envelope.batch(frames))["batch"]] == list(range(1, count + 1))


def test_control_frames_leave_out_what_has_no_value() -> None:
    assert json.loads(envelope.Ack(id="c1").encode()) == {"type": "ack", "id": "c1"}
    assert json.loads(envelope.Degraded(on=False).encode()) == {"type": "degraded", "on": False}


def test_an_error_frame_shows_the_public_face_of_an_error() -> None:
    def shown(frame: envelope.Error) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(frame.encode())
        return found

    assert shown(envelope.Error.of(RateLimited(retry_after=2.5, id="c9"), "c1")) == {
        "type": "error",
        "code": "rate_limited",
        "message": RateLimited.text,
        "id": "c9",
        "retry": True,
        "retry_after": 2.5,
    }
    assert shown(envelope.Error.of(Busy(), "c1"))["id"] == "c1"


def test_a_frame_tells_its_epoch_alone_or_what_it_stands_for_alone() -> None:
    assert json.loads(envelope.durable(47, EVENT, epoch="a.1")) == {
        "seq": 47,
        "event": json.loads(EVENT),
        "epoch": "a.1",
    }
    merged = {"seq": 47, "event": json.loads(EVENT), "from": 42}
    assert json.loads(envelope.durable(47, EVENT, first=42)) == merged


def test_the_frames_of_a_batch_are_told_one_by_one_and_another_frame_as_it_is() -> None:
    frames = [envelope.durable(seq, EVENT) for seq in (1, 2)]
    assert envelope.frames_of_batch(envelope.batch(frames)) == frames[0] + b"," + frames[1]
    assert envelope.frames_of_batch(frames[0]) == frames[0]


def test_a_notice_names_the_socket_that_caused_it() -> None:
    assert envelope.sender_of(envelope.TypingNotice(from_tab="tab_1").encode()) == "tab_1"
    assert envelope.sender_of(envelope.Degraded(on=True).encode()) is None
