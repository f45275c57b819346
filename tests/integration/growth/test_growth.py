"""Sockets that come and go and runs that begin and end leave nothing behind."""

import asyncio
import gc
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from agents import Model
from agents.testing import ScriptedModel, assistant_message

from server.bus import Entry
from server.store import Session
from tests.integration.growth.census import census, grown
from tests.integration.runs.instances import Instance, Screen, instance, open_store
from tests.integration.ws.inside import Inside, inside
from tests.integration.ws.visitor import Talk
from tests.parts.sampled import examples
from tests.parts.wait import until_async

AT_ONCE = 4
"""A session has five sockets at most, and the first stays."""

SESSIONS = 60
"""Nobody may say more than twenty things in ten seconds."""

FEW, SOCKETS, RUNS, LEAK = 60, examples(500), examples(240), 20
"""What grows with less than every twentieth of them, and in `make test` with less than every fourth, is no leak."""

ENTRY = f"{Entry.__module__}.{Entry.__qualname__}"

SOME, PER_RUN = examples(100), 10
"""Objects of a run that refer to themselves: a run has a thousand, and none of them is to wait for a collector."""


class OneToken(Model):
    """Answers with a word, and remembers nothing."""

    async def get_response(self, *args: Any, **options: Any) -> Any:
        return await _word().get_response(*args, **options)

    async def stream_response(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
        async for event in _word().stream_response(*args, **options):
            yield event


def _word() -> ScriptedModel:
    return ScriptedModel([[assistant_message("Hi.")]])


async def come_and_go(running: Inside, first: Talk, count: int) -> None:
    """Open sockets of one session, half of them with HTML, and close them, until the server has seen them go."""
    hello = {"resume_token": first.welcome["resume_token"]}
    rooms = running.web.rooms
    for _ in range(count // AT_ONCE):
        opening = (running.visitor.open(html=place % 2 == 0, hello=dict(hello)) for place in range(AT_ONCE))
        talks = await asyncio.gather(*opening)
        await asyncio.gather(*(each.socket.close() for each in talks))
        await until_async(lambda: len(rooms) == 1)
        running.visitor.sockets.clear()


async def test_five_hundred_sockets_leave_no_objects_in_memory(tmp_path: Path) -> None:
    async with inside(tmp_path) as running:
        ticket = await asyncio.to_thread(running.visitor.ticket)
        first = await running.visitor.open(hello={"ticket": ticket["ticket"]})
        kept = list(running.visitor.sockets)
        await come_and_go(running, first, FEW)
        connections = running.server.server_state.connections
        await until_async(lambda: len(connections) == 1)
        before = census()
        await come_and_go(running, first, SOCKETS)
        await until_async(lambda: len(connections) == 1)
        assert grown(before, census(), by=LEAK) == {}
        running.visitor.sockets = kept


async def run_many(here: Instance, sessions: list[Session], count: int) -> None:
    """Run many, some at once, each watched by a reader that connects for it and leaves."""
    for number in range(count // AT_ONCE):
        some = [sessions[(number * AT_ONCE + place) % len(sessions)] for place in range(AT_ONCE)]
        screens = [await here.screen(each) for each in some]
        for each in some:
            await here.say(each, "hello")
        await until_async(lambda shown=screens: sum(map(Screen.ends, shown)) == len(shown))  # type: ignore[misc]
        for session, screen in zip(some, screens, strict=True):
            here.bus.hub.unwatch(session.id, screen)
    await until_async(lambda: not here.bus.writing and not here.bus.hub.feeds)


async def let_go() -> Counter[str]:
    """Count when the last run's log is let go of: a timer of the hub holds it for 50 ms from the run's begin."""
    await until_async(lambda: not census()[ENTRY], what="the entries of the runs to be let go of")
    return census()


async def test_ended_runs_leave_no_objects_in_memory(tmp_path: Path, valkey_url: str) -> None:
    async with (
        open_store(None, tmp_path) as store,
        instance(store, valkey_url, OneToken(), lease_s=600) as here,
    ):
        sessions = [await here.session() for _ in range(SESSIONS)]
        await run_many(here, sessions, FEW)
        before = await let_go()
        await run_many(here, sessions, RUNS)
        assert grown(before, await let_go(), by=LEAK) == {}


async def test_ended_runs_leave_no_garbage_for_a_full_collection(tmp_path: Path, valkey_url: str) -> None:
    async with (
        open_store(None, tmp_path) as store,
        instance(store, valkey_url, OneToken(), lease_s=600) as here,
    ):
        sessions = [await here.session() for _ in range(SESSIONS)]
        await run_many(here, sessions, FEW)
        gc.collect()
        gc.disable()
        try:
            await run_many(here, sessions, SOME)
            found = gc.collect()
        finally:
            gc.enable()
        assert found <= SOME * PER_RUN
