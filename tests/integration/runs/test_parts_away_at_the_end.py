"""The database or Redis is away as an execution ends: it leaves the run to others, and no error behind."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from agents.testing import ScriptedModel, assistant_message, function_call

from server.errors import Unavailable
from server.protocol.commands import Edit, TextPart
from server.protocol.events import ours
from server.runs.execution.follow_up import HOPELESS_ATTEMPTS
from tests.integration.runs.instances import instance, rested
from tests.integration.runs.test_executing import names
from tests.parts.wait import until_async

WAIT = [function_call("wait", {"name": "g"}, call_id="c1")]


async def away(*_: Any, **_more: Any) -> Any:
    raise Unavailable


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.levelno >= logging.ERROR]


async def test_a_lease_that_cannot_be_given_up_is_left_to_its_time(store, live_url, monkeypatch, caplog):
    async with instance(store, live_url, ScriptedModel([WAIT]), lease_s=600) as here:
        ack = await here.say(await here.session(), "hello")
        await here.bench.entered.get()
        monkeypatch.setattr(store.runs, "release", away)
        await here.runs.worker.aclose(drain_s=0)
    assert (await store.runs.get(ack.run_id)).status == "running"
    assert errors(caplog) == []


@pytest.mark.once
async def test_the_end_of_a_hopeless_run_that_can_be_neither_stored_nor_shown_is_left_to_the_next_attempt(
    store, live_url, monkeypatch, caplog
):
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        ack = await here.say(await here.session(), "hello")
        for _ in range(HOPELESS_ATTEMPTS):
            assert await store.runs.claim("doomed", -1) is not None
        monkeypatch.setattr(store.runs, "finish", away)
        monkeypatch.setattr(here.bus, "writer", away)
        here.runs.worker.start(1)
        waits = "run waits until its lease expires, a part is unavailable"
        await until_async(lambda: waits in caplog.messages, what="the attempt to end")
        await rested(here)
    assert (await store.runs.get(ack.run_id)).status == "running"
    assert errors(caplog) == []


@pytest.mark.once
async def test_a_hopeless_edit_is_given_up_on_the_path_of_its_version(store, live_url):
    async with instance(store, live_url, ScriptedModel([[assistant_message("Hi.")]])) as before:
        session = await before.session()
        first = await before.say(session, "hello")
        await rested(before)
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        part = TextPart(type="text", text="good morning")
        edit = Edit(type="edit", id="e1", message_id=str(first.message_id), content=[part])
        ack = await here.runs.versions.edit(session, edit, "en")
        for _ in range(HOPELESS_ATTEMPTS):
            assert await store.runs.claim("doomed", -1) is not None
        here.runs.worker.start(1)

        async def ended() -> bool:
            return (await store.runs.get(ack.run_id)).status == "finished"

        await until_async(ended, what="the end")
        await rested(here)
    (message,) = (await store.messages.transcript(session.id)).messages
    assert (message["content"], ours(message)["versions"]) == (
        "good morning",
        [first.message_id, ack.message_id],
    )


async def test_a_process_that_leaves_sweeps_no_more_while_its_last_run_ends(store, live_url):
    async with instance(store, live_url, ScriptedModel([WAIT, [assistant_message("Done.")]])) as here:
        ack = await here.say(await here.session(), "hello")
        await here.bench.entered.get()
        leaving = asyncio.ensure_future(here.runs.worker.aclose(drain_s=600))
        await until_async(lambda: "runs sweep" not in names(), what="the sweeping to end")
        assert f"run {ack.run_id}" in names()
        here.bench.gate("g").set()
        await leaving
    assert (await store.runs.get(ack.run_id)).outcome == "success"


async def test_a_claim_that_is_not_answered_in_time_does_not_keep_its_process(store, live_url, monkeypatch):
    asked = asyncio.Event()

    async def silent(*_: Any) -> Any:
        asked.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(store.runs, "claim", silent)
    async with instance(store, live_url, ScriptedModel([])) as here:
        await asked.wait()
        assert "runs claim one" in names()
        await here.runs.worker.aclose(drain_s=0)
        assert "runs claim one" not in names()


async def test_an_input_that_is_claimed_as_it_is_stored_is_told_to_readers_once(store, live_url, monkeypatch):
    """Something was before it when it was tried first, and is not any more."""
    told: list[Any] = []

    async def taken_back(*_: Any, **_more: Any) -> None:
        return None

    async with instance(store, live_url, ScriptedModel([[assistant_message("Hi.")]])) as here:
        note = here.bus.idle_proof.note_waiting

        async def noting(*about: str) -> None:
            told.append(about)
            await note(*about)

        monkeypatch.setattr(here.bus.idle_proof, "note_waiting", noting)
        monkeypatch.setattr(store.runs, "submit_at_once", taken_back)
        session = await here.session()
        await here.say(session, "hello", "m1")
        await rested(here)
        assert told == [(session.id, "m1")]
        assert (await here.runs.queue(session.id)).items == []
