"""The only end that a run can still come to is shown though the store refuses it, and an end that nobody told is."""

from __future__ import annotations

import pytest
import redis
from agents.testing import ScriptedModel, assistant_message

from server.bus.log.log import log_key, meta_key
from server.protocol import events as ev
from server.protocol.commands import Edit, TextPart
from server.protocol.events import ours
from server.runs import crash_points
from server.runs.execution.opening import start_event
from server.runs.execution.sweep import Sweep
from server.runs.execution.unpublished_ends import publish_stored_end, show_end_before_commit
from server.words import failure_sentence
from tests.contract.store.conftest import Talk
from tests.integration.runs.instances import forever, instance, message, rested
from tests.integration.runs.test_take_over import dying
from tests.parts.wait import until_async


async def test_a_run_without_a_log_is_shown_with_what_began_it_and_its_end_once(store, live_url):
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        session = await here.session()
        screen = await here.screen(session)
        await here.runs.submit(session, message("hello"), "fr")
        claim = await store.runs.claim("me", 60)
        for _ in range(2):
            await show_end_before_commit(claim, here.bus)
        await until_async(lambda: screen.ends() == 1, what="the end")
        assert screen.types() == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_ERROR"]
        assert ours(screen.entries[1].event) == {"scope": "run", "attempt": 1}
        assert [each["content"] for each in screen.folded.messages] == ["hello"]
        end = screen.entries[-1].event
        assert (end["code"], ours(end)) == ("instance_lost", {"run_id": claim.run.id})
        assert end["message"] == failure_sentence("instance_lost", "fr")
        assert (here.bus.hub.writer(session.id), here.bus.flusher.held_writers) == (None, 0)


@pytest.mark.once
@pytest.mark.parametrize("lost", ["nothing", "the events", "the log"])
async def test_a_run_after_others_is_shown_with_its_end_after_all_that_was_told(store, live_url, lost: str):
    async with instance(store, live_url, ScriptedModel([[assistant_message("Hi.")]]), lease_s=600) as before:
        session = await before.session()
        await before.say(session, "hello")
        await rested(before)
        told = (await before.bus.reader.position(session.id)).seq
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        await here.say(session, "how are you?")
        claim = await store.runs.claim("me", 60)
        with redis.Redis.from_url(live_url) as client:
            if lost != "nothing":
                client.delete(log_key(session.id), *([meta_key(session.id)] if lost == "the log" else []))
        await show_end_before_commit(claim, here.bus)
        shown = await here.bus.reader.read(session.id, told)
    assert [each.seq for each in shown] == [told + 1, told + 2, told + 3]
    assert [each.event["type"] for each in shown] == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_ERROR"]


async def test_open_parts_of_an_earlier_holder_are_closed_before_the_end_is_shown(store, live_url):
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        session = await here.session()
        screen = await here.screen(session)
        await here.say(session, "hello")
        claim = await store.runs.claim("me", 60)
        writer = await here.bus.writer(session.id, fence=claim.run.fence, floor=session.last_seq)
        await writer.publish(start_event(claim.run), ev.text_start("msg_1", "assistant"))
        await writer.aclose()
        await show_end_before_commit(claim, here.bus)
        await until_async(lambda: screen.ends() == 1, what="the end")
        assert screen.types()[2:] == ["TEXT_MESSAGE_END", "RUN_ERROR"]
        assert (screen.folded.run.status, screen.folded.run.code) == ("error", "instance_lost")


