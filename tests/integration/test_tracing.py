"""Traces as a collector receives them: the tree of a run, the content left out of it, and a collector that fails."""

import asyncio
import base64
import json
import os
import sys
import time
from dataclasses import replace

import pytest
from agents.testing import ScriptedModel, assistant_message, function_call
from agents.tracing import get_trace_provider
from langfuse import Langfuse

from server import apps
from server.agents.model.providers import OneModel
from server.agents.run.runner import AgentRunner
from server.app import open_parts
from server.errors import Fenced
from server.loopos.core import EmbeddedCore
from server.loopos.cores import Cores
from server.protocol.commands import Message, TextPart
from server.settings import Settings
from server.store import Store
from server.tracing import About, tracer
from server.tracing.trace_context import outgoing_headers
from tests.parts.collector import collecting
from tests.parts.postgres import copy_tables
from tests.parts.sampled import later
from tests.parts.wait import PATIENCE_S, until_async
from tests.unit.agents.outlet import NoConversations, Play
from tests.unit.agents.teams import Bench

SECRET = "x" * 32
TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
ABOUT = About("run_1", "ses_1", "vis_1", "demo", "test", "pt", 1)
CANARIES = (
    "ana.silva@mail.pt",
    "912345678",
    "PT50000201231234567890154",
    "4111111111111111",
    "501964843",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
    "sk-private0123456789",
    "7Kq3Zr0VnXw5uT8sYb1Jd4LhPf6Mg2Ae9Ci_Ro-StUv",
)


