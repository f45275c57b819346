"""Thumbs as Langfuse receives them: one score a message, its newest value, and a Langfuse that is away."""

import asyncio
import time
from dataclasses import replace

import pytest
from langfuse import Langfuse

from server.settings import Settings
from server.tracing import Thumb, scores, telemetry, tracer
from tests.integration.ws.visitor import Visitor
from tests.parts.collector import SCORES, collecting
from tests.parts.sampled import later
from tests.parts.server import served
from tests.parts.wait import PATIENCE_S, until_async

pytestmark = pytest.mark.once

SAID_MS = 1_790_000_000_123
KEYS = {"id", "traceId", "name", "value", "dataType", "timestamp"}


@pytest.fixture(autouse=True)
def _bare(monkeypatch):
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    monkeypatch.setattr(scores, "FIRST_S", 0.02)
    monkeypatch.setattr(telemetry._RARELY, "_next", 0.0)


@pytest.fixture
def langfuse():
    with collecting() as serving:
        yield serving


_keys = iter(range(1000))


@pytest.fixture
async def traces(langfuse):
    """Yield a tracer with a key of its own: Langfuse keeps one client a key."""
    opened = tracer(
        Settings(
            langfuse_public_key=f"pk-lf-scores-{next(_keys)}",
            langfuse_secret_key="sk-lf-private",
            LANGFUSE_HOST=langfuse.url,
            secret_text="x" * 32,
        )
    )
    yield opened
    await opened.aclose()


def thumb(value, message_id="msg_1", run_id="run_1"):
    return Thumb(run_id, message_id, value, SAID_MS)


@pytest.mark.parametrize(("wants", "comment"), [later(False, "wrong"), (True, "wrong: escreva a [email]")])
async def test_a_thumb_down_says_why_and_in_words_only_where_content_is_wanted(langfuse, wants, comment):
    opened = tracer(
        Settings(
            langfuse_public_key=f"pk-lf-scores-{next(_keys)}",
            langfuse_secret_key="sk-lf-private",
            LANGFUSE_HOST=langfuse.url,
            LOOPWIRE_TRACE_CONTENT=wants,
            secret_text="x" * 32,
        )
    )
    opened.score(replace(thumb("down"), reason="wrong", comment="escreva a ana@exemplo.pt"))
    try:
        assert (await newest(langfuse, -1))["comment"] == comment
    finally:
        await opened.aclose()


async def newest(langfuse, value):
    def arrived():
        return [each for each in langfuse.scores() if each["value"] == value]

    return (await until_async(arrived, what=f"the score {value}"))[-1]


async def test_a_thumb_that_is_changed_and_taken_back_is_one_score(langfuse, traces):
    for value, number in (("up", 1), ("down", -1), (None, 0)):
        traces.score(thumb(value))
        await newest(langfuse, number)
    sent = langfuse.scores()
    assert [each["value"] for each in sent] == [1, -1, 0]
    assert {(each["name"], each["dataType"]) for each in sent} == {("user-feedback", "NUMERIC")}
    assert {each["traceId"] for each in sent} == {Langfuse.create_trace_id(seed="run_1")}
    assert len({(each["id"], each["timestamp"]) for each in sent}) == 1
    assert sent[0]["timestamp"].startswith("2026-09-21T")
    assert all(set(each) == KEYS for each in sent)


async def test_a_score_belongs_to_the_trace_that_its_run_continues(langfuse, traces):
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    traces.score(replace(thumb("up"), trace_context=f"00-{trace}-00f067aa0ba902b7-01"))
    assert (await newest(langfuse, 1))["traceId"] == trace


async def test_each_message_has_a_score_of_its_own_that_names_no_person(langfuse, traces):
    for message in ("ana.silva@mail.pt", "msg_2"):
        traces.score(thumb("up", message))
    await until_async(lambda: len(langfuse.scores()) == 2, what="two scores")
    assert len({each["id"] for each in langfuse.scores()}) == 2
    assert b"ana" not in b"".join(langfuse.bodies)


