"""Commands by POST: the frames of a socket, their answers and their limits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.integration.api.conftest import Opening
from tests.integration.api.test_stream import LONG, line_of
from tests.integration.ws.visitor import Visitor

pytestmark = pytest.mark.once

WRONG: list[tuple[Any, int, str]] = [
    (b"{", 400, "bad_json"),
    ({"type": "unheard"}, 400, "unknown_type"),
    ({"type": "message", "id": "m1"}, 400, "bad_frame"),
    ({"type": "hello", "ticket": "x"}, 400, "bad_frame"),
    ({"type": "message", "id": "m1", "content": [{"type": "text", "text": " "}]}, 422, "empty"),
    ({"type": "message", "id": "m1", "content": [{"type": "text", "text": "x" * 8001}]}, 413, "too_long"),
    (json.dumps({"type": "message", "id": "m1", "x": "x" * 70_000}).encode(), 413, "too_long"),
    ({"type": "feedback", "id": "m1", "message_id": "msg_none", "value": "up"}, 404, "not_found"),
]


@pytest.mark.parametrize(("frame", "status", "code"), WRONG, ids=lambda value: str(value)[:40])
async def test_a_wrong_frame_is_answered_as_on_a_socket(
    streamed: Opening, frame: Any, status: int, code: str
) -> None:
    talk = await streamed()
    answer = await line_of(talk).post(frame)
    told = answer.json()
    assert (answer.status_code, told["type"], told["code"]) == (status, "error", code)
    assert told.get("id") == (
        "m1" if b"m1" in answer.request.content and len(answer.request.content) < 65_536 else None
    )


async def test_the_media_type_is_json(streamed: Opening) -> None:
    talk = await streamed()
    for headers in ({"content-type": "text/plain"}, {"content-encoding": "gzip"}):
        answer = await line_of(talk).post({"type": "typing"}, **headers)
        assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


async def test_the_same_id_is_one_message_and_another_body_is_refused(streamed: Opening) -> None:
    talk = await streamed()
    first = await talk.say(LONG, "c1")
    again = await line_of(talk).post(
        {"type": "message", "id": "c1", "content": [{"type": "text", "text": LONG}]}
    )
    assert again.json() == {**first, "dup": True}
    other = await line_of(talk).post(
        {"type": "message", "id": "c1", "content": [{"type": "text", "text": "x"}]}
    )
    assert (other.status_code, other.json()["code"], other.json()["id"]) == (409, "id_reused", "c1")


async def test_a_sixth_bad_frame_is_refused_as_malformed(streamed: Opening) -> None:
    talk = await streamed()
    wrong = {"type": "message", "id": "m1", "content": "Olá"}
    answers = [await line_of(talk).post(wrong) for _ in range(6)]
    assert [each.json()["code"] for each in answers] == ["bad_frame"] * 5 + ["malformed"]
    last = answers[-1].json()
    assert (answers[-1].status_code, last["retry"], last["id"]) == (400, False, "m1")
    assert "content: Input should be a valid list" in last["message"]
    large = await line_of(talk).post(wrong | {"content": "x" * 8_192})
    assert (large.json()["code"], large.json().get("id")) == ("malformed", None), "it is not judged"
    assert (await line_of(talk).post({"type": "typing"})).status_code == 200


@pytest.mark.conformance
async def test_a_repeated_message_is_accepted_up_to_the_limit_of_repeats(streamed: Opening) -> None:
    talk = await streamed()
    again = {"type": "message", "id": "same", "content": [{"type": "text", "text": LONG}]}
    answers = [await line_of(talk).post(again) for _ in range(141)]
    assert [each.status_code for each in answers] == [200] * 140 + [429]
    assert [each.json().get("dup") for each in answers[:140]] == [None, *[True] * 139]


@pytest.mark.conformance
async def test_a_session_has_the_limits_that_a_socket_has(streamed: Opening, guest: Visitor) -> None:
    talk = await streamed()
    said = [{"type": "text", "text": LONG}]
    answers = [
        await line_of(talk).post({"type": "message", "id": f"m{number}", "content": said})
        for number in range(21)
    ]
    assert {each.status_code for each in answers[:4]} == {200}
    assert {each.json().get("code") for each in answers[4:20]} <= {None, "busy"}
    refused = answers[-1]
    assert (refused.status_code, refused.json()["code"], refused.json()["id"], refused.json()["retry"]) == (
        429,
        "rate_limited",
        "m20",
        True,
    )
    assert int(refused.headers["retry-after"]) >= 1
    typed = [await line_of(talk).post({"type": "typing"}) for _ in range(121)]
    assert {each.status_code for each in typed[:120]} == {200}
    assert typed[-1].status_code == 429
    line = line_of(talk)
    line.token = guest.ticket(session_id=talk.session)["ticket"]
    by_ticket = [(await line.post({"type": "typing"})).status_code for _ in range(2)]
    assert by_ticket == [429, 429], "what is refused for now does not spend a ticket"