@pytest.fixture(autouse=True)
def _bare(monkeypatch):
    for name in (
        "LANGFUSE_PUBLIC_KEY",
        "LANGFUSE_SECRET_KEY",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "LOOPWIRE_TRACE_CONTENT",
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def collector():
    with collecting() as serving:
        yield serving


def otlp(collector, **more):
    return tracer(Settings(otlp_endpoint=collector.url + "/", secret_text=SECRET, **more))


class Traced(Play):
    """A play whose runner is traced."""

    def runner(self):
        inner = super().runner()
        return AgentRunner(
            inner.provider,
            {self.service.name: self.service},
            conversations=NoConversations(),
            tracer=self.traces,
        )


def play(traces, script, bench=None):
    traced = Traced((bench or Bench()).service(), OneModel(ScriptedModel(script), "scripted-1"))
    traced.traces = traces
    return traced


def tool_and_handoff(word="abc"):
    return [
        [function_call("look", {"word": word}, call_id="c1")],
        [function_call("transfer_to_second", {}, call_id="c2")],
        [assistant_message(f"It is {word}.")],
    ]


async def test_a_run_with_a_tool_and_a_handoff_is_a_tree_that_tells_who_and_how_long(collector):
    traces = otlp(collector)
    here = play(traces, tool_and_handoff())
    turn, out = here.prepare("look up abc")
    await here.go(turn, out)
    await traces.aclose()

    assert {path for path, _ in collector.requests} == {"/v1/traces"}
    root, look, handoff = (collector.one(name) for name in ("test", "look", "handoff to second"))
    first, second = collector.one("first"), collector.one("second")
    calls = sorted(
        (each for each in collector.spans() if each.name == "scripted-1"),
        key=lambda each: each.raw.start_time_unix_nano,
    )
    assert root.parent == ""
    assert [each.parent for each in (first, second)] == [root.id, root.id]
    assert [each.parent for each in calls] == [first.id, first.id, second.id]
    assert look.parent == first.id
    assert handoff.parent == first.id
    assert len(collector.spans()) == 8
    assert {each.trace for each in collector.spans()} == {Langfuse.create_trace_id(seed=turn.run.id)}
    for each in collector.spans():
        assert each.attributes["session.id"] == "ses_1"
        assert len(each.attributes["user.id"]) == 32
        assert each.attributes["langfuse.trace.tags"] == ["app:demo", "service:test", "language:pt"]
        assert root.raw.start_time_unix_nano <= each.raw.start_time_unix_nano
        assert each.raw.end_time_unix_nano <= root.raw.end_time_unix_nano
    assert root.attributes["loopwire.run_id"] == turn.run.id
    assert root.attributes["loopwire.attempt"] == 1
    assert root.attributes["loopwire.outcome"] == "success"
    assert look.attributes["gen_ai.tool.call.id"] == "c1"
    assert look.attributes["langfuse.observation.type"] == "tool"
    assert handoff.attributes["loopwire.handoff.from"] == "first"
    assert handoff.attributes["loopwire.handoff.to"] == "second"
    assert calls[0].attributes["langfuse.observation.type"] == "generation"
    assert calls[0].attributes["gen_ai.request.model"] == "scripted-1"
    assert not any(
        name.startswith("langfuse.observation.input")
        for each in collector.spans()
        for name in each.attributes
    )


class Noting(asyncio.Queue):
    """Notes what a request of the tool that enters would carry."""

    def put_nowait(self, item):
        super().put_nowait(outgoing_headers())


async def test_a_run_continues_the_trace_that_its_input_came_with_and_its_tools_give_it_on(collector):
    traces = otlp(collector)
    bench = Bench(entered=Noting())
    here = play(
        traces, [[function_call("wait", {"name": "g"}, call_id="c1")], [assistant_message("x")]], bench
    )
    turn, out = here.prepare("x")
    unsampled = f"00-{TRACE}-{SPAN}-00"
    turn = replace(turn, run=replace(turn.run, trace_context=f"{unsampled} shop=1"))
    bench.gate("g").set()
    await here.runner().run(turn, out)
    await traces.aclose()
    root, tool = collector.one("test"), collector.one("wait")
    assert (root.trace, root.parent) == (TRACE, SPAN)
    assert {each.trace for each in collector.spans()} == {TRACE}
    named = traces.context_of(turn.run.id, turn.run.attempt, turn.run.trace_context)
    assert (named.trace_id, named.span_id, named.sampled, named.state) == (TRACE, root.id, True, "shop=1")
    sent = bench.entered.get_nowait()
    assert sent == {"traceparent": f"00-{TRACE}-{tool.id}-01", "tracestate": "shop=1"}


async def test_a_trace_has_neither_content_nor_names_unless_asked_for(collector):
    traces = otlp(collector)
    await play(traces, tool_and_handoff("canary-word")).say("my canary-text")
    await traces.aclose()
    body = b"".join(collector.bodies)
    assert collector.one("look")
    assert b"canary" not in body
    assert b"s3cret" not in body
    assert b"confirmado" not in body
    assert b"pri_1" not in body


async def test_a_trace_with_content_has_no_secrets(collector):
    traces = otlp(collector, trace_content=True)
    said = "vendo: " + "\n".join(CANARIES)
    await play(traces, tool_and_handoff(said)).say(said)
    await traces.aclose()
    body = b"".join(collector.bodies)
    for canary in (*CANARIES, *(each.upper() for each in CANARIES[:5])):
        assert canary.encode() not in body
    assert collector.one("test").attributes["langfuse.observation.input"].startswith("vendo: [email]")
    assert "It is vendo: [email]" in collector.one("test").attributes["langfuse.observation.output"]
    assert "VENDO" in collector.one("look").attributes["langfuse.observation.output"]
    assert collector.one("handoff to second").attributes["langfuse.observation.input"] == "confirmado"
    call = next(each for each in collector.spans() if each.name == "scripted-1")
    assert "You are first." in call.attributes["langfuse.observation.input"]
    assert "look" in call.attributes["langfuse.observation.output"]


async def test_langfuse_gets_the_same_tree_at_its_own_door_masked(collector):
    settings = Settings(
        langfuse_public_key="pk-lf-tree",
        langfuse_secret_key="sk-lf-private",
        LANGFUSE_HOST=collector.url,
        otlp_endpoint="http://127.0.0.1:9",
        secret_text=SECRET,
        trace_content=True,
    )
    traces = tracer(settings)
    said = "vendo: " + " ".join(CANARIES)
    await play(traces, tool_and_handoff(said)).say(said)
    await traces.aclose()
    path, headers = collector.requests[0]
    assert path == "/api/public/otel/v1/traces"
    assert headers["content-encoding"] == "gzip"
    assert headers["authorization"] == "Basic " + base64.b64encode(b"pk-lf-tree:sk-lf-private").decode()
    root = collector.one("test")
    assert {each.parent for each in collector.spans() if each.name in ("first", "second")} == {root.id}
    assert root.attributes["langfuse.observation.input"].startswith("vendo: [email]")
    body = b"".join(collector.bodies)
    for canary in (*CANARIES, *(each.upper() for each in CANARIES[:5])):
        assert canary.encode() not in body


async def test_an_error_is_told_by_its_code_and_never_by_its_text(collector):
    traces = otlp(collector, trace_content=True)
    await play(
        traces, [[function_call("fail", {}, call_id="c1")], RuntimeError("key canary-key refused")]
    ).say()
    await traces.aclose()
    root = collector.one("test")
    assert root.attributes["loopwire.outcome"] == "error"
    assert root.attributes["loopwire.code"] == "internal"
    assert root.attributes["langfuse.observation.level"] == "ERROR"
    assert root.raw.status.code == 2
    tool = collector.one("fail")
    assert (tool.attributes["langfuse.observation.level"], tool.raw.status.message) == ("ERROR", "failed")
    body = b"".join(collector.bodies)
    assert b"canary-key" not in body
    assert b"secret@internal" not in body


async def test_a_stopped_run_is_marked_and_all_its_parts_are_closed(collector):
    traces = otlp(collector)
    bench = Bench()
    here = play(traces, [[function_call("wait", {"name": "g"}, call_id="c1")]], bench)
    turn, out = here.prepare("wait")
    going = asyncio.ensure_future(here.go(turn, out))
    await bench.entered.get()
    out.cancelled.set()
    await going
    await traces.aclose()
    root = collector.one("test")
    assert root.attributes["loopwire.outcome"] == "cancelled"
    assert root.attributes["langfuse.observation.level"] == "WARNING"
    assert collector.one("wait").parent == collector.one("first").id


async def test_the_trace_of_a_fenced_run_is_marked_as_fenced(collector):
    traces = otlp(collector)
    here = play(traces, tool_and_handoff())
    turn, out = here.prepare("x")
    out.open()

    def fenced(event):
        if event["type"] == "TOOL_CALL_START":
            raise Fenced

    out.on = fenced
    with pytest.raises(Fenced):
        await here.runner().run(turn, out)
    await traces.aclose()
    assert collector.one("test").attributes["langfuse.observation.status_message"] == "Fenced"


async def test_runs_at_the_same_time_have_their_own_trees(collector):
    traces = otlp(collector)
    bench = Bench()
    plays = [
        play(traces, [[function_call("wait", {"name": name}, call_id=name)], [assistant_message("x")]], bench)
        for name in ("a", "b")
    ]
    turns = [each.prepare("x") for each in plays]
    going = [asyncio.ensure_future(each.go(*turn)) for each, turn in zip(plays, turns, strict=True)]
    await bench.entered.get()
    await bench.entered.get()
    for name in ("b", "a"):
        bench.gate(name).set()
    await asyncio.gather(*going)
    await traces.aclose()
    for name, (turn, _) in zip(("a", "b"), turns, strict=True):
        mine = {
            each.id: each
            for each in collector.spans()
            if each.trace == Langfuse.create_trace_id(seed=turn.run.id)
        }
        (tool,) = (each for each in mine.values() if each.name == "wait")
        assert tool.attributes["gen_ai.tool.call.id"] == name
        assert mine[mine[tool.parent].parent].attributes["loopwire.run_id"] == turn.run.id


@pytest.mark.parametrize("trouble", [later("down"), later("500"), "hanging"])
async def test_a_collector_in_trouble_neither_fails_nor_delays_a_run_nor_the_end(
    collector, trouble, monkeypatch, caplog
):
    monkeypatch.setattr("server.tracing.telemetry.FLUSH_S", 0.3)
    monkeypatch.setattr("server.tracing.telemetry.SEND_S", PATIENCE_S)
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
    if trouble == "hanging":
        collector.answering.clear()
    collector.status = 500
    url = "http://127.0.0.1:9" if trouble == "down" else collector.url
    traces = tracer(Settings(otlp_endpoint=url, secret_text=SECRET))
    for _ in range(3):
        await play(
            traces, [[function_call("look", {"word": "abc"}, call_id="c1")], [assistant_message("Hi")]]
        ).say()
    if trouble != "down":
        await asyncio.to_thread(collector.asked.wait, PATIENCE_S)
    here = play(traces, tool_and_handoff())
    out = await here.say()
    assert here.result.outcome == "success"
    assert out.text() == "It is abc."
    assert trouble != "hanging" or not collector.answering.is_set()
    began = time.monotonic()
    await traces.aclose()
    assert time.monotonic() - began < PATIENCE_S / 2, (
        "an end that waits for the collector lasts as long as a sending"
    )
    complaints = [each for each in caplog.records if each.name.startswith("opentelemetry")]
    assert len(complaints) <= 1


async def test_spans_that_a_silent_collector_does_not_take_are_dropped_cheaply(collector, monkeypatch):
    monkeypatch.setattr("server.tracing.telemetry.FLUSH_S", 0.1)
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "600")
    collector.answering.clear()
    traces = otlp(collector)
    run = traces.run(ABOUT)
    began = time.process_time()
    for _ in range(3000):
        run.child("tool", "x").end()
    assert (time.process_time() - began) / 3000 < 0.002
    queue = traces.provider._active_span_processor._span_processors[0]._batch_processor._queue
    assert len(queue) <= 600
    await traces.aclose()


