"""Redis gone, silent, read-only or full: conversations go on with a notice, the operator sees the part, it recovers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.degradation.outage_checks import ask, health, insist, intact, stored, take_until_notice
from tests.integration.ws.visitor import Talk, Visitor
from tests.parts import postgres
from tests.parts.live import Live, breakable
from tests.parts.sampled import later
from tests.parts.server import Served, served
from tests.parts.wait import until_async

HELLO = "Olá, o que é que posso vender aqui e como funciona?"


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    """Yield one for all ways: each mends it."""
    with breakable() as running:
        yield running


@pytest.fixture(scope="module")
def loopwire(live: Live) -> Iterator[Served]:
    """Yield a server over it."""
    with served({"REDIS_URL": live.url, "LOOPWIRE_DEMO_DELAY_MS": "10"}) as running:
        yield running


@pytest.mark.parametrize("how", [later("gone"), "silent", later("read-only"), later("full")])
async def test_conversations_go_on_without_redis_and_recover_without_a_restart(live, loopwire, visit, how):
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
        await take_until_notice(talk, degraded=True)
        assert await health(visitor, redis=False, database=True, degraded=True, ready=True) == 200
        newcomer = visit(loopwire)
        ticket = await ask(newcomer, "POST", "/v1/tickets", {})
        assert ticket.status == 200, "a lone server lets people in without Redis"
        other = await newcomer.open(hello={"ticket": ticket.body["ticket"]})
        await insist(other, HELLO, "c1")
        await other.finished()
    finally:
        live.heal(how)
    await take_until_notice(talk, degraded=False)
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
        await take_until_notice(talk, degraded=True)
    finally:
        live.heal("gone")
    await take_until_notice(talk, degraded=False)


async def test_a_server_that_starts_before_redis_is_degraded_and_becomes_well_when_it_comes(serve, visit):
    with breakable() as late:
        late.hurt("gone")
        loopwire = serve({"REDIS_URL": late.url, "LOOPWIRE_DEMO_DELAY_MS": "10"})
        visitor = visit(loopwire)
        assert await health(visitor, redis=False, database=True, degraded=True, ready=True) == 200
        talk = await visitor.open()
        await take_until_notice(talk, degraded=True)
        await insist(talk, HELLO, "c1")
        await talk.finished()
        late.heal("gone")
        await well(visitor, talk)
    assert "Traceback" not in loopwire.log_text()


@pytest.mark.conformance
async def test_a_web_and_a_worker_that_start_before_redis_become_well_when_it_comes(
    postgres_server, serve, visit
):
    with breakable() as late, postgres.fresh_database(postgres_server) as durable:
        late.hurt("gone")
        own = {"REDIS_URL": late.url, "DATABASE_URL": durable, "LOOPWIRE_DEMO_DELAY_MS": "10"}
        with served(own, command="worker") as worker:
            web = serve({**own, "LOOPWIRE_WORKERS_IN_WEB": "0"}, command="web")
            await until_async(lambda: "runs at once" in worker.log_text(), what="the worker to work")
            visitor = visit(web)
            assert await health(visitor, redis=False, database=True, degraded=True, ready=True) == 200
            talk = await visitor.open()
            await take_until_notice(talk, degraded=True)
            await insist(talk, HELLO, "c1")
            await until_async(lambda: answered(visitor, talk), what="the worker's answer to be stored")
            late.heal("gone")
            await well(visitor, talk)
            for each in (web, worker):
                assert "Traceback" not in each.log_text()


async def answered(visitor: Visitor, talk: Talk) -> bool:
    """Return whether a reload shows an answer."""
    return [each["role"] for each in await stored(visitor, talk)][:2] == ["user", "assistant"]


async def well(visitor: Visitor, talk: Talk) -> None:
    """All is as if Redis had never been away, for the open conversation and for a client that loads it anew."""
    await take_until_notice(talk, degraded=False)
    assert await health(visitor, redis=True, degraded=False, ready=True) == 200
    await insist(talk, "Polly Magic", "c2")
    await talk.finished()
    await intact(visitor, talk, HELLO, "Polly Magic")
