"""Callers of AG-UI that keep no cookie: the server says so, and they go on with the token of their last answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from server.protocol.events import ours
from tests.integration.agui.caller import Caller, body_of, events_in, told
from tests.integration.ws.visitor import Answer
from tests.parts.agui_client import Json
from tests.parts.server import Served

pytestmark = pytest.mark.once

NewCaller = Callable[..., Caller]

EARLIER = [
    {"id": "m1", "role": "user", "content": "olá"},
    {"id": "a1", "role": "assistant", "content": "Olá."},
]


@pytest.fixture
def program(loopwire: Served, caller: NewCaller) -> Caller:
    """Return a caller without a cookie."""
    new = caller(loopwire)
    new.request("GET", "/healthz")  # Its cookie is left out of each request below.
    return new


def run(program: Caller, thread: str, *said: tuple[str, str], token: str = "", **more: Any) -> Answer:
    """Run as `program` does, with a token or without any credential."""
    headers = {"cookie": "", **({"authorization": f"Bearer {token}"} if token else {})}
    body = body_of(thread, f"run-{uuid4()}", *said)
    body["messages"] = [*more.pop("earlier", []), *body["messages"]]
    return program.request("POST", "/agui/submission", {**body, **more}, headers=headers)


def started(answer: Answer) -> Json:
    """Our own data of the start of an answer."""
    assert answer.status == 200, answer.body
    return ours(events_in(answer.body)[0])


def test_the_token_of_each_answer_leads_back_to_its_conversation(program: Caller) -> None:
    thread = str(uuid4())
    first = started(run(program, thread, ("m1", "Polly Magic")))
    second = run(program, thread, ("m2", "sim"), token=first["resume_token"], earlier=EARLIER)
    assert started(second)["session_id"] == first["session_id"]
    whole = [each for each in events_in(second.body) if each["type"] == "MESSAGES_SNAPSHOT"][-1]["messages"]
    assert [each["content"] for each in whole if each["role"] == "user"] == ["Polly Magic", "sim"]
    third = started(run(program, thread, ("m3", "sim"), token=started(second)["resume_token"]))
    assert third["session_id"] == first["session_id"]


def test_a_conversation_that_nobody_owns_is_not_begun_anew(program: Caller) -> None:
    thread = str(uuid4())
    refused = run(program, thread, ("m2", "sim"), earlier=EARLIER)
    assert (refused.status, refused.body["error"]["code"]) == (404, "unknown_thread")
    assert "resume_token" in refused.body["error"]["message"]
    greeting = [{"id": "a0", "role": "assistant", "content": "What do you sell?"}]
    assert started(run(program, thread, ("m1", "olá"), earlier=greeting))


def test_a_second_run_of_a_thread_by_nobody_is_refused_until_the_first_caller_is_back(
    program: Caller,
) -> None:
    thread = str(uuid4())
    first = started(run(program, thread, ("m1", "olá")))
    for _ in range(2):
        refused = run(program, thread, ("m2", "Polly Magic"))
        assert (refused.status, refused.body["error"]["code"]) == (404, "unknown_thread")
    assert started(run(program, thread, ("m2", "Polly Magic"), token=first["resume_token"]))
    other = started(run(program, thread, ("m1", "olá")))
    assert other["session_id"] != first["session_id"]


def test_a_visitor_whose_conversation_is_gone_is_told(program: Caller) -> None:
    program.request("GET", "/v1/sessions")
    body = body_of("gone", "r1", ("m2", "sim"))
    body["messages"] = [*EARLIER, *body["messages"]]
    refused = program.request("POST", "/agui/submission", body)
    assert (refused.status, refused.body["error"]["code"]) == (404, "unknown_thread")


def test_the_credential_that_began_a_run_may_stop_it(
    program: Caller, loopwire: Served, caller: NewCaller
) -> None:
    stop = {"type": "cancel", "id": "stop"}
    first = started(run(program, str(uuid4()), ("m1", "olá")))
    path = f"/v1/sessions/{first['session_id']}/commands"
    bearer = {"cookie": "", "authorization": f"Bearer {first['resume_token']}"}
    assert program.request("POST", path, stop, headers=bearer).status == 200
    assert program.request("POST", path, stop, headers={"cookie": ""}).status == 401
    owner, stranger = caller(loopwire), caller(loopwire)
    for each in (owner, stranger):
        each.request("GET", "/v1/sessions")
    own = ours(owner.post(body_of("mine", "r1", ("m1", "olá")))[0])["session_id"]
    path = f"/v1/sessions/{own}/commands"
    assert owner.request("POST", path, stop).status == 200
    assert stranger.request("POST", path, stop).status == 404
    foreign = {"origin": "https://evil.example"}
    assert owner.request("POST", path, stop, headers=foreign).status == 403
    named, path = {"threadId": "mine"}, "/agui/submission/cancel"
    assert owner.request("POST", path, named).status == 200
    assert owner.request("POST", path, named, headers=foreign).status == 403
    assert owner.request("POST", "/agui/chat/cancel", named).body["error"]["code"] == "unknown_thread"
    for other, headers in ((stranger, {}), (program, {"cookie": ""}), (program, bearer)):
        assert other.request("POST", path, named, headers=headers).body["error"]["code"] == "unknown_thread"
    assert owner.request("POST", path, {"thread_id": "mine"}).body["error"]["code"] == "bad_frame"
    assert [told(each)["role"] for each in owner.stored(own)][:1] == ["user"]
