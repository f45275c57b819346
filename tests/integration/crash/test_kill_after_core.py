"""The narrowest place: Core has made the item, and the process dies before it could note that it has."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from server.agents.model.providers import OneModel
from server.agents.run.runner import AgentRunner
from server.bus import Bus
from server.demo import DemoModel
from server.limits import Limits
from server.loopos.core import Core, EmbeddedCore
from server.loopos.pictures import Pictures
from server.protocol.ids import new_id
from server.runs import RunCommands
from server.runs.conversation.snapshots import Snapshots
from server.runs.crash_points import pass_on
from server.runs.session_queue import SessionQueue
from server.runs.worker import Worker
from server.services import services
from server.store import Session, Store
from tests.integration.runs.instances import message, open_store
from tests.parts.wait import until_async


class Stuck:
    """A ledger that never comes back from noting an end: what is after it does not happen."""

    def __init__(self, ledger: Any) -> None:
        self.reached = asyncio.Event()
        self._ledger = ledger

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    async def keep_result(self, *_: Any) -> None:
        self.reached.set()
        await asyncio.Event().wait()


@asynccontextmanager
async def instance(store: Store, bus_url: str) -> AsyncIterator[RunCommands]:
    """Yield one process's worth of runs, with the real services and the demo model."""
    bus, known = Bus(bus_url, flush_ms=5), services()
    await bus.start()
    core = await EmbeddedCore.open(store.database, store.webhooks)
    runner = AgentRunner(
        OneModel(DemoModel(0)),
        known,
        conversations=store.sessions,
        resources={Core: core, Pictures: store.blobs},
    )
    snapshots = Snapshots(store, bus, most_bytes=1 << 20, shared=True)
    queue = SessionQueue(store, bus)
    worker = Worker(
        store=store,
        bus=bus,
        runner=runner,
        services=known,
        owner=new_id("own"),
        lease_s=5,
        snapshots=snapshots,
        queue=queue,
        point=pass_on,
        on_end=lambda: None,
    )
    runs = RunCommands(
        store=store,
        bus=bus,
        runner=runner,
        services=known,
        worker=worker,
        snapshots=snapshots,
        queue=queue,
        point=pass_on,
        budgets={},
        limits=Limits(),
    )
    worker.start(4)
    try:
        yield runs
    finally:
        await worker.aclose(drain_s=0)
        await bus.aclose()


async def answered(store: Store, runs: RunCommands, session: Session, text: str) -> None:
    """Say something and wait until its run is told."""
    ack = await runs.submit(session, message(text), "pt")

    async def is_published() -> bool:
        return (await store.runs.get(str(ack.run_id))).published

    await until_async(is_published, what="the answer")


@pytest.mark.once
async def test_an_item_that_was_made_before_the_crash_is_found_again(
    tmp_path: Path, live_url: str, durable_url: str | None
) -> None:
    async with open_store(durable_url, tmp_path) as store:
        session = await store.sessions.create(
            app="demo", principal="vis_1", service="submission", language="pt"
        )
        ledger = store.ledger
        stuck = Stuck(ledger)
        store.ledger = stuck  # type: ignore[assignment]
        async with instance(store, live_url) as dying:
            await answered(store, dying, session, "Polly Magic")
            ack = await dying.submit(session, message("sim"), "pt")
            await stuck.reached.wait()
            (made,) = await (await EmbeddedCore.open(store.database, store.webhooks)).items("vis_1", 10)
        store.ledger = ledger
        async with instance(store, live_url):

            async def is_published() -> bool:
                return (await store.runs.get(str(ack.run_id))).published

            await until_async(is_published, what="the other to finish")
            run = await store.runs.get(str(ack.run_id))
            # A holder that gives its run back in good order costs it no attempt.
            assert (run.outcome, run.attempt) == ("success", 1)
        (item,) = await (await EmbeddedCore.open(store.database, store.webhooks)).items("vis_1", 10)
        assert (item.id, item.reference) == (made.id, made.reference)
        stored = await store.messages.transcript(session.id)
        assert stored.state["item_id"] == made.id
