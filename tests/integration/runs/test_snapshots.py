"""A snapshot is made of the stored messages, and of the log after them, where there is one."""

from __future__ import annotations

import pytest
import redis
from agents.testing import ScriptedModel, assistant_message, function_call

from server.bus import BusDown
from server.bus.log.log import log_key, meta_key
from server.runs import epoch_without_log
from server.runs.conversation import snapshots
from server.runs.conversation.snapshots import Snapshots
from server.runs.execution.opening import start_event
from tests.contract.store.conftest import Talk
from tests.integration.runs.instances import instance, rested
from tests.parts.wait import until_async


async def test_a_snapshot_without_a_log_has_the_messages_up_to_the_last_end(store, live_url):
    """A client that has it is behind no end, and ahead of none that comes."""
    script = ScriptedModel([[assistant_message("Hi.")]])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        empty = await here.runs.snapshot(session.id)
        assert (empty.epoch, empty.seq, empty.transcript.messages) == (epoch_without_log(0), 0, [])
        assert empty.events[0]["threadId"] == session.id
        await here.say(session, "hello")
        await rested(here)
        whole = await here.runs.snapshot(session.id)
        with redis.Redis.from_url(live_url) as client:
            client.delete(log_key(session.id), meta_key(session.id))
        stored = await here.runs.snapshot(session.id)
        after = await store.sessions.load(session.id)
    assert stored.transcript.messages == whole.transcript.messages
    assert (stored.epoch, stored.seq) == (epoch_without_log(after.fence), whole.seq)
    assert stored.epoch.startswith("0.") and not whole.epoch.startswith("0.")
    assert stored.before is None


async def test_a_snapshot_has_the_stored_messages_when_redis_is_away(store, live_url, monkeypatch, caplog):
    async def away(*_):
        raise BusDown

    script = ScriptedModel([[assistant_message("Hi.")]])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        await here.say(session, "hello")
        await rested(here)
        whole = await here.runs.snapshot(session.id)
        monkeypatch.setattr(here.bus.reader, "read", away)
        monkeypatch.setattr(here.bus.reader, "position", away)
        stored = await here.runs.snapshot(session.id)
        after = await store.sessions.load(session.id)
    assert stored.transcript.messages == whole.transcript.messages
    assert (stored.epoch, stored.seq) == (epoch_without_log(after.fence), whole.seq)
    (line,) = [each for each in caplog.records if each.getMessage() == "snapshot without the live log"]
    assert line.name == "server.runs.conversation.snapshots"


@pytest.mark.once
async def test_stored_messages_and_the_log_after_them_are_read_apart(store, live_url):
    waiting = [function_call("wait", {"name": "g"}, call_id="c1")]
    script = ScriptedModel([[assistant_message("Hi.")], waiting, [assistant_message("Well.")]])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        screen = await here.screen(session)
        await here.say(session, "hello")
        await rested(here)
        # The stored messages reach to before the end of their run.
        last = screen.entries[-2].seq
        second = await here.say(session, "how are you?")
        await here.bench.entered.get()
        await until_async(lambda: "TOOL_CALL_END" in screen.types(), what="the call")
        before, seq, entries = await here.runs.snapshots.since(session.id)
        stored = await here.runs.snapshots.read_stored(session.id)
        assert [each["content"] for each in before.messages] == ["hello", "Hi."]
        assert stored.messages == before.messages
        assert seq == last
        assert [each.seq for each in entries] == list(range(last + 1, screen.entries[-1].seq + 1))
        assert [each.event["runId"] for each in entries if each.event["type"] == "RUN_STARTED"] == [
            second.run_id
        ]
        before.messages.clear()
        assert (await here.runs.snapshots.read_stored(session.id)).messages != [], "each has its own"
        here.bench.gate("g").set()
        await rested(here)


async def test_a_snapshot_has_the_public_state_only_and_that_of_its_last_run(store, live_url):
    script = ScriptedModel(
        [[function_call("pay", {"amount": 3}, call_id="c1")], [assistant_message("Paid.")]]
    )
    async with instance(store, live_url, script) as here:
        session = await here.session()
        await here.say(session, "pay")
        await rested(here)
        warm = await here.runs.snapshot(session.id)
        here.runs.snapshots.kept.clear()
        await here.bus.forget(session.id)
        cold = await here.runs.snapshot(session.id)
    assert warm.transcript.state == cold.transcript.state
    assert warm.transcript.state["paid"] == 3
    assert "tok_9" not in str(warm.transcript.state)


async def test_conversations_that_no_other_process_needs_are_kept_here_alone(store, live_url, monkeypatch):
    script = ScriptedModel([[assistant_message("Hi.")]])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        await here.say(session, "hello")
        await rested(here)

        async def nobody(*_):
            raise AssertionError("asked")

        monkeypatch.setattr(here.bus.cache, "get", nobody)
        monkeypatch.setattr(here.bus.cache, "put", nobody)
        alone = Snapshots(store, here.bus, most_bytes=1 << 20, shared=False)
        read = await alone.fold_log(session.id)
        assert [each["content"] for each in read.transcript.messages] == ["hello", "Hi."]
        assert len(alone.kept) == 1


async def test_a_run_goes_on_with_the_messages_and_items_that_a_join_has_not_read(store, live_url):
    """A join reads messages alone, and what is kept of that is not enough for a run."""
    script = ScriptedModel([[assistant_message("Hi.")], [assistant_message("Well.")]])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        await here.say(session, "hello")
        await rested(here)
        here.runs.snapshots.kept.clear()
        await here.bus.forget(session.id)
        await here.runs.snapshot(session.id)
        await here.say(session, "how are you?")
        await rested(here)
    assert [each["content"] for each in script.calls[1].input] == ["hello", "Hi.", "how are you?"]


@pytest.mark.once
@pytest.mark.parametrize("count", [snapshots.SHOWN, snapshots.SHOWN + 1])
async def test_a_snapshot_has_a_cursor_only_when_there_are_older_messages(store, live_url, count):
    texts = [f"answer {each}" for each in range(count - 1)]
    script = ScriptedModel([[assistant_message(each) for each in texts]])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        await here.say(session, "hello")
        await rested(here)
        taken = await here.runs.snapshot(session.id)
        shown = taken.events[1]["messages"]
    assert len(taken.transcript.messages) == count
    assert len(shown) == snapshots.SHOWN == 50
    assert taken.before == (shown[0]["id"] if count > snapshots.SHOWN else None)


@pytest.mark.once
@pytest.mark.parametrize("whole", [True, False], ids=["a whole log", "a log that lost its end"])
async def test_a_snapshot_with_an_unpublished_end_has_the_place_in_a_whole_log(store, live_url, whole):
    """A reader goes on in the log from there, or waits for the log that begins anew."""
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        session = await here.session()
        talk = Talk(store, session)
        await talk.say("hello")
        claim = await talk.claim()
        writer = await here.bus.writer(session.id, fence=claim.run.fence, floor=0)
        await writer.publish(start_event(claim.run))
        await writer.aclose()
        last = writer.seq if whole else writer.seq + 5
        await talk.finish(claim, "Hi.", published=False, first_seq=1, last_seq=last)
        taken = await here.runs.snapshot(session.id)
        position = await here.bus.reader.position(session.id)
        fence = (await store.sessions.load(session.id)).fence
    assert position is not None
    expected = (position.epoch, last) if whole else (epoch_without_log(fence), last + 1)
    assert (taken.epoch, taken.seq) == expected
