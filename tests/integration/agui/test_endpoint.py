"""The AG-UI endpoint: its callers, its refusals, and its capabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ag_ui.core import AgentCapabilities

from server.protocol.events import ours
from tests.integration.agui.caller import Caller, body_of, told
from tests.parts.sampled import one_of
from tests.parts.server import Served
from tests.unit.protocol.test_events import unknown_fields

pytestmark = pytest.mark.once

NewCaller = Callable[..., Caller]

GOOD = body_of("thread of nobody", "run", ("m1", "olá"))
PICTURE = [{"type": "image", "source": {"type": "url", "value": "https://x.example/a.png"}}]

BAD: dict[str, tuple[Any, int, str, str]] = {
    "no json": (b"{", 400, "bad_json", ""),
    "no thread": ({**GOOD, "threadId": None}, 400, "bad_frame", "threadId"),
    "no run": ({key: GOOD[key] for key in ("threadId", "messages")}, 400, "bad_frame", "runId"),
    "no list": ({**GOOD, "messages": "olá"}, 400, "bad_frame", "messages"),
    "NUL": ({**GOOD, "threadId": "a\0"}, 400, "bad_frame", "threadId"),
    "a control character": ({**GOOD, "runId": "a\x1b"}, 400, "bad_frame", "control characters"),
    "a picture": (
        {**GOOD, "messages": [{"id": "m1", "role": "user", "content": PICTURE}]},
        400,
        "bad_frame",
        "Only text",
    ),
    "nothing to read": (body_of("t", "r", ("m1", " ")), 422, "empty", ""),
    "too many": (body_of("t", "r", *((f"m{n}", "olá") for n in range(5001))), 413, "too_long", "5000"),
    "too long": (body_of("t", "r", ("m1", "a" * 8001)), 413, "too_long", ""),
}


@pytest.fixture
def person(loopwire: Served, caller: NewCaller) -> Caller:
    """Return a caller at the quick server."""
    new = caller(loopwire)
    new.request("GET", "/v1/sessions")
    return new


@pytest.mark.parametrize("name", one_of(3, BAD))
async def test_a_bad_request_for_a_run_is_refused_before_the_stream(person: Caller, name: str) -> None:
    body, status, code, words = BAD[name]
    answer = person.request("POST", "/agui/submission", body)
    assert (answer.status, answer.body["error"]["code"]) == (status, code)
    assert words in answer.body["error"]["message"]


async def test_an_unknown_service_and_a_foreign_page_are_refused(person: Caller) -> None:
    assert person.request("POST", "/agui/nothing", GOOD).status == 404
    foreign = person.request("POST", "/agui/submission", GOOD, headers={"origin": "https://evil.example"})
    assert (foreign.status, foreign.body["error"]["code"]) == (403, "forbidden")


async def test_a_request_without_a_new_message_gets_the_error_nothing_new(person: Caller) -> None:
    body = body_of("thread", "run")
    body["messages"] += [{"id": "a1", "role": "assistant", "content": "Olá."}]
    started, failed = person.post(body, headers={"accept-language": "pt-PT"})
    assert (started["type"], started["threadId"], started["runId"]) == ("RUN_STARTED", "thread", "run")
    assert (failed["type"], failed["code"]) == ("RUN_ERROR", "nothing_new")
    assert failed["message"] == "Não há nenhuma mensagem nova para responder."


async def test_the_same_thread_of_another_visitor_is_another_conversation(
    person: Caller, loopwire: Served, caller: NewCaller
) -> None:
    stranger = caller(loopwire)
    stranger.request("GET", "/v1/sessions")
    body = body_of(person.thread, "run", ("m1", "olá"))
    mine, theirs = (ours(each.post(body)[0])["session_id"] for each in (person, stranger))
    assert mine != theirs


async def test_a_bearer_leads_to_its_own_conversation(loopwire: Served, caller: NewCaller) -> None:
    owner, program = caller(loopwire), caller(loopwire)
    ticket = owner.ticket(service="submission")
    headers = {"authorization": f"Bearer {ticket['ticket']}", "origin": loopwire.url}
    first = program.post(body_of("t", "r1", ("m1", "olá")), headers=headers)
    assert ours(first[0])["session_id"] == ticket["session_id"]
    token = {**headers, "authorization": f"Bearer {ours(first[0])['resume_token']}"}
    again = program.post(body_of("t", "r2", ("m1", "olá"), ("m2", "Polly Magic")), headers=token)
    assert ours(again[0])["session_id"] == ticket["session_id"]
    other_thread = body_of("another", "r3", ("m3", "olá"))
    assert program.request("POST", "/agui/submission", other_thread, headers=token).status == 404
    assert (
        program.request("POST", "/agui/chat", body_of("t", "r4", ("m4", "olá")), headers=token).status == 404
    )
    used = program.request("POST", "/agui/submission", other_thread, headers=headers)
    assert (used.status, used.body["error"]["code"]) == (401, "unauthorized")


async def test_a_caller_without_messages_gets_them_all_and_odd_ids_are_kept(
    loopwire: Served, caller: NewCaller
) -> None:
    first = caller(loopwire)
    await first.begin()
    await first.add("Olá.", id="a very odd id, " * 9)
    known = await first.client.ran(first.agent)
    await first.add("Um")
    await first.add("dois")
    known = await first.client.ran(first.agent)
    said = [each["content"] for each in first.stored(first.session(known)) if each["role"] == "user"]
    assert said == ["Olá.", "Um\ndois"]
    newcomer = caller(loopwire, cookie=first.cookie)
    await newcomer.begin(thread=first.thread)
    ran = await newcomer.say("Polly Magic")
    assert [each["role"] for each in ran.of("TEXT_MESSAGE_START") if each["role"] != "assistant"] == []
    assert ran.of("MESSAGES_SNAPSHOT")[-1]["messages"][-1]["content"] == "Polly Magic"
    assert [told(each) for each in ran.messages] == first.stored(first.session(ran))


@pytest.mark.parametrize("service", ["submission", "chat"])
async def test_the_endpoint_lists_its_capabilities_in_the_terms_of_agui(person: Caller, service: str) -> None:
    answer = person.request("GET", f"/agui/{service}")
    assert answer.status == 200
    said = AgentCapabilities.model_validate(answer.body)
    assert unknown_fields(said) == []
    assert said.identity is not None
    assert said.identity.name == service
    assert said.human_in_the_loop is not None
    assert said.human_in_the_loop.interrupts
    assert said.reasoning is not None
    assert not said.reasoning.supported