async def test_content_that_is_no_json_does_not_fail_a_run(collector):
    traces = otlp(collector, trace_content=True)
    run = traces.run(ABOUT)
    loop: list[object] = []
    loop.append(loop)
    run.note_content(input=loop, output={1: object()})
    run.end()
    await traces.aclose()
    assert collector.one("test").attributes["langfuse.observation.input"] == "[list that is no JSON]"


async def test_the_model_calls_of_the_whole_server_are_traced_with_their_tokens(
    collector, tmp_path, valkey_url
):
    settings = Settings(
        otlp_endpoint=collector.url,
        secret_text=SECRET,
        data_dir=tmp_path,
        demo_delay_ms=0,
        openai_api_key=None,
    )
    copy_tables(tmp_path)
    store = await Store.open(None, data_dir=tmp_path)
    cores = Cores(await EmbeddedCore.open(store.database, store.webhooks))
    async with open_parts(settings, store, cores, apps.load(None), valkey_url, capacity=2) as ready:
        runs = ready.parts.runs
        session = await store.sessions.create(
            app="demo", principal="vis_private", service="submission", language="pt"
        )
        said = Message(
            type="message", id="m1", content=[TextPart(type="text", text="quero vender um canary-iphone")]
        )
        ack = await runs.submit(session, said, "pt")

        async def has_ended():
            return (await store.sessions.load(session.id)).last_run == ack.run_id

        await until_async(has_ended, what="the run's end")
    await store.aclose()
    root = collector.one("submission")
    assert root.trace == Langfuse.create_trace_id(seed=ack.run_id)
    assert root.attributes["loopwire.outcome"] == "success"
    calls = [
        each for each in collector.spans() if each.attributes.get("langfuse.observation.type") == "generation"
    ]
    counted = [json.loads(each.attributes["langfuse.observation.usage_details"]) for each in calls]
    assert sum(each["total"] for each in counted) == root.attributes["loopwire.usage.totalTokens"]
    assert any("langfuse.observation.completion_start_time" in each.attributes for each in calls)
    assert any(each.attributes["langfuse.observation.type"] == "tool" for each in collector.spans())
    assert b"canary" not in b"".join(collector.bodies)
    assert b"vis_private" not in b"".join(collector.bodies)


