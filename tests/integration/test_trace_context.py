"""A caller's trace from a request to its run, through the queue, and on to the callback."""

import asyncio
import json

import pytest

from server import apps
from server.app import open_parts
from server.loopos.core import EmbeddedCore
from server.loopos.cores import Cores
from server.protocol.commands import Message, TextPart
from server.settings import Settings
from server.store import Store
from server.tracing.trace_context import take_headers
from tests.integration.requests.conftest import RestCaller
from tests.integration.ws.visitor import Visitor
from tests.parts.collector import collecting
from tests.parts.postgres import copy_tables
from tests.parts.receiver import receiving
from tests.parts.server import served
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PARENT = f"00-{TRACE}-{SPAN}-00"
ASKED = {"prompt": "keep or sell?", "options": ["keep", "sell"], "item_context": "a lamp"}


@pytest.fixture
def collector():
    with collecting() as serving:
        yield serving


async def root_of(collector, name):
    def arrived():
        return [
            each for each in collector.spans() if each.name == name and "loopwire.attempt" in each.attributes
        ]

    (root,) = await until_async(arrived, what=f"the trace of {name}")
    return root


def lines_of(running, text):
    found = [json.loads(each) for each in running.log_text().splitlines() if each.startswith("{")]
    return [each for each in found if each["text"] == text]


async def test_a_request_is_continued_by_its_run_and_by_its_callback_and_named_in_the_log(collector):
    async with receiving() as receiver:
        environment = {
            "LOOPWIRE_DEMO_DELAY_MS": "0",
            "LOOPWIRE_CALLBACK_HOSTS": receiver.host,
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_BSP_SCHEDULE_DELAY": "50",
        }
        with served(environment) as running:
            caller = RestCaller(running)
            headers = {"traceparent": PARENT, "tracestate": "shop=1", "x-request-id": "mine"}
            asked = {**ASKED, "callback_url": receiver.url}
            taken = await asyncio.to_thread(
                caller.request, "POST", "/loopos_ai_decision", asked, headers=headers
            )
            assert taken.status == 202
            await until_async(lambda: receiver.came, what="the callback")
            root = await root_of(collector, "decision")
            assert (root.trace, root.parent) == (TRACE, SPAN)
            sent, _ = receiver.came[0]
            assert sent["traceparent"] == f"00-{TRACE}-{root.id}-01"
            assert sent["tracestate"] == "shop=1"
            for text in ("request", "run ended"):
                (line,) = [each for each in lines_of(running, text) if each.get("trace_id")]
                assert line["trace_id"] == TRACE

            odd = {"traceparent": PARENT.upper() + '","level":"ERROR', "tracestate": "shop=1"}
            await asyncio.to_thread(caller.request, "POST", "/loopos_ai_decision", asked, headers=odd)
            await until_async(lambda: len(receiver.came) > 1, what="the other callback")
            sent, _ = receiver.came[1]
            assert TRACE not in sent["traceparent"].lower()
            assert "tracestate" not in sent
            assert len([each for each in lines_of(running, "request") if each.get("trace_id")]) == 1


@pytest.mark.conformance
async def test_a_callback_forwards_the_trace_headers_of_its_request_without_traces():
    async with receiving() as receiver:
        environment = {"LOOPWIRE_DEMO_DELAY_MS": "0", "LOOPWIRE_CALLBACK_HOSTS": receiver.host}
        with served(environment) as running:
            caller = RestCaller(running)
            asked = {**ASKED, "callback_url": receiver.url}
            for headers in ({"traceparent": PARENT, "tracestate": "shop=1"}, {}):
                await asyncio.to_thread(caller.request, "POST", "/loopos_ai_decision", asked, headers=headers)
            await until_async(lambda: len(receiver.came) == 2, what="both callbacks")
    sent = [(each.get("traceparent"), each.get("tracestate")) for each, _ in receiver.came]
    assert set(sent) == {(PARENT, "shop=1"), (None, None)}


@pytest.mark.conformance
async def test_a_run_of_a_socket_belongs_to_the_trace_of_its_ticket(collector):
    environment = {
        "LOOPWIRE_DEMO_DELAY_MS": "0",
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        "OTEL_BSP_SCHEDULE_DELAY": "50",
    }
    with served(environment) as running:
        visitor = Visitor(running)
        ticket = await asyncio.to_thread(
            visitor.request, "POST", "/v1/tickets", {}, headers={"traceparent": PARENT}
        )
        talk = await visitor.open(hello={"ticket": ticket.body["ticket"]})
        await talk.say("quero vender um telemóvel", "c1")
        await talk.finished()
        root = await root_of(collector, "submission")
        assert (root.trace, root.parent) == (TRACE, SPAN)
        await visitor.aclose()


async def test_another_process_continues_the_trace_of_a_run_that_waited(collector, tmp_path, valkey_url):
    settings = Settings(
        otlp_endpoint=collector.url,
        secret_text="x" * 32,
        data_dir=tmp_path,
        demo_delay_ms=0,
        openai_api_key=None,
    )
    copy_tables(tmp_path)
    store = await Store.open(None, data_dir=tmp_path)
    cores = Cores(await EmbeddedCore.open(store.database, store.webhooks))
    known = apps.load(None)
    async with open_parts(settings, store, cores, known, valkey_url, capacity=0) as ready:
        session = await store.sessions.create(
            app="demo", principal="vis_private", service="submission", language="pt"
        )
        said = Message(type="message", id="m1", content=[TextPart(type="text", text="olá")])
        take_headers([(b"traceparent", PARENT.encode())])
        ack = await ready.parts.runs.submit(session, said, "pt")
        take_headers([])
    assert (await store.runs.get(ack.run_id)).trace_context == PARENT
    async with open_parts(settings, store, cores, known, valkey_url, capacity=1):

        async def has_ended():
            return (await store.sessions.load(session.id)).last_run == ack.run_id

        await until_async(has_ended, what="the run's end")
    await store.aclose()
    root = await root_of(collector, "submission")
    assert (root.trace, root.parent) == (TRACE, SPAN)
    assert {each.trace for each in collector.spans()} == {TRACE}
