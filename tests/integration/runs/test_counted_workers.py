"""The processes that count among the workers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from agents.testing import ScriptedModel

from tests.integration.runs.instances import instance
from tests.parts.redis import REDIS_SERVER, running, valkey_binary
from tests.parts.wait import until_async


@pytest.fixture
def lone_url(column: str, live_url: str) -> Iterator[str]:
    """Yield the address of a Redis that no other test's worker subscribes to."""
    assert live_url, "there is a Redis of the column"
    with running(str(valkey_binary() if column == "embedded" else REDIS_SERVER)) as url:
        yield url


async def test_a_process_counts_among_the_workers_while_it_has_room_and_does_not_leave(store, lone_url):
    script = ScriptedModel([])
    async with (
        instance(store, lone_url, script, capacity=0) as web,
        instance(store, lone_url, script, capacity=1) as here,
    ):
        await until_async(web.knows_workers, what="the worker to be known")
        await here.runs.worker.aclose(drain_s=0)

        async def is_unknown() -> bool:
            return not await web.knows_workers()

        await until_async(is_unknown, what="the worker to be forgotten")
        assert not here.runs.worker.claiming
        assert here.runs.worker.claimant() is None
