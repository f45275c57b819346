"""The published client of Durable Streams on a session's log: a sale, a reload, a stop, the death of its server."""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from server.protocol.transcript import Transcript
from tests.integration.conversation.seller import Seller, clicked, deltas, new_frame_id, text_parts
from tests.parts.agui_client import FOLDER, LONGEST_LINE, NODE
from tests.parts.missing import skip_missing
from tests.parts.sampled import later
from tests.parts.server import Served, Servers
from tests.parts.wait import PATIENCE_S

pytestmark = pytest.mark.once

LIVE = ["sse", later("long-poll")]


@dataclass
class Read:
    """The client's output: items, and the offset after each batch."""

    lines: asyncio.StreamReader
    items: list[Any] = field(default_factory=list)
    offsets: list[str] = field(default_factory=list)

    async def until(self, *kinds: str, count: int = 1) -> None:
        """Take batches until so many events of these types are among the items."""
        while sum(each.get("event", {}).get("type") in kinds for each in self.items) < count:
            await self._take()

    async def until_settled(self, seller: Seller) -> None:
        """Take batches until the client has what the seller's socket has."""
        while self.items[-1]["seq"] < seller.talk.seq:
            await self._take()

    async def _take(self) -> None:
        line = json.loads(await asyncio.wait_for(self.lines.readline(), PATIENCE_S))
        assert "failed" not in line, line["failed"]
        self.items += line["items"]
        self.offsets.append(line["offset"])

    def folded(self) -> Transcript:
        """Return the conversation that the items are."""
        transcript = Transcript()
        for item in self.items:
            if item.get("type") == "snapshot":
                transcript = Transcript()
            for event in item.get("events") or [item["event"]]:
                transcript.apply(event)
        return transcript

    def require_whole(self) -> None:
        """Require every number from the first one on, once and in order."""
        assert [each["seq"] for each in self.items] == list(range(1, len(self.items) + 1))
        assert self.offsets == sorted(self.offsets)


@asynccontextmanager
async def reading(seller: Seller, live: str, offset: str = "-1") -> AsyncIterator[Read]:
    """Read the log of a seller's conversation in a process of Node."""
    if not (FOLDER / "node_modules/@durable-streams/client").exists():
        skip_missing("the client of Durable Streams", "scripts/npm tests/parts/agui")
    ticket = seller.ticket(session_id=seller.talk.session)["ticket"]
    url = f"{seller.served.url}/v1/sessions/{seller.talk.session}/log"
    process = await asyncio.create_subprocess_exec(
        NODE, FOLDER / "durable-streams.mjs", url, ticket, live, offset, stdout=PIPE, limit=LONGEST_LINE
    )
    assert process.stdout is not None
    try:
        yield Read(process.stdout)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.parametrize("live", LIVE)
async def test_a_sale_is_read_to_its_end_and_after_a_reload_from_where_it_was(
    demo: Served, live: str
) -> None:
    seller = Seller(demo, answer=clicked)
    await seller.begin()
    async with reading(seller, live) as read:
        await seller.say("Polly Magic")
        await read.until("RUN_FINISHED")
        left, count = read.offsets[-1], len(read.items)
        transcript = await seller.sell()
        assert transcript.state["status"] == "complete"
        await read.until_settled(seller)
        read.require_whole()
        assert read.folded().messages == seller.stored()
    async with reading(seller, "no", left) as again:
        await again.until("RUN_FINISHED")
        assert [each["event"] for each in again.items] == [each["event"] for each in read.items[count:]]
    await seller.aclose()


@pytest.mark.conformance
@pytest.mark.parametrize("live", LIVE)
@pytest.mark.timeout(180)
async def test_a_reader_loses_nothing_when_its_server_dies_in_mid_answer_and_sees_the_stop_of_another_tab(
    serve_each: Servers, live: str
) -> None:
    environment = {"LOOPWIRE_DEMO_DELAY_MS": "100"}
    running = serve_each(environment)
    seller = Seller(running)
    await seller.begin()
    async with reading(seller, live) as read:
        said = {"type": "message", "id": new_frame_id(), "content": text_parts("Polly Magic")}
        await seller.talk.send(said)
        await read.until("TEXT_MESSAGE_CONTENT", count=4)
        running.kill()
        port = int(running.url.rsplit(":", 1)[1])
        serve_each(environment, data_dir=running.data_dir, port=port)
        await read.until("RUN_FINISHED")
        seller.talk = await seller.back()
        assert read.folded().messages == seller.stored()
        numbers = [each["seq"] for each in read.items]
        assert numbers == sorted(set(numbers))
        assert read.offsets == sorted(read.offsets)
        await seller.talk.send({**said, "id": new_frame_id()})
        await deltas(seller.talk, 2)
        other = await seller.tab()
        await other.send({"type": "cancel", "id": "stop"})
        await read.until("RUN_FINISHED", count=2)
        assert read.folded().run.outcome == {"type": "cancelled"}  # type: ignore[union-attr]
        assert read.folded().messages == seller.stored()
    await seller.aclose()
