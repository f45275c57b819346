"""A run from its submit to its told end, over real parts."""

import asyncio
import json

import pytest
from agents.testing import ScriptedModel, assistant_message, function_call

from server.agents.service import RunLimits
from server.errors import Busy, IdReused
from server.protocol.commands import Cancel
from tests.integration.runs.instances import instance, message, settled
from tests.parts.wait import PATIENCE_S, until_async
from tests.unit.agents.teams import Bench

pytestmark = pytest.mark.once


async def test_shown_stored_and_reloaded_messages_are_equal(store, live_url):
    script = ScriptedModel(
        [[function_call("look", {"word": "abc"}, call_id="c1")], [assistant_message("Found ABC.")]]
    )
    async with instance(store, live_url, script) as here:
        session = await here.session()
        screen = await here.screen(session)
        ack = await here.say(session, "look up abc", "m-one")
        await until_async(lambda: screen.ends() == 1, what="the end")
        await settled(here, session)
        stored = await store.messages.transcript(session.id)
        snapshot = await here.runs.snapshot(session.id)
        assert screen.folded.messages == stored.messages == snapshot.transcript.messages
        assert [each["role"] for each in stored.messages] == ["user", "assistant", "tool", "assistant"]
        assert stored.messages[0]["id"] == ack.message_id
        assert stored.messages[-1]["content"] == "Found ABC."
        assert [entry.seq for entry in screen.entries] == list(range(1, len(screen.entries) + 1))
        position = await here.bus.reader.position(session.id)
        assert (snapshot.epoch, snapshot.seq) == (position.epoch, position.seq), "a client can resume from it"


async def test_the_same_message_twice_is_one_run_and_another_body_is_refused(store, live_url):
    async with instance(store, live_url, ScriptedModel([[assistant_message("Hi.")]])) as here:
        session = await here.session()
        first = await here.say(session, "hello", "same")
        again = await here.say(session, "hello", "same")
        assert (first.run_id, first.dup, again.run_id, again.dup) == (first.run_id, None, first.run_id, True)
        with pytest.raises(IdReused):
            await here.say(session, "other", "same")
        await settled(here, session)
        assert len((await store.messages.transcript(session.id)).messages) == 2


async def test_messages_that_are_sent_again_cost_no_room_for_others(store, live_url):
    script = ScriptedModel([[assistant_message("Hi.")], [assistant_message("Bye.")]])
    async with instance(store, live_url, script, capacity=2) as here:
        session = await here.session()
        await here.say(session, "hello", "same")
        await settled(here, session)
        for _ in range(4):
            assert (await here.say(session, "hello", "same")).dup
        await here.say(session, "goodbye")
        await settled(here, session, 2)


async def test_the_next_run_may_begin_when_the_log_has_the_end_and_not_before(store, live_url, monkeypatch):
    logs, told = [], store.runs.mark_published
    async with instance(store, live_url, ScriptedModel([[assistant_message("Hi.")]])) as here:
        session = await here.session()

        async def telling(run_id, fence):
            logs.append([entry.event["type"] for entry in await here.bus.reader.read(session.id, 0) or []])
            await told(run_id, fence)

        monkeypatch.setattr(store.runs, "mark_published", telling)
        await here.say(session, "hello")
        await settled(here, session)
    assert [each[-1:] for each in logs] == [["RUN_FINISHED"]]


async def test_three_messages_wait_in_their_order_and_the_next_is_refused(store, live_url):
    script = ScriptedModel(
        [[function_call("wait", {"name": "g"}, call_id="c1")], [assistant_message("one")]]
        + [[assistant_message(text)] for text in ("two", "three", "four")]
    )
    async with instance(store, live_url, script) as here:
        session = await here.session()
        screen = await here.screen(session)
        await here.say(session, "first")
        await here.bench.entered.get()
        for text in ("second", "third", "fourth"):
            await here.say(session, text)
        with pytest.raises(Busy):
            await here.say(session, "fifth")
        frame = await here.runs.queue(session.id)
        assert [item.text for item in frame.items] == ["second", "third", "fourth"]
        await until_async(lambda: any(json.loads(each)["type"] == "queue" for each in screen.frames))
        here.bench.gate("g").set()
        await settled(here, session, 4)
        said = [
            each["content"]
            for each in (await store.messages.transcript(session.id)).messages
            if each["role"] != "tool" and "content" in each
        ]
        assert said == ["first", "one", "second", "two", "third", "three", "fourth", "four"]


async def test_a_running_answer_stops_at_once_and_keeps_its_text(store, live_url):
    script = ScriptedModel(
        [[assistant_message("Before."), function_call("wait", {"name": "never"}, call_id="c1")]]
    )
    async with (
        instance(store, live_url, script) as here,
        instance(store, live_url, script, capacity=0) as there,
    ):
        session = await here.session()
        screen = await there.screen(session)
        ack = await here.say(session, "go")
        await here.bench.entered.get()
        end = asyncio.create_task(here.runs.wait_for_end_here(ack.run_id, PATIENCE_S))
        assert await there.runs.wait_for_end_here(ack.run_id, PATIENCE_S) is None, "it is executed elsewhere"
        stop = await there.runs.cancel(session, Cancel(type="cancel", id="x", run_id=ack.run_id))
        assert (stop.id, stop.run_id) == ("x", ack.run_id)
        # The tool waits for what never comes: only the stop ends this run.
        await until_async(lambda: screen.ends() == 1, what="the stop")
        assert screen.entries[-1].event["outcome"] == {"type": "cancelled"}
        told = await end
        assert told is not None
        assert told.outcome == "cancelled"
        await settled(here, session)
        stored = await store.messages.transcript(session.id)
        assert screen.folded.messages == stored.messages
        assert any(each.get("content") == "Before." for each in stored.messages)
        assert stored.messages[-1]["metadata"]["loopwire"]["ended"] == {"outcome": "cancelled"}