LEAVING = """
import asyncio, sys
from server.settings import Settings
from server.tracing import About, tracer

async def main():
    traces = tracer(Settings())
    run = traces.run(About("run_1", "ses_1", "vis_1", "demo", "test", "pt", 1))
    run.end()
    await traces.aclose()
    print("left", flush=True)

asyncio.run(main())
"""


@pytest.mark.conformance
@pytest.mark.parametrize("way", [later("langfuse"), "otlp"])
async def test_a_process_ends_while_its_collector_hangs(collector, way):
    collector.answering.clear()
    names = (
        {
            "LANGFUSE_PUBLIC_KEY": "pk-lf-1",
            "LANGFUSE_SECRET_KEY": "sk-lf-1",
            "LANGFUSE_BASE_URL": collector.url,
        }
        if way == "langfuse"
        else {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
    )
    leaving = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        LEAVING,
        env={**os.environ, **names, "LOOPWIRE_SECRET": SECRET},
        stdout=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(2 * PATIENCE_S):
        told, _ = await leaving.communicate()
    assert told == b"left\n"
    assert leaving.returncode == 0
    assert collector.asked.is_set()


async def test_the_sdks_own_uploader_stays_off_when_runs_are_traced(collector):
    traces = otlp(collector)
    await play(traces, tool_and_handoff()).say()
    heard_by = get_trace_provider()._multi_processor._processors
    assert [type(each).__name__ for each in heard_by] == ["SpanFollower"]
    await traces.aclose()
