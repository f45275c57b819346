"""The interrupts that wait for a person or a page, by AG-UI's own ways: resume entries, and messages of tools."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from server.protocol.events import ours
from tests.integration.agui.caller import MOST_MESSAGES, Caller, body_of, next_text, told
from tests.integration.conversation.models import Remote, remote
from tests.modelserver import Scripted
from tests.modelserver.plan import Call, Plan
from tests.parts.agui_client import Json, Ran
from tests.parts.model import Model
from tests.parts.sampled import later
from tests.parts.server import Backend, Served, apart, served

pytestmark = pytest.mark.once

NewCaller = Callable[..., Caller]

QUESTIONS = {
    "type": "object",
    "properties": {"size": {"type": "string", "enum": ["S", "M"]}},
    "required": ["size"],
}
WHERE = {
    "name": "where",
    "description": "Where the person is.",
    "parameters": {"type": "object", "properties": {}},
}


@pytest.fixture(scope="module")
def asking(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield a server whose app wants a person's yes before an item is made."""
    file: Path = tmp_path_factory.mktemp("apps") / "apps.toml"
    file.write_text('[demo]\napprovals = ["create_item"]\n')
    pace = {"LOOPWIRE_APPS": str(file), "LOOPWIRE_DEMO_DELAY_MS": "0"}
    with apart(backend) as own, served({**pace, **own.environment}) as running:
        yield running


@pytest.fixture(scope="module")
def scripted(backend: Backend) -> Iterator[Remote]:
    """Yield a server whose model says what a test wants."""
    with apart(backend) as own, remote("responses", own.environment) as running:
        yield running


@pytest.fixture
async def model(scripted: Remote) -> AsyncIterator[Model]:
    """Yield the model of that server, with nothing to say yet."""
    async with scripted.model(Scripted()) as server:
        yield Model(server)


@pytest.fixture
async def person(scripted: Remote, caller: NewCaller) -> Caller:
    """Return a caller in the chat of that server."""
    new = caller(scripted.served, service="chat")
    await new.begin()
    return new


def calls(model: Model, *called: Call) -> None:
    """Have the next request answered by calls."""
    model.script.extend([Plan(list(called))])


def knows_all(caller: Caller, ran: Ran) -> None:
    """The client has just what is stored, but for its own names of its tools' results."""
    assert ran.error is None
    stored = [told(each) for each in caller.stored(caller.session(ran))]
    assert [content_of(each) for each in ran.messages] == [content_of(each) for each in stored]


def content_of(message: Json) -> Json:
    """Return a message without the id of a result, which each side names its own way."""
    shown = told(message)
    return {key: value for key, value in shown.items() if message["role"] != "tool" or key == "toolCallId"}


async def until_asked(seller: Caller) -> Ran:
    """Go on selling until a person's yes is wanted."""
    text: str | None = "Polly Magic"
    for _ in range(MOST_MESSAGES):
        assert text is not None
        ran = await seller.say(text)
        if ran.outcome == "interrupt":
            return ran
        text = next_text(ran)
    raise AssertionError("nobody asked")


@pytest.mark.parametrize("approved", [True, later(False)])
async def test_an_approval_is_answered_once_by_a_resume_entry(
    asking: Served, caller: NewCaller, approved: bool
) -> None:
    seller = caller(asking)
    await seller.begin()
    asked = await until_asked(seller)
    (interrupt,) = asked.after["pendingInterrupts"]
    assert interrupt["toolCallId"] in {each["toolCallId"] for each in asked.of("TOOL_CALL_START")}
    assert ours(interrupt)["kind"] == "approval"
    entry = {"interruptId": interrupt["id"], "status": "resolved", "payload": {"approved": approved}}
    ran = await seller.client.ran(seller.agent, parameters={"runId": "answer", "resume": [entry]})
    assert ran.outcome == "success"
    assert ran.after["pendingInterrupts"] == []
    knows_all(seller, ran)
    assert ("item_id" in ran.after["state"]) == approved
    again = seller.post(body_of(seller.thread, "answer", resume=[entry]))
    assert ours(again[0])["run_id"] == ours(ran.events[0])["run_id"]
    assert new_statuses(again)[0] == ("answered" if approved else "declined")
    answered = body_of(seller.thread, "another", resume=[entry])
    late = seller.request("POST", f"/agui/{seller.service}", answered)
    assert (late.status, late.body["error"]["code"]) == (409, "answered")


