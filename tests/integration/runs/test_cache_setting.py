"""The setting for the memory of kept conversations reaches the process that keeps them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.integration.ws.inside import inside, rested


@pytest.mark.parametrize(("megabytes", "kept"), [(0, 0), (1, 1)])
async def test_a_conversation_is_kept_only_when_the_cache_has_room(
    tmp_path: Path, megabytes: int, kept: int
) -> None:
    async with inside(tmp_path, capacity=2, conversation_cache_mb=megabytes) as here:
        ticket = await asyncio.to_thread(here.visitor.ticket)
        talk = await here.visitor.open(hello={"ticket": ticket["ticket"]})
        await talk.say("ol\u00e1", "m1")
        await talk.finished()
        await rested(here)
        assert len(here.ready.parts.runs.snapshots.kept) == kept
