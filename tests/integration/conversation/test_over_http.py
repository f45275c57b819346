"""The model behind HTTP: one brain gives one conversation in either dialect, with any fault of the wire."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from server.demo import DemoModel
from server.protocol.events import ours
from server.protocol.transcript import Transcript
from server.services.submission import IDENTIFICATION, OPTIONS, QUESTIONS, REGISTRATION
from tests.integration.conversation.models import Remote
from tests.integration.conversation.seller import Seller, clicked, ended, plain, typed
from tests.modelserver import (
    CANARY,
    Call,
    Fault,
    ModelServer,
    Plan,
    Scripted,
    Text,
    brain_from_model,
    named,
)
from tests.modelserver.fault_queue import catalogue
from tests.parts.model import KEY, Model
from tests.parts.sampled import later

pytestmark = pytest.mark.once

LONG = " ".join(f"palavra{number}" for number in range(40))
SELLERS = [
    {"language": "pt", "answer": typed, "opening": "quero vender uma cadeira Tripp Trapp"},
    {"language": "en", "answer": clicked, "opening": "headphones"},
]


def demo() -> Any:
    """Return the demo model as a brain behind the wire."""
    return brain_from_model(DemoModel(delay=0))


@pytest.mark.parametrize("dialect", ["responses", later("chat")], indirect=True, scope="package")
@pytest.mark.parametrize(
    "options",
    [pytest.param(SELLERS[0], id="pt by typing"), later(SELLERS[1], id="en by clicking")],
)
async def test_the_same_brain_gives_the_same_conversation_over_either_wire(
    loopwire: Any, remote_model: Remote, sellers: Any, options: dict[str, Any]
) -> None:
    near, far = sellers(loopwire, **options), sellers(remote_model.served, **options)
    await asyncio.gather(near.begin(), far.begin())
    assert (near.talk.welcome["demo"], far.talk.welcome["demo"]) == (True, False)
    here = await near.sell()
    async with remote_model.model(demo()) as server:
        there = await far.sell()
        assert {each.dialect for each in server.requests} == {remote_model.api}
    assert here.state["status"] == there.state["status"] == "complete"
    assert plain(here) == plain(there)
    assert far.stored() == there.messages
    assert far.item()["status"] == "complete"


async def test_parallel_calls_and_handoffs_of_any_brain_are_shown_in_order(
    remote_model: Remote, customer: Seller
) -> None:
    talk = await customer.begin()
    async with remote_model.model(Scripted()) as server:
        script(
            server,
            Plan([Text("Vejo já."), *(Call("get_catalog", query(each)) for each in ("Polly Magic", "iPad"))]),
            "É a Polly Magic?",
        )
        await customer.say("vendo uma coisa")
        found = [each for each in talk.transcript.messages if each.get("toolCalls")]
        assert [json.loads(each["toolCalls"][0]["function"]["arguments"])["query"] for each in found] == [
            "Polly Magic",
            "iPad",
        ]
        script(
            server,
            Plan([Call("confirm_product", {"product_id": 1120, "brand_id": 167})]),
            Plan([Call(f"transfer_to_{OPTIONS}")]),
            Plan([Call("get_product_options")]),
            Plan([Call(f"transfer_to_{REGISTRATION}")]),
            Plan([Call("create_item", {"product_id": 1120, "brand_id": 167, "option_value_ids": []})]),
            Plan([Call(f"transfer_to_{QUESTIONS}")]),
            Plan([Call("get_product_protocol")]),
            "Em que estado está?",
        )
        await customer.say("a Polly Magic")
        assert isinstance(server.brain, Scripted)
        server.brain.assert_complete()
    assert steps(talk.frames) == [IDENTIFICATION, IDENTIFICATION, OPTIONS, REGISTRATION, QUESTIONS]
    assert results(talk.transcript) == ["done"] * 6
    assert agent_words(talk.transcript)[-1] == "Em que estado está?"
    assert talk.transcript.state["status"] == "draft"
    assert customer.stored() == talk.transcript.messages


def query(text: str) -> dict[str, Any]:
    """Return the arguments of a search, as a strict schema wants them."""
    return {"query": text, "category": None, "brand": None, "offset": 0}


def script(server: ModelServer, *steps: Any) -> None:
    """Set what the model will say next."""
    assert isinstance(server.brain, Scripted)
    server.brain.extend([Plan([Text(each)]) if isinstance(each, str) else each for each in steps])


def steps(frames: list[Any]) -> list[str]:
    """Return the agents at work, in their order."""
    return [
        each["event"]["stepName"] for each in frames if each.get("event", {}).get("type") == "STEP_STARTED"
    ]


def agent_words(transcript: Transcript) -> list[str]:
    """Return what agents said."""
    return [
        each["content"] for each in transcript.messages if each["role"] == "assistant" and "content" in each
    ]


def results(transcript: Transcript) -> list[str]:
    """Return how the calls ended."""
    return [ours(each)["status"] for each in transcript.messages if each["role"] == "tool"]


FAULTS: dict[str, tuple[Fault, str]] = {
    "rate_limited": (named("rate_limited"), "model_busy"),
    "insufficient_quota": (named("insufficient_quota"), "model_rejected"),
    "server_error": (named("server_error"), "model_error"),
    "overloaded": (named("server_error", status=503), "model_busy"),
    "unauthorized": (named("unauthorized"), "model_rejected"),
    "context_length": (named("context_length"), "model_rejected"),
    "reset_first": (named("reset_first"), "model_error"),
    "cut": (named("cut"), "cut"),
    "close": (named("close"), "cut"),
    "reset": (named("reset"), "cut"),
    "bad_json": (named("bad_json"), "model_error"),
    "error_chunk": (named("error_chunk"), "model_error"),
    "length": (named("length"), "truncated"),
    "content_filter": (named("content_filter"), "content_filter"),
    "failed": (named("failed"), "model_error"),
}
SAMPLE = {"rate_limited", "server_error", "unauthorized", "cut", "length", "content_filter"}
"""Each code once."""

SILENT = ["hang", "stall"]
REPAIRED = {"bad_arguments", "unknown_tool"}
HARMLESS = {"odd_borders", "crlf", "comments"}


def test_every_fault_has_its_test() -> None:
    assert set(catalogue()) == {fault.name for fault, _ in FAULTS.values()} | {*SILENT} | REPAIRED | HARMLESS


@pytest.mark.parametrize("dialect", ["responses", later("chat")], indirect=True, scope="package")
@pytest.mark.parametrize("name", [each if each in SAMPLE else later(each) for each in FAULTS])
async def test_a_fault_has_its_code_leaks_nothing_and_ends_nothing(
    remote_model: Remote, customer: Seller, name: str
) -> None:
    await is_told_and_over(remote_model, customer, *FAULTS[name])


@pytest.mark.parametrize("dialect", ["responses", later("chat")], indirect=True, scope="package")
@pytest.mark.parametrize("name", [later("hang"), "stall"])
async def test_a_silence_has_its_code_leaks_nothing_and_ends_nothing(
    impatient: Remote, sellers: Any, name: str
) -> None:
    await is_told_and_over(impatient, sellers(impatient.served), named(name), "model_timeout")


async def is_told_and_over(at: Remote, customer: Seller, fault: Fault, code: str) -> None:
    """A fault ends its run under a code of ours, and the next run is as if nothing had been."""
    talk = await customer.begin()
    tab = await customer.tab(html=True)
    async with at.model(Scripted([LONG] * 3)) as server:
        server.faults.add(fault, times=None)
        ack = await customer.say("olá")
        broken = talk.transcript.run
        assert broken is not None
        assert (broken.status, broken.code) == ("error", code)
        told = [each["event"] for each in talk.frames if each.get("event", {}).get("type") == "RUN_ERROR"]
        assert [each["code"] for each in told] == [code]
        assert ours(talk.transcript.messages[-1])["ended"] == {"outcome": "error", "code": code}
        server.faults.clear()
        server.brain = demo()
        await customer.say("Polly Magic")
        await ended(tab, str(talk.transcript.run and talk.transcript.run.id))
    assert talk.transcript.run is not None
    assert talk.transcript.run.outcome == {"type": "success"}
    assert ack["run_id"] != talk.transcript.run.id
    assert customer.stored() == talk.transcript.messages == tab.transcript.messages
    assert_nothing_leaked(at, customer, talk.frames, tab.frames)


def assert_nothing_leaked(at: Remote, seller: Seller, *frames: Any) -> None:
    """Neither the upstream's words nor our key are in any frame, any answer or the log."""
    session = seller.talk.session
    paths = ["/v1/sessions", f"/v1/sessions/{session}", f"/v1/sessions/{session}/messages", "/readyz"]
    answers = [seller.request("GET", path).body for path in paths]
    seen = json.dumps([frames, answers]) + at.served.log_text()
    assert CANARY not in seen
    assert KEY not in seen