@pytest.mark.conformance
@pytest.mark.parametrize(("number", "approved"), [("1", True), later("2", False)])
async def test_an_approval_that_is_a_text_is_answered_by_its_number(
    asking: Served, caller: NewCaller, number: str, approved: bool
) -> None:
    seller = caller(asking)
    await seller.begin()
    asked = await until_asked(seller)
    seller.service = "submission?blocks=text"
    shown = seller.post(body_of(seller.thread, "shown"))
    assert "1. " in [each for each in shown if each["type"] == "TEXT_MESSAGE_CONTENT"][-1]["delta"]
    answered = seller.post(body_of(seller.thread, "answer", ("n1", number)))
    blocks = [each["content"] for each in seller.stored(seller.session(asked)) if "activityType" in each]
    (approval,) = [each for each in blocks if each.get("kind") == "approval"]
    assert approval["status"] == ("answered" if approved else "declined")
    again = seller.post(body_of(seller.thread, "once more", ("n1", number)))
    assert ours(again[0])["run_id"] == ours(answered[0])["run_id"]


async def test_a_form_is_answered_and_a_bad_answer_says_why(model: Model, person: Caller) -> None:
    calls(model, Call("ask_user", {"message": "Que tamanho?", "questions": QUESTIONS}))
    asked = await person.say("Quero ajuda.")
    assert asked.outcome == "interrupt"
    (interrupt,) = asked.after["pendingInterrupts"]
    assert interrupt["responseSchema"]["required"] == ["size"]
    bad = {"interruptId": interrupt["id"], "status": "resolved", "payload": {"size": "XL"}}
    refused = person.request("POST", f"/agui/{person.service}", body_of(person.thread, "bad", resume=[bad]))
    assert (refused.status, refused.body["error"]["code"]) == (422, "bad_answer")
    model.will_say("Um M, então.")
    good = {**bad, "payload": {"size": "M"}}
    ran = await person.client.ran(person.agent, parameters={"resume": [good]})
    assert (ran.outcome, ran.text()) == ("success", "Um M, então.")
    knows_all(person, ran)


async def test_another_message_closes_an_open_question(model: Model, person: Caller) -> None:
    calls(model, Call("ask_user", {"message": "Que tamanho?", "questions": QUESTIONS}))
    asked = await person.say("Quero ajuda.")
    (interrupt,) = asked.after["pendingInterrupts"]
    model.will_say("Está bem.")
    said = await person.add("Deixa estar.")
    left = {"interruptId": interrupt["id"], "status": "cancelled"}
    ran = await person.client.ran(person.agent, parameters={"resume": [left]})
    assert (ran.outcome, ran.text()) == ("success", "Está bem.")
    knows_all(person, ran)
    again = person.post(body_of(person.thread, "again", (said, "Deixa estar."), resume=[left]))
    assert ours(again[0])["run_id"] == ours(ran.events[0])["run_id"]
    assert new_statuses(again) == ["closed"]


def new_statuses(events: list[Json]) -> list[str]:
    """Return what becomes of the blocks of earlier runs, as an answer tells it; one that begins after its run does so
    too.
    """
    patches = [each["patch"] for each in events if each["type"] == "ACTIVITY_DELTA"]
    return [each["value"] for patch in patches for each in patch if each["path"] == "/status"]


async def answer_call(person: Caller, ran: Ran, content: str) -> None:
    """Let the agent know what its tool gave, as a page does."""
    (call,) = ran.pending_calls
    message = {"id": f"result of {call}", "role": "tool", "toolCallId": call, "content": content}
    await person.client.do("say", agent=person.agent, message=message)


async def test_a_tool_of_the_page_is_called_and_its_message_goes_on(model: Model, person: Caller) -> None:
    tools: dict[str, Any] = {"tools": [WHERE]}
    calls(model, Call("where", {}))
    await person.add("Onde estou?")
    asked = await person.client.ran(person.agent, parameters=tools)
    assert (asked.outcome, asked.after["pendingInterrupts"]) == ("success", [])
    await answer_call(person, asked, "Lisboa")
    calls(model, Call("where", {}))
    again = await person.client.ran(person.agent, parameters=tools)
    assert again.of("TOOL_CALL_RESULT") == []
    await answer_call(person, again, "Porto")
    model.will_say("No Porto.")
    ran = await person.client.ran(person.agent, parameters=tools)
    assert (ran.outcome, ran.text(), ran.pending_calls) == ("success", "No Porto.", [])
    knows_all(person, ran)
    nothing = await person.client.ran(person.agent, parameters=tools)
    assert nothing.types() == ["RUN_STARTED", "RUN_ERROR"]


