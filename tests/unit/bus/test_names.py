"""The names of what a bus does in the background, by which a debugger and the log tell its tasks apart."""

from __future__ import annotations

import asyncio

from server.bus import Bus
from tests.parts.ports import free_port


def names() -> set[str]:
    return {each.get_name() for each in asyncio.all_tasks()}


async def test_each_task_of_a_bus_has_its_name() -> None:
    bus = Bus(f"redis://127.0.0.1:{free_port()}")
    before = names()
    bus.signals.enlist()
    bus.presence.receive(b"ask nonce vis_1")
    bus._on_lost()
    bus._on_change(False)
    assert names() - before == {"bus.signals.enlist", "bus.presence", "bus.lost", "bus.settle"}
    await bus.aclose()
    assert names() == before