@pytest.mark.parametrize("status", [later(500), 429, later(408)])
async def test_the_newest_score_arrives_when_langfuse_is_back(langfuse, traces, status, caplog):
    langfuse.status = status
    traces.score(thumb("up"))
    await until_async(lambda: len(langfuse.requests) > 1, what="a second try")
    traces.score(thumb("down"))
    tried = len(langfuse.requests)
    await until_async(lambda: len(langfuse.requests) > tried + 1, what="a try of the newest")
    langfuse.status = 200
    await newest(langfuse, -1)
    await until_async(lambda: not len(traces.scores), what="an empty queue")
    assert langfuse.scores()[-1]["value"] == -1
    assert len([each for each in caplog.records if each.name == "server.tracing.scores"]) == 1
    assert "sk-lf-private" not in caplog.text


async def test_a_refused_score_is_dropped_and_holds_up_no_other(langfuse, traces):
    langfuse.status = 400
    traces.score(thumb("up"))
    await until_async(langfuse.scores, what="the refused score")
    langfuse.status = 200
    traces.score(thumb("down", "msg_2"))
    await newest(langfuse, -1)
    assert [each["value"] for each in langfuse.scores()] == [1, -1]


async def test_thumbs_for_a_langfuse_that_hangs_wait_in_bounds_and_block_nobody(
    langfuse, traces, monkeypatch
):
    monkeypatch.setattr(scores, "MOST", 100)
    langfuse.answering.clear()
    traces.score(thumb("up", "first"))
    await asyncio.to_thread(langfuse.asked.wait, PATIENCE_S)
    for number in range(5000):
        traces.score(thumb("up", f"msg_{number}"))
    assert not langfuse.answering.is_set()
    assert len(traces.scores) == 100
    langfuse.answering.set()
    last = scores.thumb_score("", "run_1", "msg_4999", "up", SAID_MS).id
    await until_async(lambda: any(each["id"] == last for each in langfuse.scores()), what="the last one")
    assert len(langfuse.scores()) == 101


async def test_closing_the_traces_is_not_delayed_by_a_langfuse_that_hangs(langfuse, traces, monkeypatch):
    monkeypatch.setattr(scores, "CLOSE_S", 0.1)
    monkeypatch.setattr(telemetry, "FLUSH_S", 0.5)
    langfuse.answering.clear()
    traces.score(thumb("up"))
    await asyncio.to_thread(langfuse.asked.wait, PATIENCE_S)
    began = time.monotonic()
    await traces.aclose()
    assert time.monotonic() - began < PATIENCE_S / 2
    assert not langfuse.answering.is_set()


async def test_a_thumb_in_the_page_is_a_score_of_the_runs_trace(langfuse):
    environment = {
        "LOOPWIRE_DEMO_DELAY_MS": "0",
        "LANGFUSE_PUBLIC_KEY": "pk-lf-wire",
        "LANGFUSE_SECRET_KEY": "sk-lf-private",
        "LANGFUSE_BASE_URL": langfuse.url,
    }
    with served(environment) as running:
        visitor = Visitor(running)
        talk = await visitor.open()
        ack = await talk.say("quero vender um telemóvel", "c1")
        await talk.finished()
        message_id = [each["id"] for each in talk.transcript.messages if each["role"] == "assistant"][-1]
        for number, value in enumerate(("down", "up")):
            await talk.send(
                {"type": "feedback", "id": f"f{number}", "message_id": message_id, "value": value}
            )
            answer = await talk.until(lambda frame, wanted=f"f{number}": frame.get("id") == wanted)
            assert answer["type"] == "ack"
        session = talk.session
        await visitor.aclose()
        score = await newest(langfuse, 1)
    assert score["traceId"] == Langfuse.create_trace_id(seed=ack["run_id"])
    sent = b"".join(
        body for (path, _), body in zip(langfuse.requests, langfuse.bodies, strict=True) if path == SCORES
    )
    assert message_id.encode() not in sent
    assert session.encode() not in sent
