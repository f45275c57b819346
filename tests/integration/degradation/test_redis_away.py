"""Redis gone, silent, read-only or full: people talk on and are told, the operator sees which part, it heals alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.degradation.looks import ask, health, insist, intact, told
from tests.parts.live import Live, breakable
from tests.parts.server import Served, served

HELLO = "Olá, o que é que posso vender aqui e como funciona?"


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    """One for all ways: each mends it."""
    with breakable() as running:
        yield running


@pytest.fixture(scope="module")
def loopwire(live: Live) -> Iterator[Served]:
    """A server over it."""
    with served({"REDIS_URL": live.url, "LOOPWIRE_DEMO_DELAY_MS": "10"}) as running:
        yield running


@pytest.mark.parametrize("how", ["gone", "silent", "read-only", "full"])
async def test_people_talk_on_and_it_heals_without_a_restart(live, loopwire, visit, how):
    visitor = visit(loopwire)
    talk = await visitor.open()
    assert await health(visitor, redis=True, database=True, degraded=False, ready=True) == 200
    await insist(talk, HELLO, "c1")
    await talk.event("TEXT_MESSAGE_CONTENT")
    live.hurt(how)
    try:
        await talk.finished()
        await insist(talk, "Polly Magic", "c2")
        await talk.finished()
        await told(talk, degraded=True)
        assert await health(visitor, redis=False, database=True, degraded=True, ready=True) == 200
        newcomer = visit(loopwire)
        ticket = await ask(newcomer, "POST", "/v1/tickets", {})
        assert ticket.status == 200, "a lone server lets people in without Redis"
        other = await newcomer.open(hello={"ticket": ticket.body["ticket"]})
        await insist(other, HELLO, "c1")
        await other.finished()
    finally:
        live.heal(how)
    await told(talk, degraded=False)
    assert await health(visitor, redis=True, degraded=False) == 200
    await insist(talk, "sim", "c3")
    await talk.finished()
    await intact(visitor, talk, HELLO, "Polly Magic", "sim")
    await intact(newcomer, other, HELLO)
    back = await visitor.open(session=talk.session)
    assert back.transcript.messages == talk.transcript.messages
    assert "Traceback" not in loopwire.log_text()


async def test_a_redis_that_goes_while_nobody_talks_is_noticed(live, loopwire, visit):
    visitor = visit(loopwire)
    talk = await visitor.open()
    live.hurt("gone")
    try:
        await told(talk, degraded=True)
    finally:
        live.heal("gone")
    await told(talk, degraded=False)
