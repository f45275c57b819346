"""Runs that end while Redis is away leave only their unwritten entries in memory."""

from pathlib import Path

from server.runs.execution.execution import Execution
from tests.integration.growth.census import census
from tests.integration.growth.test_growth import OneToken
from tests.integration.runs.instances import instance, open_store, settled
from tests.parts.wait import until_async

RUNS = 20

EXECUTION = f"{Execution.__module__}.{Execution.__qualname__}"


async def test_runs_that_end_while_redis_is_away_leave_memory(tmp_path: Path) -> None:
    async with (
        open_store(None, tmp_path) as store,
        instance(store, f"unix://{tmp_path / 'nobody'}", OneToken(), lease_s=600) as here,
    ):
        sessions = [await here.session() for _ in range(RUNS)]
        for each in sessions:
            await here.say(each, "hello")
        for each in sessions:
            await settled(here, each)
        await until_async(lambda: not here.bus.writing, what="the collector to be free")
        # A timer of the hub holds the last ones for 50 ms.
        await until_async(lambda: not census()[EXECUTION], what="the runs to be let go of")
        writers = [here.bus.hub.writer(each.id) for each in sessions]
        assert all(each is not None and each.cursor.tail for each in writers), (
            "what is to be told waits for Redis"
        )
