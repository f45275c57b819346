"""Interrupts with a model behind HTTP: the model reads the answers of people and pages, also from another process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conversation.models import Remote, remote
from tests.integration.conversation.seller import Seller, new_frame_id, text_parts
from tests.modelserver import Call, Scripted
from tests.modelserver.request import ModelRequest
from tests.parts.sampled import later
from tests.parts.server import Backend, Served, apart

NewSeller = Callable[..., Seller]

QUESTIONS = {
    "type": "object",
    "properties": {
        "size": {"type": "string", "enum": ["S", "M"]},
        "count": {"type": "integer", "minimum": 1},
    },
    "required": ["size"],
}
PAGE_TITLE = {
    "name": "get_page_title",
    "description": "The title of the page that the person is on.",
    "parameters": {"type": "object", "properties": {"deep": {"type": "boolean"}}},
}


@dataclass(frozen=True)
class Case:
    """One thing that waits: how the model asks, what is answered, and how that ends."""

    call: Call
    answer: dict[str, Any]
    read: tuple[str, ...]
    result: str
    block: str | None
    tools: list[dict[str, Any]] = field(default_factory=list)


CASES = {
    "form": Case(
        Call("ask_user", {"message": "Which one?", "questions": QUESTIONS}, "c1"),
        {"status": "resolved", "payload": {"size": "S", "count": 2}},
        ('"size": "S"', '"count": 2'),
        "done",
        "answered",
    ),
    "form left": Case(
        Call("ask_user", {"message": "Which one?", "questions": QUESTIONS}, "c1"),
        {"status": "cancelled"},
        ("cancelled",),
        "stopped",
        "declined",
    ),
    "page": Case(
        Call("get_page_title", {"deep": True}, "c1"), {}, ("Summer sale",), "done", None, [PAGE_TITLE]
    ),
    "yes": Case(
        Call("search_catalog", {"query": "Polly Magic"}, "c1"),
        {"status": "resolved", "payload": {"approved": True}},
        ("Polly Magic",),
        "done",
        "answered",
    ),
    "no": Case(
        Call("search_catalog", {"query": "Polly Magic"}, "c1"),
        {"status": "resolved", "payload": {"approved": False, "reason": "not now"}},
        ("declined", "not now"),
        "stopped",
        "declined",
    ),
}


@pytest.fixture(scope="module")
def asks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Settings of an app in which a search needs a yes."""
    file: Path = tmp_path_factory.mktemp("apps") / "apps.toml"
    file.write_text('[demo]\napprovals = ["search_catalog"]\n')
    return {"LOOPWIRE_APPS": str(file)}


@pytest.fixture(scope="module")
def asking(backend: Backend, dialect: str, asks: dict[str, str]) -> Iterator[Remote]:
    """Yield a server of that app on each backend."""
    with apart(backend) as own, remote(dialect, {**own.environment, **asks}) as running:
        yield running


@pytest.fixture
def apart_backend(backend: Backend) -> Iterator[Backend]:
    """Yield a backend with a database for one test."""
    with apart(backend) as own:
        yield own


def say_call_result(request: ModelRequest) -> str:
    """Say what the call gave."""
    (output,) = request.outputs_since_user
    return str(output["output"])


def start_chat(at: Served, sellers: NewSeller) -> Seller:
    """A person in the chat."""
    return sellers(at, service="chat", language="en")


async def ask(case: Case, seller: Seller) -> None:
    """Say something to which the model answers with its call."""
    message = {"type": "message", "id": new_frame_id(), "content": text_parts("hello")}
    await seller.answer_frame({**message, "tools": case.tools} if case.tools else message)
    run = seller.talk.transcript.run
    assert run is not None
    assert (run.outcome or {}).get("type") == "interrupt", run
    assert results(seller) == []


async def answer(case: Case, seller: Seller) -> None:
    """Answer what waits, and look at what became of it."""
    run = seller.talk.transcript.run
    assert run is not None
    assert run.outcome is not None
    (waits,) = run.outcome["interrupts"]
    if case.tools:
        frame = {"type": "tool_result", "tool_call_id": waits["toolCallId"], "content": "Summer sale"}
    else:
        frame = {"type": "resume", "entries": [{"interrupt_id": waits["id"], **case.answer}]}
    await seller.answer_frame({**frame, "id": new_frame_id()})
    messages = seller.talk.transcript.messages
    assert all(each in messages[-1]["content"] for each in case.read), messages[-1]
    assert results(seller) == [case.result]
    assert statuses(seller) == ([] if case.block is None else [case.block])
    assert seller.stored() == messages


def results(seller: Seller) -> list[str]:
    """Return how the calls ended."""
    own = [each for each in seller.talk.transcript.messages if each["role"] == "tool"]
    return [each["metadata"]["loopwire"]["status"] for each in own]


def statuses(seller: Seller) -> list[str]:
    """Return what became of the blocks that asked."""
    shown = [each["content"] for each in seller.talk.transcript.messages if each["role"] == "activity"]
    return [each["status"] for each in shown if "interrupt_id" in each]


@pytest.mark.once
@pytest.mark.parametrize("dialect", ["responses", later("chat")], indirect=True, scope="package")
@pytest.mark.parametrize("name", CASES)
async def test_a_model_reads_what_was_answered(asking: Remote, sellers: NewSeller, name: str) -> None:
    case, seller = CASES[name], start_chat(asking.served, sellers)
    await seller.begin()
    async with asking.model(Scripted([case.call, say_call_result])) as server:
        await ask(case, seller)
        await answer(case, seller)
        assert {each.dialect for each in server.requests} == {asking.api}
        offered = [PAGE_TITLE["name"] in each.tool_names for each in server.requests]
        assert offered == [bool(case.tools)] * 2
        assert server.requests[0].tool_names == server.requests[1].tool_names


@pytest.mark.once
@pytest.mark.parametrize("dialect", ["responses", later("chat")], indirect=True, scope="package")
async def test_an_open_question_is_answered_after_a_restart(
    apart_backend: Backend, dialect: str, asks: dict[str, str], sellers: NewSeller, tmp_path: Path
) -> None:
    waiting: dict[str, Seller] = {}
    settings = {**apart_backend.environment, **asks}
    with remote(dialect, settings, data_dir=tmp_path) as first:
        for name, case in CASES.items():
            waiting[name] = start_chat(first.served, sellers)
            await waiting[name].begin()
            async with first.model(Scripted([case.call])):
                await ask(case, waiting[name])
        assert first.served.stop() == 0
    with remote(dialect, settings, data_dir=tmp_path) as second:
        for name, case in CASES.items():
            old = waiting[name]
            seller = sellers(second.served, cookie=old.cookie, address=old.address)
            talk = await seller.begin(session=old.talk.session)
            assert talk.transcript.messages == old.talk.transcript.messages
            async with second.model(Scripted([say_call_result])):
                await answer(case, seller)
