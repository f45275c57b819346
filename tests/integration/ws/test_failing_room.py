"""A bug of ours while a room delivers: its sockets miss nothing, or are closed; none is left open and silent."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from server.protocol import events as ev
from server.rooms.room_renderer import RoomRenderer
from tests.integration.ws.inside import Inside, inside
from tests.integration.ws.visitor import PATIENCE_S, Talk


@pytest.fixture
async def here(tmp_path: Path, parts: dict[str, str]) -> AsyncIterator[Inside]:
    """Yield a server in this loop, on each column of parts."""
    async with inside(tmp_path, **parts) as running:
        yield running


def failing(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Let the next deliveries fail."""
    was, left = RoomRenderer.frames, [None] * times

    def frames(self: RoomRenderer, entry: Any) -> Any:
        if left:
            left.pop()
            raise RuntimeError("a bug of ours")
        return was(self, entry)

    monkeypatch.setattr(RoomRenderer, "frames", frames)


async def opened(here: Inside, **body: str) -> Talk:
    ticket = await asyncio.to_thread(lambda: here.visitor.ticket(**body))
    return await here.visitor.open(hello={"ticket": ticket["ticket"]})


@pytest.mark.once
async def test_a_delivery_that_fails_once_is_made_good(here: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = await opened(here)
    writer = await here.ready.parts.bus.writer(talk.session, fence=1, floor=0)
    await writer.publish(ev.run_started(talk.session, "run_1"), ev.text_start("msg_1", "assistant"))
    await talk.event("TEXT_MESSAGE_START")
    failing(monkeypatch, 1)
    for word in "ab":
        await writer.publish(ev.text_content("msg_1", word))
    async with asyncio.timeout(PATIENCE_S):
        while talk.seq < writer.seq:
            await talk.until(lambda frame: True)
    assert talk.transcript.messages[-1]["content"] == "ab"
    await writer.aclose()


@pytest.mark.once
async def test_a_reader_that_gets_a_snapshot_gets_the_queue_too(here: Inside) -> None:
    talk = await opened(here)
    writer = await here.ready.parts.bus.writer(talk.session, fence=1, floor=0)
    await writer.publish(ev.run_started(talk.session, "run_1"))
    await talk.event("RUN_STARTED")
    writer.fence_off()
    await talk.until(lambda frame: frame.get("type") == "snapshot")
    await talk.until(lambda frame: frame.get("type") == "queue")


@pytest.mark.once
async def test_a_reader_that_cannot_be_told_is_closed_and_the_next_one_is_told(
    here: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = await opened(here)
    writer = await here.ready.parts.bus.writer(talk.session, fence=1, floor=0)
    failing(monkeypatch, 3)
    await writer.publish(ev.run_started(talk.session, "run_1"))
    await writer.publish(ev.text_start("msg_1", "assistant"))
    await writer.publish(ev.text_content("msg_1", "a"))
    assert await talk.closed() == 1011
    again = await opened(here, session_id=talk.session)
    await writer.publish(ev.text_content("msg_1", "b"))
    async with asyncio.timeout(PATIENCE_S):
        while again.seq < writer.seq:
            await again.until(lambda frame: True)
    assert again.transcript.messages[-1]["content"] == "ab"
    await writer.aclose()