@pytest.mark.conformance
async def test_a_client_before_1_0_finds_the_calls_of_its_page_in_the_stream(
    model: Model, person: Caller
) -> None:
    calls(model, Call("where", {}))
    taken = {**WHERE, "name": "ask_user"}
    asking = body_of("older", "r1", ("m1", "Onde estou?"), tools=[WHERE, taken])
    events = await asyncio.to_thread(person.post, asking)
    assert events[0]["metadata"]["loopwire"]["ignored_tools"] == ["ask_user"]
    assert "outcome" not in events[-1]
    (started,) = [each for each in events if each["type"] == "TOOL_CALL_START"]
    assert [each for each in events if each["type"] == "TOOL_CALL_RESULT"] == []
    model.will_say("Em Lisboa.")
    body = body_of("older", "r2", ("m1", "Onde estou?"))
    call = {"id": started["toolCallId"], "type": "function", "function": {"name": "where", "arguments": "{}"}}
    result = {"id": "t1", "role": "tool", "toolCallId": started["toolCallId"], "content": "Lisboa"}
    body["messages"] += [{"id": started["toolCallId"], "role": "assistant", "toolCalls": [call]}, result]
    answer = await asyncio.to_thread(person.post, body)
    said = [each["delta"] for each in answer if each["type"] == "TEXT_MESSAGE_CONTENT"]
    assert "".join(said) == "Em Lisboa."


@pytest.mark.conformance
async def test_a_form_is_answered_beside_a_text_that_was_typed_meanwhile(
    model: Model, person: Caller
) -> None:
    calls(model, Call("ask_user", {"message": "Que tamanho?", "questions": QUESTIONS}))
    asked = await person.say("Quero ajuda.")
    (interrupt,) = asked.after["pendingInterrupts"]
    model.will_say("Um M, então.")
    model.will_say("Em azul, está bem.")
    await person.add("E em azul.")
    entry = {"interruptId": interrupt["id"], "status": "resolved", "payload": {"size": "M"}}
    both = {"runId": "both", "resume": [entry]}
    ran = await person.client.ran(person.agent, parameters=both)
    assert ran.error is None
    assert (ran.outcome, ran.after["pendingInterrupts"]) == ("success", [])
    said = [
        each["content"]
        for each in ran.messages
        if each["role"] in {"user", "assistant"} and "content" in each
    ]
    assert said == ["Quero ajuda.", "Um M, então.", "E em azul.", "Em azul, está bem."]
    knows_all(person, ran)
    model.will_say("De nada.")
    knows_all(person, await person.say("Obrigado."))


@pytest.mark.conformance
async def test_a_text_beside_an_answer_that_came_too_late_is_taken(model: Model, person: Caller) -> None:
    calls(model, Call("ask_user", {"message": "Que tamanho?", "questions": QUESTIONS}))
    asked = await person.say("Quero ajuda.")
    (interrupt,) = asked.after["pendingInterrupts"]
    entry = {"interruptId": interrupt["id"], "status": "resolved", "payload": {"size": "M"}}
    model.will_say("Um M, então.")
    first = body_of(person.thread, "elsewhere", resume=[entry])
    await asyncio.to_thread(person.post, first)
    model.will_say("Em azul, está bem.")
    await person.add("E em azul.")
    ran = await person.client.ran(person.agent, parameters={"runId": "late", "resume": [entry]})
    assert (ran.error, ran.outcome) == (None, "success")
    knows_all(person, ran)


async def test_a_result_of_a_page_that_asks_again_after_the_end_gets_the_text(
    model: Model, person: Caller
) -> None:
    tools: dict[str, Any] = {"tools": [WHERE]}
    calls(model, Call("where", {}))
    await person.add("Onde estou?")
    asked = await person.client.ran(person.agent, parameters=tools)
    await answer_call(person, asked, "Lisboa")
    messages = (await person.client.do("known", agent=person.agent))["messages"]
    body = {"threadId": person.thread, "runId": "answered", "messages": messages, **tools}
    model.will_say("Em Lisboa.")
    for _ in ("as it happens", "when it is over"):
        events = await asyncio.to_thread(person.post, body)
        said = [each["delta"] for each in events if each["type"] == "TEXT_MESSAGE_CONTENT"]
        assert "".join(said) == "Em Lisboa."
        assert [each for each in events if each["type"] in {"MESSAGES_SNAPSHOT", "TOOL_CALL_RESULT"}] == []
