"""Callbacks: the client accepts what the server has signed, nothing else, and each once."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from typing import Any

import pytest

from loopwire import BadSignature, Posted, RunEnded, WebhookEvent, callback, verify
from loopwire.callbacks import ELSEWHERE, OK, REFUSED, Recent
from server.callbacks.signing import signature_headers

KEY, OTHER = b"k" * 32, b"o" * 32
SECRET, OTHER_SECRET = (f"whsec_{base64.b64encode(each).decode()}" for each in (KEY, OTHER))
DATA = {
    "session_id": "ses_1",
    "run_id": "run_1",
    "service": "submission",
    "agent": "questions",
    "outcome": "success",
    "code": None,
    "status": "done",
    "state": {"item": 1},
    "messages": [{"id": "msg_1", "role": "user", "content": "olá"}],
}
BODY = json.dumps({"type": "run.finished", "timestamp": "2026-01-31T12:00:00.000Z", "data": DATA}).encode()


def signed(*keys: bytes, id: str = "cbk_1", at: float | None = None, body: bytes = BODY) -> dict[str, str]:
    """Return the headers as the server makes them."""
    return signature_headers(keys or [KEY], id, int(time.time() if at is None else at), body)


def test_a_signed_callback_is_read() -> None:
    ended = verify(signed(), BODY, SECRET)
    assert ended == RunEnded("cbk_1", "ses_1", "run_1", "submission", **rest_of(DATA), data=DATA)


def rest_of(data: dict[str, Any]) -> dict[str, Any]:
    """Return what a run may end with."""
    return {name: data[name] for name in ("outcome", "agent", "code", "status", "state", "messages")}


def test_a_run_that_failed_says_why() -> None:
    data = {**DATA, "outcome": "error", "code": "timeout", "agent": "pictures", "status": "open"}
    body = json.dumps({"type": "run.finished", "data": data}).encode()
    ended = verify(signed(body=body), body, SECRET)
    assert ended == RunEnded("cbk_1", "ses_1", "run_1", "submission", **rest_of(data), data=data)


def test_a_signature_with_something_else_in_it_is_refused() -> None:
    version, _, signature = signed()["webhook-signature"].partition(",")
    for changed in (f"{signature[:8]}!{signature[8:]}", f"{signature}!"):
        with pytest.raises(BadSignature, match="This callback was not signed with this secret"):
            verify({**signed(), "webhook-signature": f"{version},{changed}"}, BODY, SECRET)


@pytest.mark.parametrize(
    "told", [{"texts": {"a": "b"}}, {"error": "timeout", "job_id": "run_1"}, [{"text": "x"}]]
)
def test_the_answer_of_a_request_is_told_as_it_was_posted(told: Any) -> None:
    body = json.dumps(told).encode()
    assert verify(signed(body=body), body, SECRET) == Posted("cbk_1", told)


def test_header_names_are_read_in_any_case() -> None:
    assert verify({name.title(): value for name, value in signed().items()}, BODY, SECRET).id == "cbk_1"


@pytest.mark.parametrize("given", [(KEY, OTHER), (OTHER, KEY), (OTHER,)])
@pytest.mark.parametrize("known", [SECRET, OTHER_SECRET, [SECRET, OTHER_SECRET]])
def test_a_signature_by_the_old_or_the_new_secret_is_accepted(given: tuple[bytes, ...], known: Any) -> None:
    if known == SECRET and given == (OTHER,):
        with pytest.raises(BadSignature):
            verify(signed(*given), BODY, known)
    else:
        assert verify(signed(*given), BODY, known).id == "cbk_1"


@pytest.mark.parametrize(
    "wrong",
    [
        {"webhook-id": "cbk_2"},
        {"webhook-timestamp": "1"},
        {"webhook-timestamp": "soon"},
        {"webhook-signature": ""},
        {"webhook-signature": "v1,"},
        {"webhook-signature": "v1,é"},
        {"webhook-signature": "v2,abc v1a,abc"},
    ],
)
def test_a_callback_with_changed_headers_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(BadSignature):
        verify({**signed(), **wrong}, BODY, SECRET)


def test_a_callback_with_a_changed_body_or_without_headers_is_refused() -> None:
    with pytest.raises(BadSignature):
        verify(signed(), BODY + b" ", SECRET)
    with pytest.raises(BadSignature, match="The headers of a callback are missing"):
        verify({}, BODY, SECRET)


@pytest.mark.parametrize(("seconds", "is_taken"), [(-301, False), (-300, True), (300, True), (301, False)])
def test_a_timestamp_may_differ_by_five_minutes(seconds: int, is_taken: bool) -> None:
    headers = signed(at=1_000_000 + seconds)
    if is_taken:
        assert verify(headers, BODY, SECRET, now=1_000_000).id == "cbk_1"
    else:
        with pytest.raises(BadSignature, match="old"):
            verify(headers, BODY, SECRET, now=1_000_000)


@pytest.mark.parametrize(
    "body", [b"", b"\xff", b'{"type": "run.finished"}', b'{"type": "run.finished", "data": {"run_id": 1}}']
)
def test_a_signed_body_of_another_form_is_refused(body: bytes) -> None:
    with pytest.raises(BadSignature, match="form"):
        verify(signed(body=body), body, SECRET)


async def test_a_callback_is_taken_once() -> None:
    taken: list[str] = []

    @callback(SECRET)
    async def ended(run: RunEnded) -> None:
        taken.append(run.id)

    for id in ("cbk_1", "cbk_1", "cbk_2"):
        assert await ended.take(signed(id=id), BODY) == OK == 204
    assert await ended.take({**signed(id="cbk_3"), "webhook-id": "cbk_4"}, BODY) == REFUSED == 400
    assert taken == ["cbk_1", "cbk_2"]


async def test_a_callback_whose_function_failed_is_taken_again() -> None:
    taken: list[str] = []

    @callback(SECRET)
    def ended(run: RunEnded) -> None:
        taken.append(run.id)
        if len(taken) == 1:
            raise OSError("no disk")

    with pytest.raises(OSError, match="no disk"):
        ended.take_sync(signed(), BODY)
    assert ended.take_sync(signed(), BODY) == OK
    assert await ended.take(signed(), BODY) == OK
    assert taken == ["cbk_1", "cbk_1"]


async def test_a_callback_at_work_is_not_begun_a_second_time() -> None:
    begun, go = asyncio.Event(), asyncio.Event()

    @callback(SECRET)
    async def ended(run: RunEnded) -> None:
        begun.set()
        await go.wait()

    first = asyncio.ensure_future(ended.take(signed(), BODY))
    await begun.wait()
    assert await ended.take(signed(), BODY) == ELSEWHERE
    go.set()
    assert await first == OK


async def test_ids_of_callbacks_may_be_kept_in_a_set_of_the_caller() -> None:
    known: set[str] = {"cbk_1"}
    taken: list[str] = []

    @callback([SECRET], seen=known)
    def ended(run: RunEnded) -> None:
        taken.append(run.id)

    assert await ended.take(signed(), BODY) == OK
    assert await ended.take(signed(id="cbk_2"), BODY) == OK
    assert (taken, known) == (["cbk_2"], {"cbk_1", "cbk_2"})


def test_a_secret_that_is_none_is_told_at_once() -> None:
    for secret in ("whsec_not base64!", "whsec_AAAA!AAAA", ["whsec_AAAA", "whsec_A"]):
        with pytest.raises(ValueError, match="whsec_"):
            callback(secret)


def test_an_async_function_is_not_called_without_a_loop() -> None:
    @callback(SECRET)
    async def ended(run: RunEnded) -> None:
        raise AssertionError

    with pytest.raises(TypeError, match="async function"):
        ended.take_sync(signed(), BODY)


def test_ten_thousand_ids_are_remembered_and_the_oldest_is_forgotten_first() -> None:
    recent = Recent()
    for number in range(10_001):
        recent.add(str(number))
    assert [each in recent for each in ("0", "1", "10000")] == [False, True, True]


EVENT = {
    "type": "item.changed",
    "timestamp": "2026-01-31T12:00:00.000Z",
    "data": {"session_id": "ses_1", "a": 1},
}


def test_an_event_is_read_with_its_conversation() -> None:
    body = json.dumps(EVENT).encode()
    told = verify(signed(body=body), body, SECRET)
    assert told == WebhookEvent("cbk_1", "item.changed", EVENT["timestamp"], "ses_1", EVENT["data"])  # type: ignore[arg-type]
    assert isinstance(told, WebhookEvent) and told.data == EVENT["data"]


@pytest.mark.parametrize(
    "changed", [{"type": "items"}, {"type": None}, {"timestamp": 1}, {"data": {}}, {"data": None}], ids=str
)
def test_a_body_that_only_resembles_an_event_is_a_result(changed: dict[str, Any]) -> None:
    told = {**EVENT, **changed}
    body = json.dumps(told).encode()
    assert verify(signed(body=body), body, SECRET) == Posted("cbk_1", told)


async def test_a_plain_function_may_be_called_in_a_loop_and_one_that_failed_is_not_at_work_any_more() -> None:
    taken: list[str] = []

    @callback(SECRET, tolerance=10.0)
    async def ended(run: RunEnded) -> None:
        taken.append(run.id)
        if len(taken) == 1:
            raise OSError("no disk")

    with pytest.raises(OSError, match="no disk"):
        await ended.take(signed(), BODY)
    assert await ended.take(signed(), BODY) == OK
    assert await ended.take(signed(id="cbk_2", at=time.time() - 60), BODY) == REFUSED
    assert taken == ["cbk_1", "cbk_1"]


def test_a_callback_at_work_without_a_loop_is_not_begun_a_second_time() -> None:
    taken: list[int] = []

    @callback(SECRET)
    def ended(run: RunEnded) -> None:
        taken.append(ended.take_sync(signed(), BODY))

    assert ended.take_sync(signed(), BODY) == OK
    assert taken == [ELSEWHERE] == [409]


def test_fields_that_the_server_leaves_out_are_empty() -> None:
    least = {name: DATA[name] for name in ("session_id", "run_id", "service", "outcome")}
    body = json.dumps({"type": "run.finished", "data": least}).encode()
    assert verify(signed(body=body), body, SECRET) == RunEnded(
        "cbk_1", "ses_1", "run_1", "submission", "success", data=least
    )
