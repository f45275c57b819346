"""Runs over a real store and a real bus, with a scripted model: one instance, or several over the same parts."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from agents import Model

from server.agents.model.providers import OneModel
from server.agents.run.runner import AgentRunner
from server.bus import Bus, Entry
from server.limits import Limits
from server.protocol.commands import Message, TextPart
from server.protocol.transcript import Transcript
from server.runs import RunCommands
from server.runs.conversation.snapshots import Snapshots
from server.runs.crash_points import Point, pass_on
from server.runs.session_queue import SessionQueue
from server.runs.worker import Worker
from server.store import Budget, Session, Store
from tests.parts.postgres import copy_tables
from tests.parts.wait import until_async
from tests.unit.agents.teams import Bench

_names = itertools.count(1)


@dataclass(eq=False)
class Screen:
    """A socket without a wire: everything that an instance shows of a session, folded."""

    entries: list[Entry] = field(default_factory=list)
    frames: list[bytes] = field(default_factory=list)
    resyncs: int = 0
    folded: Transcript = field(default_factory=lambda: Transcript.of([], {}))

    def deliver(self, entries: Any) -> None:
        for entry in entries:
            self.entries.append(entry)
            self.folded.apply(entry.event)

    def control(self, frame: bytes) -> None:
        self.frames.append(frame)

    def resync(self) -> None:
        self.resyncs += 1

    def drop(self) -> None:
        raise AssertionError("dropped")

    def types(self) -> list[str]:
        return [entry.event["type"] for entry in self.entries]

    def ends(self) -> int:
        return sum(each in {"RUN_FINISHED", "RUN_ERROR"} for each in self.types())


@dataclass
class Instance:
    """One process's worth of parts."""

    store: Store
    bus: Bus
    runs: RunCommands
    bench: Bench
    owner: str

    async def say(self, session: Session, text: str, id: str | None = None) -> Any:
        return await self.runs.submit(session, message(text, id), "en")

    async def knows_workers(self) -> bool:
        """Return whether any process counts among the workers of this Redis, other tests' processes included."""
        return bool(await self.bus.signals.workers())

    async def screen(self, session: Session) -> Screen:
        screen = Screen()
        await self.bus.hub.watch(session.id, screen)
        return screen

    async def session(self, **more: Any) -> Session:
        return await self.store.sessions.create(
            app="demo", principal="vis_1", service="test", language="en", **more
        )


def message(text: str, id: str | None = None) -> Message:
    return Message(
        type="message", id=id or f"said-{next(_names)}", content=[TextPart(type="text", text=text)]
    )


@asynccontextmanager
async def instance(
    store: Store,
    bus_url: str,
    model: Model,
    *,
    lease_s: float = 10,
    capacity: int = 8,
    point: Point = pass_on,
    bench: Bench | None = None,
    on_end: Callable[[], None] = lambda: None,
    budgets: Mapping[str, Budget] = MappingProxyType({}),
) -> AsyncIterator[Instance]:
    bench = bench or Bench()
    services = {"test": bench.service()}
    bus = Bus(bus_url, flush_ms=5, check_s=0.2)
    await bus.start()
    runner = AgentRunner(OneModel(model), services, conversations=store.sessions)
    snapshots = Snapshots(store, bus, most_bytes=64 << 20, shared=True)
    queue = SessionQueue(store, bus)
    owner = f"instance{next(_names)}"
    worker = Worker(
        store=store,
        bus=bus,
        runner=runner,
        services=services,
        owner=owner,
        lease_s=lease_s,
        snapshots=snapshots,
        queue=queue,
        point=point,
        on_end=on_end,
    )
    runs = RunCommands(
        store=store,
        bus=bus,
        runner=runner,
        services=services,
        worker=worker,
        snapshots=snapshots,
        queue=queue,
        point=point,
        budgets=budgets,
        limits=Limits(),
    )
    worker.start(capacity)
    try:
        yield Instance(store, bus, runs, bench, owner)
    finally:
        await worker.aclose(drain_s=0)
        await bus.aclose()


@asynccontextmanager
async def open_store(url: str | None, folder: Path) -> AsyncIterator[Store]:
    if url is None:
        copy_tables(folder)
    store = await Store.open(url, data_dir=folder)
    try:
        yield store
    finally:
        await store.aclose()


async def settled(here: Instance, session: Session, count: int = 1) -> None:
    """Wait until `count` runs of the session are finished and published."""

    async def is_published() -> bool:
        page = await here.store.messages.page(session.id, session.principal, limit=500)
        ids = {each["metadata"]["loopwire"]["run_id"] for each in page.messages}
        runs = [await here.store.runs.get(each) for each in ids]
        return len(runs) >= count and all(each.published for each in runs)

    await until_async(is_published, what="the runs to be published")


async def rested(here: Instance) -> None:
    """Wait until this instance does nothing for a run any more: what a run left is kept after its end was published."""
    await until_async(here.runs.worker.slots.idle.is_set, what="the instance to have nothing to do")


class Stop(BaseException):
    """The process ends here: nothing after this line of it happens."""


def stop_at(name: str) -> Callable[[str], None]:
    """Return a point at which the instance dies once."""
    left = [1]

    def point(here: str) -> None:
        if here == name and left:
            left.pop()
            raise Stop

    return point


async def forever() -> None:
    await asyncio.Event().wait()
