"""The beginning of a run in the log: anew, after a holder that died, and after a log that was lost."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

import pytest
import redis
from agents.testing import ScriptedModel, assistant_message

from server.bus.log.log import log_key, meta_key
from server.errors import Fenced
from server.protocol import events as ev
from server.runs.execution.lease import Lease
from server.runs.execution.opening import start_event
from tests.integration.runs.instances import instance, rested
from tests.integration.runs.test_executing import slowly
from tests.parts.wait import paced, until_async


def says(*texts: str) -> ScriptedModel:
    return ScriptedModel([[assistant_message(each)] for each in texts])


@pytest.mark.once
async def test_a_log_that_was_lost_between_runs_goes_on_after_the_end_that_was_told(store, live_url):
    """No number is given twice: a reader could not tell the two apart."""
    async with instance(store, live_url, says("Hi.", "Well.")) as here:
        session = await here.session()
        screen = await here.screen(session)
        await here.say(session, "hello")
        await rested(here)
        told = screen.entries[-1].seq
        with redis.Redis.from_url(live_url) as client:
            client.delete(log_key(session.id), meta_key(session.id))
        ack = await here.say(session, "how are you?")
        await rested(here)
    assert (await store.runs.get(ack.run_id)).first_seq == told + 1


@pytest.mark.once
async def test_a_run_that_nobody_held_before_does_not_read_the_log(store, live_url, monkeypatch):
    async with instance(store, live_url, says("Hi.", "Well.")) as here:
        session = await here.session()
        await here.say(session, "hello")
        await rested(here)
        read, asked = here.bus.reader.read, []

        async def reading(*args: Any, **more: Any) -> Any:
            asked.append(args)
            return await read(*args, **more)

        monkeypatch.setattr(here.bus.reader, "read", reading)
        await here.say(session, "how are you?")
        await rested(here)
    assert asked == []


async def test_a_run_whose_holder_died_before_its_first_event_is_begun_by_the_next(store, live_url):
    """The log ends with the run before it."""
    async with instance(store, live_url, says("Hi.")) as before:
        session = await before.session()
        await before.say(session, "hello")
        await rested(before)
    async with instance(store, live_url, says("Well."), capacity=0) as here:
        ack = await here.say(session, "how are you?")
        assert await store.runs.claim("doomed", -1) is not None
        screen = await here.screen(session)
        here.runs.worker.start(1)
        await until_async(lambda: screen.ends() == 1, what="the end")
        await rested(here)
    assert screen.types()[0] == "RUN_STARTED"
    run = await store.runs.get(ack.run_id)
    assert (run.outcome, run.attempt, run.first_seq) == ("success", 2, screen.entries[0].seq)


@pytest.mark.once
@pytest.mark.parametrize("expired", [False, True], ids=["a whole log", "a log whose events have expired"])
async def test_open_parts_of_an_earlier_holder_are_closed_before_its_run_goes_on(store, live_url, expired):
    async with instance(store, live_url, says("whole"), capacity=0) as here:
        session = await here.session()
        screen = await here.screen(session)
        ack = await here.say(session, "hello")
        claim = await store.runs.claim("doomed", -1)
        writer = await here.bus.writer(session.id, fence=claim.run.fence, floor=0)
        await writer.publish(
            start_event(claim.run),
            ev.step_started("first"),
            ev.text_start("msg_1", "assistant"),
            ev.text_content("msg_1", "to"),
        )
        await writer.aclose()
        before = len(screen.entries)
        if expired:
            with redis.Redis.from_url(live_url) as client:
                client.delete(log_key(session.id))
        here.runs.worker.start(1)
        await until_async(lambda: screen.ends() == 1, what="the end")
        await rested(here)
        again = screen.types()[before:]
    run = await store.runs.get(ack.run_id)
    assert (run.outcome, run.attempt) == ("success", 2)
    if expired:
        assert (again[0], run.first_seq) == ("RUN_STARTED", before + 1)
        return
    assert again[:4] == ["TEXT_MESSAGE_END", "STEP_FINISHED", "MESSAGES_SNAPSHOT", "STATE_SNAPSHOT"]
    assert "RUN_STARTED" not in again
    assert run.first_seq == 1
    assert screen.folded.messages == (await store.messages.transcript(session.id)).messages


@pytest.mark.once
async def test_a_message_leaves_the_queue_that_is_shown_once_it_is_in_the_log(store, live_url, monkeypatch):
    held, gate, asked = asyncio.Event(), asyncio.Event(), []
    read = store.runs.queue

    async def reading(session_id: str) -> Any:
        asked.append(session_id)
        return await read(session_id)

    async with instance(store, live_url, says("Hi."), capacity=0) as here:
        session = await here.session()
        await here.say(session, "hello")
        monkeypatch.setattr(store.runs, "queue", reading)
        monkeypatch.setattr(here.bus.log, "append", slowly(here.bus.log.append, held, gate))
        here.runs.worker.start(1)
        await held.wait()
        for _ in range(20):
            await paced(0)
        assert asked == []
        gate.set()
        await until_async(lambda: asked == [session.id], what="the queue to be shown")
        await rested(here)


async def test_a_log_that_another_takes_as_a_run_begins_leaves_no_error_behind(
    store, live_url, monkeypatch, caplog
):
    async with (
        instance(store, live_url, says("Hi."), capacity=0) as here,
        instance(store, live_url, says(), capacity=0) as other,
    ):
        session = await here.session()
        await here.say(session, "hello")
        claim = await store.runs.claim("me", 600)
        assert claim is not None
        read = here.runs.snapshots.conversation

        async def taken(*args: Any) -> Any:
            await other.bus.writer(session.id, fence=claim.run.fence + 1, floor=0)
            return await read(*args)

        monkeypatch.setattr(here.runs.snapshots, "conversation", taken)
        lease = Lease(claim.run, time.monotonic() + 600, asyncio.current_task())
        with pytest.raises(Fenced):
            await here.runs.worker.executor.prepare(claim, lease, queued=False).execute()
        assert here.bus.hub.writer(session.id) is None
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []
