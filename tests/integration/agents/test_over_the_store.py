"""A run that dies around a once call, over the real store: lease, checkpoint and ledger give it to the next holder."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server.agents.run.runner import RunInput
from server.protocol.shown_state import PRIVATE
from server.store import Checkpoint, Claim, Finish, Store
from tests.parts.postgres import copy_tables
from tests.parts.sampled import later
from tests.unit.agents.outlet import Play, Recorder
from tests.unit.agents.teams import Bench
from tests.unit.agents.test_take_over import brain

pytestmark = pytest.mark.once


@pytest.fixture
async def store(durable_url: str | None, tmp_path: Path) -> AsyncIterator[Store]:
    """Yield a store of its own, of each kind."""
    if durable_url is None:
        copy_tables(tmp_path)
    opened = await Store.open(durable_url, data_dir=tmp_path)
    yield opened
    await opened.aclose()


class Kept(Recorder):
    """A way out whose checkpoints are in the store."""

    store: Store
    claim: Claim

    async def checkpoint(self, checkpoint: Checkpoint) -> None:
        await self.store.runs.checkpoint(self.claim.run.id, self.claim.run.fence, checkpoint)


async def claimed(store: Store) -> Claim:
    """Return the next run, ours."""
    claim = await store.runs.claim("here", 30)
    assert claim is not None
    return claim


def prepared(play: Play, store: Store, claim: Claim) -> tuple[RunInput, Kept]:
    """Return a turn as the runs make it of a claim."""
    turn = RunInput(claim.run, claim.session, play.service, [], claim.checkpoint, 20.0)
    out = Kept(claim.run.id, claim.session.id, claim.run.content, ledger=store.ledger)  # type: ignore[arg-type]
    out.store, out.claim = store, claim
    return turn, out


def is_of_paying(event: dict[str, Any]) -> bool:
    return event.get("toolCallName") == "pay" or event.get("delta") == [
        {"op": "add", "path": "/paid", "value": 5}
    ]


@pytest.mark.parametrize("place", ["TOOL_CALL_START", later("STATE_DELTA"), later("last text")])
async def test_a_payment_happens_once_and_its_traces_are_kept(store: Store, place: str) -> None:
    session = await store.sessions.create(app="demo", principal="vis_1", service="test", language="pt")
    await store.runs.submit(
        session_id=session.id,
        principal="vis_1",
        client_id="c1",
        content=[{"type": "text", "text": "oi"}],
        language="pt",
    )
    bench = Bench()
    play = Play(bench.service(), brain())
    turn, out = prepared(play, store, await claimed(store))
    dead = asyncio.Event()

    def die(event: dict[str, Any]) -> None:
        paying = is_of_paying(event) and event["type"] == place
        if paying or (place == "last text" and event.get("delta") == "Pronto."):
            dead.set()

    out.on = die
    running = asyncio.get_running_loop().create_task(play.go(turn, out))
    await dead.wait()
    running.cancel()
    await asyncio.wait({running})
    assert play.result is None
    await store.runs.release(turn.run.id, turn.run.fence)
    claim = await claimed(store)
    assert claim.takeover and claim.checkpoint is not None
    second = Play(bench.service(), brain())
    turn, out = prepared(second, store, claim)
    await second.go(turn, out)
    result = second.result
    assert result is not None and result.outcome == "success"
    assert bench.done.count("pay 5") <= 1
    statuses = {e["metadata"]["loopwire"]["status"] for e in out.of("TOOL_CALL_RESULT")}
    if "unknown" in statuses:
        assert place == "TOOL_CALL_START"
    else:
        assert bench.done.count("pay 5") == 1
        assert result.state == {"handed": 1, "paid": 5, PRIVATE: {"sums": [5], "token": "tok_9"}}
    finish = Finish("success", None, out.messages(), result.state, result.items, result.agent)
    await store.runs.finish(claim.run.id, claim.run.fence, replace(finish, usage=result.usage))
    await store.runs.mark_published(claim.run.id, claim.run.fence)
    assert await store.messages.history(session.id) == result.items