@pytest.mark.once
@pytest.mark.parametrize("outcome", ["success", "cancelled", "error"])
async def test_an_end_whose_log_is_lost_is_told_with_its_messages_and_as_it_is_stored(
    store, live_url, outcome
):
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        session = await here.session()
        screen = await here.screen(session)
        talk = Talk(store, session)
        await talk.say("hello")
        claim = await talk.claim()
        code = "limit" if outcome == "error" else None
        run_id = claim.run.id
        await talk.finish(claim, "Hi.", published=False, outcome=outcome, code=code, first_seq=1)
        await Sweep(store, here.bus, 0, forever).publish_ends()
        await until_async(lambda: screen.ends() == 1, what="the end")
        assert screen.types()[:2] == ["RUN_STARTED", "MESSAGES_SNAPSHOT"]
        assert [each["content"] for each in screen.folded.messages] == ["hello", "Hi."]
        assert ours(screen.entries[1].event) == {"scope": "run", "attempt": 1}
        end = screen.entries[-1].event
        assert (end.get("code"), end.get("outcome")) == (code, None if code else {"type": outcome})
        names = ours(end).get("run_id") if code else (end["threadId"], end["runId"])
        assert names == (run_id if code else (session.id, run_id))
        assert end.get("message") == (failure_sentence(code, "pt") if code else None)
        assert (await store.runs.get(run_id)).published
        assert (here.bus.hub.writer(session.id), here.bus.flusher.held_writers) == (None, 0)


async def test_an_end_whose_events_have_expired_is_told_with_its_messages(store, live_url):
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        session = await here.session()
        talk = Talk(store, session)
        await talk.say("hello")
        claim = await talk.claim()
        writer = await here.bus.writer(session.id, fence=claim.run.fence, floor=0)
        await writer.publish(start_event(claim.run), ev.text_start("msg_1", "assistant"))
        await writer.aclose()
        await talk.finish(claim, "Hi.", published=False, first_seq=1, last_seq=writer.seq)
        with redis.Redis.from_url(live_url) as client:
            client.delete(log_key(session.id))
        await Sweep(store, here.bus, 0, forever).publish_ends()
        told = await here.bus.reader.read(session.id, writer.seq)
    assert [each.event["type"] for each in told] == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]
    assert (await store.runs.get(claim.run.id)).published


async def test_an_end_that_is_in_the_log_is_not_told_again(store, live_url):
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        session = await here.session()
        screen = await here.screen(session)
        talk = Talk(store, session)
        await talk.say("hello")
        claim = await talk.claim()
        writer = await here.bus.writer(session.id, fence=claim.run.fence, floor=0)
        await writer.publish(start_event(claim.run), ev.run_finished(session.id, claim.run.id))
        await writer.aclose()
        await talk.finish(claim, published=False, first_seq=1, last_seq=1)
        await publish_stored_end((await store.runs.list_unpublished(0))[0], store, here.bus)
        assert (await store.runs.get(claim.run.id)).published
        assert len(await here.bus.reader.read(session.id, 0)) == 2
        assert screen.ends() == 1


@pytest.mark.once
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_an_end_on_another_path_whose_log_is_lost_is_told_with_that_path(store, live_url):
    script = ScriptedModel([[assistant_message("Hi.")], [assistant_message("Good morning.")]])
    async with instance(store, live_url, script, lease_s=600) as before:
        session = await before.session()
        first = await before.say(session, "hello")
        await rested(before)
    dies = dying(crash_points.AFTER_FINISH)
    async with instance(store, live_url, script, lease_s=600, point=dies) as here:
        part = TextPart(type="text", text="good morning")
        edit = Edit(type="edit", id="e1", message_id=first.message_id, content=[part])
        ack = await here.runs.versions.edit(session, edit, "en")

        async def unpublished() -> bool:
            return bool(await store.runs.list_unpublished(0))

        await until_async(unpublished, what="the end that is not published")
        await rested(here)
    with redis.Redis.from_url(live_url) as client:
        client.delete(log_key(session.id), meta_key(session.id))
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as other:
        screen = await other.screen(session)
        await Sweep(store, other.bus, 0, forever).publish_ends()
        await until_async(lambda: screen.ends() == 1, what="the end")
        assert screen.types() == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "STATE_SNAPSHOT", "RUN_FINISHED"]
        assert ours(screen.entries[1].event)["scope"] == "path"
        assert screen.folded.messages == (await store.messages.transcript(session.id)).messages
        assert [each["content"] for each in screen.folded.messages] == ["good morning", "Good morning."]
        assert (await store.runs.get(ack.run_id)).published