async def test_a_message_stopped_in_the_queue_still_tells_its_three_events(store, live_url):
    script = ScriptedModel([[function_call("wait", {"name": "g"}, call_id="c1")], [assistant_message("one")]])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        screen = await here.screen(session)
        await here.say(session, "first")
        await here.bench.entered.get()
        await here.say(session, "second", "m2")
        await here.runs.cancel(session, Cancel(type="cancel", id="x", message_id="m2"))
        assert (await here.runs.queue(session.id)).items == []
        here.bench.gate("g").set()
        await until_async(lambda: screen.ends() == 2, what="both ends")
        last = screen.types()[-5:]
        assert last == [
            "RUN_STARTED",
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "RUN_FINISHED",
        ]
        assert screen.entries[-1].event["outcome"] == {"type": "cancelled"}
        await settled(here, session, 2)
        before = list(screen.frames)
        await here.runs.cancel(session, Cancel(type="cancel", id="y", message_id="m2"))
        assert screen.frames == before, "nothing left the queue by that"
        nothing = await here.runs.cancel(session, Cancel(type="cancel", id="z", message_id="m3"))
        assert (nothing.id, nothing.run_id) == ("z", None)
        assert screen.folded.messages == (await store.messages.transcript(session.id)).messages


async def test_a_fault_of_ours_ends_the_run_with_a_neutral_error(store, live_url):
    async with instance(store, live_url, ScriptedModel([RuntimeError("sk-secret at db://internal")])) as here:
        session = await here.session()
        screen = await here.screen(session)
        await here.say(session, "go")
        await until_async(lambda: screen.ends() == 1, what="the error")
        assert screen.entries[-1].event["type"] == "RUN_ERROR"
        assert "secret" not in json.dumps([entry.event for entry in screen.entries])
        await settled(here, session)
        ended = (await store.messages.transcript(session.id)).messages[-1]["metadata"]["loopwire"]["ended"]
        assert ended["outcome"] == "error"


@pytest.mark.parametrize(
    ("language", "sentence"), [("en", "The answer broke off."), ("pt", "A resposta parou a meio.")]
)
async def test_the_message_of_an_error_is_a_sentence_in_the_language_of_who_wrote(
    store, live_url, language, sentence
):
    """A page that comes later, and reads what is stored, is told the same."""
    script = ScriptedModel([RuntimeError("broken")])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        screen = await here.screen(session)
        await here.runs.submit(session, message("go"), language)
        await until_async(lambda: screen.ends() == 1, what="the error")
        end = screen.entries[-1].event
        assert (end["code"], end["message"]) == ("internal", sentence)
        later = await here.runs.snapshot(session.id)
        assert (later.events[-1]["code"], later.events[-1]["message"]) == ("internal", sentence)
        await settled(here, session)


async def test_a_join_in_mid_run_shows_the_same_messages_as_to_others(store, live_url):
    script = ScriptedModel(
        [
            [assistant_message("Half."), function_call("wait", {"name": "g"}, call_id="c1")],
            [assistant_message("Whole.")],
        ]
    )
    async with (
        instance(store, live_url, script) as here,
        instance(store, live_url, script, capacity=0) as there,
    ):
        session = await here.session()
        first = await here.screen(session)
        await here.say(session, "go")
        await here.bench.entered.get()
        await until_async(lambda: "TOOL_CALL_END" in first.types(), what="the call")
        late = await there.screen(session)
        snapshot = await there.runs.snapshot(session.id)
        assert snapshot.before is None, "the conversation has no message before the first run's"
        for event in snapshot.events:
            late.folded.apply(event)
        here.bench.gate("g").set()
        await until_async(lambda: late.ends() == 1 and first.ends() == 1, what="both ends")
        assert late.folded.messages == first.folded.messages
        assert [e.seq for e in late.entries if e.seq > snapshot.seq] == list(
            range(snapshot.seq + 1, first.entries[-1].seq + 1)
        )


async def test_a_message_object_is_told_by_its_own_id(store, live_url):
    assert message("hi", "abc").id == "abc"


async def test_a_run_whose_services_time_is_over_ends_with_what_there_is(store, live_url):
    script = ScriptedModel(
        [[assistant_message("I will see."), function_call("wait", {"name": "never"}, call_id="c1")]]
    )
    bench = Bench(limits=RunLimits(seconds=1.5))
    async with instance(store, live_url, script, bench=bench) as here:
        session = await here.session()
        screen = await here.screen(session)
        await here.say(session, "hello")
        await until_async(lambda: screen.ends() == 1, what="the end")
        assert screen.entries[-1].event["code"] == "limit"
        await settled(here, session)


async def test_only_an_end_with_a_callback_is_announced_to_the_sender(store, live_url):
    announced = []
    script = ScriptedModel([[assistant_message("Hi.")], [assistant_message("Bye.")]])
    async with instance(store, live_url, script, on_end=lambda: announced.append(True)) as here:
        for url, count in ((None, 0), ("https://shop.example/hook", 1)):
            session = await here.session(callback_url=url)
            await here.say(session, "hello")
            await settled(here, session)
            await until_async(here.runs.worker.slots.idle.is_set, what="the run to be left")
            assert len(announced) == count