async def test_calls_that_make_no_sense_are_repaired_by_the_model(
    remote_model: Remote, customer: Seller
) -> None:
    talk = await customer.begin()
    search = Plan([Call("get_catalog", query("Polly Magic"))])
    async with remote_model.model(Scripted([search, search, search, "É esta?"])) as server:
        server.faults.add(named("bad_arguments"))
        server.faults.add(named("unknown_tool"))
        await customer.say("olá")
    assert results(talk.transcript) == ["failed", "failed", "done"]
    assert agent_words(talk.transcript)[-1] == "É esta?"
    assert customer.stored() == talk.transcript.messages
    assert_nothing_leaked(remote_model, customer, talk.frames)


@pytest.mark.parametrize("name", sorted(HARMLESS))
async def test_oddly_framed_but_correct_streams_are_stored_whole(
    remote_model: Remote, customer: Seller, name: str
) -> None:
    talk = await customer.begin()
    async with remote_model.model(Scripted([LONG])) as server:
        server.faults.add(named(name))
        await customer.say("olá")
    assert talk.transcript.messages[-1]["content"] == LONG
    assert customer.stored() == talk.transcript.messages


async def test_a_stop_closes_the_stream_of_the_model_and_keeps_its_text(
    remote_model: Remote, customer: Seller
) -> None:
    talk = await customer.begin()
    async with remote_model.model(Scripted()) as server:
        model = Model(server)
        model.held(LONG).let(9)
        model.will_say("Continuo.")
        ack = await talk.say("olá", "c1")
        await talk.until(
            lambda _: any(len(each.get("content", "")) > 60 for each in talk.transcript.messages)
        )
        await talk.send({"type": "cancel", "id": "stop", "run_id": ack["run_id"]})
        await server.until(lambda: server.gone == 1, 60)
        await ended(talk, ack["run_id"])
        kept = talk.transcript.messages[-1]["content"]
        assert LONG.startswith(kept.rstrip())
        assert len(kept) < len(LONG)
        await customer.say("e?")
        heard = server.requests[-1].items
    assert kept in json.dumps(heard, ensure_ascii=False)
    assert talk.transcript.messages[-1]["content"] == "Continuo."
    assert talk.transcript.messages == customer.stored()


@pytest.mark.parametrize("dialect", ["responses", later("chat")], indirect=True, scope="package")
async def test_a_model_that_is_not_there_is_told_and_comes_back(
    remote_model: Remote, customer: Seller
) -> None:
    talk = await customer.begin()
    await customer.say("olá")
    assert talk.transcript.run is not None
    assert talk.transcript.run.code == "model_error"
    async with remote_model.model(Scripted(["Olá."])):
        await customer.say("olá?")
    assert talk.transcript.messages[-1]["content"] == "Olá."
    assert_nothing_leaked(remote_model, customer, talk.frames)
