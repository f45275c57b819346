"""The outlet of a run over a real log: what is shown is what is folded, in this order, within the bounds of the log."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from agents.testing import ScriptedModel

from server.bus.writer.writer import MOST_UNWRITTEN
from server.protocol import events as ev
from server.protocol.shown_state import MOST_BYTES
from server.protocol.transcript import Transcript
from server.runs.execution.lease import Lease
from server.runs.execution.opening import start_event
from server.runs.execution.outlet import RunOutlet
from server.store import Store
from tests.integration.runs.instances import Instance, Screen, instance
from tests.parts.wait import until_async


@dataclass
class Opened:
    """The outlet of a run that was just claimed, and all that a test looks at."""

    here: Instance
    outlet: RunOutlet
    lease: Lease
    screen: Screen
    passed: list[str]
    """The places that the run passed at which a process may die."""
    seqs: list[int]
    """Of the last event that was appended at each of them."""

    async def logged(self) -> list[dict[str, Any]]:
        """Return the events of the log."""
        await self.outlet.writer.wait_until_published(self.outlet.writer.seq)
        entries = await self.here.bus.reader.read(self.outlet.run.session_id, 0) or []
        return [each.event for each in entries]


@asynccontextmanager
async def opened(store: Store, url: str) -> AsyncIterator[Opened]:
    async with instance(store, url, ScriptedModel([]), capacity=0) as here:
        session = await here.session()
        await here.say(session, "hello")
        claim = await store.runs.claim("me", 60)
        assert claim is not None
        writer = await here.bus.writer(session.id, fence=claim.run.fence, floor=0)
        lease = Lease(claim.run, time.monotonic() + 60, None)
        passed, seqs = list[str](), list[int]()

        def point(place: str) -> None:
            passed.append(place)
            seqs.append(writer.seq)

        outlet = RunOutlet(claim, store, lease, writer, Transcript(), point)
        yield Opened(here, outlet, lease, await here.screen(session), passed, seqs)
        await writer.aclose()


async def test_appended_and_published_events_are_folded_and_in_the_log(store, live_url):
    async with opened(store, live_url) as one:
        start = start_event(one.outlet.run)
        said = [ev.text_start("msg_1", "assistant"), ev.text_content("msg_1", "Hi."), ev.text_end("msg_1")]
        await one.outlet.publish(start)
        assert one.outlet.writer.cursor.acked == 1, "it is in the log"
        one.outlet.append(said[0])
        one.outlet.append(said[1])
        await one.outlet.publish(said[2])
        assert await one.logged() == [start, *said]
        assert [each["content"] for each in one.outlet.folded.messages] == ["Hi."]
        assert one.passed == [
            "publish.RUN_STARTED",
            "append.TEXT_MESSAGE_START",
            "append.TEXT_MESSAGE_CONTENT",
            "publish.TEXT_MESSAGE_END",
        ]
        assert one.seqs == [1, 2, 3, 4]
        await until_async(lambda: one.screen.folded.messages == one.outlet.folded.messages, what="the screen")


@pytest.mark.once
async def test_an_event_that_cannot_be_folded_is_not_shown(store, live_url):
    async with opened(store, live_url) as one:
        await one.outlet.publish(start_event(one.outlet.run))
        with pytest.raises(KeyError):
            one.outlet.append({"type": "TEXT_MESSAGE_CONTENT", "delta": "to nobody"})
        assert [each["type"] for each in await one.logged()] == ["RUN_STARTED"]
        assert one.passed == ["publish.RUN_STARTED"]


async def test_a_large_result_that_cannot_wait_for_the_store_is_told_by_its_size(store, live_url):
    async with opened(store, live_url) as one:
        await one.outlet.publish(start_event(one.outlet.run), ev.tool_start("cal_1", "look"))
        one.outlet.append(ev.tool_result("res_1", "cal_1", "x" * (MOST_BYTES + 1)))
        told = {"bytes": MOST_BYTES + 1, "media_type": "application/json"}
        assert json.loads((await one.logged())[-1]["content"]) == told
        assert json.loads(one.outlet.folded.messages[-1]["content"]) == told


@pytest.mark.once
async def test_a_run_waits_for_room_when_too_many_events_are_unwritten(store, live_url):
    async with opened(store, live_url) as one:
        await one.outlet.publish(start_event(one.outlet.run), ev.text_start("msg_1", "assistant"))
        for _ in range(2 * MOST_UNWRITTEN):
            one.outlet.append(ev.text_content("msg_1", "x"))
        await one.outlet.wait_for_room()
        assert len(one.outlet.writer.cursor.tail) <= MOST_UNWRITTEN


async def test_a_run_stops_with_its_lease_and_with_its_user(store, live_url):
    async with opened(store, live_url) as one:
        assert (one.outlet.is_over, one.outlet.cancelled.is_set()) == (False, False)
        one.lease.cancelled.set()
        assert (one.outlet.is_over, one.outlet.cancelled.is_set()) == (False, True)
        one.lease.lose()
        assert one.outlet.is_over
        assert one.outlet.ledger is store.ledger


@pytest.mark.once
async def test_the_cost_of_a_run_is_known_once_it_is_noted(store, live_url):
    async with opened(store, live_url) as one:
        assert one.outlet.cost == {}
        one.outlet.note_cost({"totalTokens": 3})
        assert one.outlet.cost == {"totalTokens": 3}


@pytest.mark.once
async def test_the_messages_of_a_run_are_its_own_and_those_that_it_changed(store, live_url):
    async with opened(store, live_url) as one:
        content = {"kind": "form", "status": "open"}
        before = [
            {"id": id, "role": "activity", "activityType": "block", "content": content, "metadata": {}}
            for id in ("blk_1", "blk_2")
        ]
        one.outlet.folded = Transcript.of(before, {})
        closed = [{"op": "add", "path": "/status", "value": "closed"}]
        await one.outlet.publish(
            start_event(one.outlet.run),
            ev.text_start("msg_1", "assistant"),
            ev.text_end("msg_1"),
            ev.activity_delta("blk_1", "block", closed),
        )
        assert [each["id"] for each in one.outlet.messages()] == ["msg_1", "blk_1"]
