"""However many conversations an instance shows, it listens on one connection (G13)."""

from __future__ import annotations

from typing import Any

import redis

from server.bus import Bus
from tests.integration.runs.instances import Screen
from tests.parts.wait import until_async


async def test_an_instance_hears_all_its_sessions_on_one_connection(bus_url: str) -> None:
    with redis.from_url(bus_url) as client:

        def listening() -> set[Any]:
            return {each["id"] for each in client.client_list(_type="pubsub")}

        before = listening()
        bus = Bus(bus_url)
        await bus.start()
        for number in range(40):
            await bus.hub.watch(f"ses_{number}", Screen())
        await until_async(lambda: len(listening() - before) == 1, what="one connection")
        await bus.aclose()
        await until_async(lambda: not listening() - before, what="no connection")
