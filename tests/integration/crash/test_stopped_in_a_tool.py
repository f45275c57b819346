"""A process is suspended in the call that makes the item, while PostgreSQL goes on with its statement."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.integration.conversation.rows import answers_of, items_of, runs_of, selected
from tests.integration.conversation.seller import Seller, clicked, ended, new_frame_id
from tests.integration.crash.test_take_over import attempt
from tests.parts import postgres
from tests.parts.server import Backend, Served, Servers
from tests.parts.wait import until, until_async

pytestmark = [pytest.mark.once, pytest.mark.conformance]

LEASE_S = 6
"""It is lost four to six seconds after the process stops; by then PostgreSQL has given up a statement that waits."""

WAIT = """
CREATE FUNCTION wait_for_the_test() RETURNS trigger LANGUAGE plpgsql AS
'BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RETURN NULL; END';
CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON items {when} FOR EACH ROW EXECUTE FUNCTION wait_for_the_test()
"""
"""Lets who writes an item wait for the test, with the row written and not committed."""

WHEN = {"insert": "", "commit": "DEFERRABLE INITIALLY DEFERRED"}
"""The statement that waits."""

UNKNOWN = "Não se sabe se o artigo foi criado: falta verificar. O que escreveu ficou guardado."


@dataclass
class Lock:
    """A lock that makes the writing of an item wait, at its INSERT or at its COMMIT."""

    connection: Any
    transaction: Any

    async def waiting(self) -> int:
        """Return how many transactions wait for this lock, and not for a row of another one."""
        query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted"
        found: int = await self.connection.fetchval(query)
        return found

    async def idle(self) -> int:
        """Return how many transactions of the servers are open and do nothing."""
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = $1"
        found: int = await self.connection.fetchval(query, "idle in transaction")
        return found

    async def release(self) -> None:
        """Let go on what waits."""
        await self.transaction.rollback()


@pytest.fixture
def shared(redis_url: str, postgres_server: str) -> Iterator[Backend]:
    """Yield what both processes stand on."""
    own = {"LOOPWIRE_DEMO_DELAY_MS": "4", "LOOPWIRE_SECRET": "one secret for all"}
    own["LOOPWIRE_LEASE_SECONDS"], own["LOOPWIRE_LOG_LEVEL"] = str(LEASE_S), "DEBUG"
    with postgres.fresh_database(postgres_server) as durable:
        yield Backend("configured", {**own, "REDIS_URL": redis_url, "DATABASE_URL": durable})


@pytest.fixture
async def sellers(shared: Backend, serve: Servers) -> AsyncIterator[tuple[Seller, Seller]]:
    """Yield one person with a tab at the process that will stand still, and one at the process that goes on."""
    here = Seller(serve(shared.environment), answer=clicked, patience=3)
    async with aclosing(here):
        elsewhere = Seller(serve(shared.environment), address=here.address, answer=clicked, patience=3)
        async with aclosing(elsewhere):
            yield here, elsewhere


@pytest.fixture
async def connection(shared: Backend) -> AsyncIterator[Any]:
    """Yield the test's own connection."""
    made = await asyncpg.connect(shared.environment["DATABASE_URL"])
    yield made
    await made.close()


class Stage:
    """A conversation whose item is about to be written by a process that stands still."""

    def __init__(self, sellers: tuple[Seller, Seller], backend: Backend, connection: Any) -> None:
        self.here, self.elsewhere = sellers
        self.backend = backend
        self.connection = connection
        self.run_id = ""

    async def stop_in(self, statement: str) -> Lock:
        """Let the one process write the item, and stop it while this statement waits."""
        talk = await self.here.begin()
        self.elsewhere.cookie = self.here.cookie
        await self.elsewhere.begin(session=talk.session)
        await self.here.say(self.here.next_message() or [])
        await self.connection.execute(WAIT.format(when=WHEN[statement]))
        lock = Lock(self.connection, self.connection.transaction())
        await lock.transaction.start()
        await self.connection.execute("SELECT pg_advisory_xact_lock(4711)")
        frame = {"type": "message", "id": new_frame_id(), "content": self.here.next_message()}
        await talk.send(frame)
        self.run_id = (await talk.until(lambda each: each.get("id") == frame["id"]))["run_id"]
        await until_async(lock.waiting, what="the statement to wait")
        assert self.here.served.logged_at('"run started"', self.run_id) is not None
        os.kill(self.here.served.process.pid, signal.SIGSTOP)
        until(lambda: is_stopped(self.here.served), what="the process to stand still")
        return lock

    async def items(self) -> list[dict[str, Any]]:
        return await items_of(self.elsewhere.served, self.backend, self.here.talk.session)

    async def calls(self) -> list[str]:
        """Return the states of the calls that make an item, as the ledger has them."""
        query = "SELECT state FROM tool_calls WHERE run_id = ? AND tool = 'create_item'"
        return [
            each["state"] for each in await selected(self.elsewhere.served, self.backend, query, self.run_id)
        ]

    async def taken_over(self) -> None:
        """The other process has ended the run, while the first still stands."""
        await ended(self.elsewhere.talk, self.run_id, self.elsewhere.patience)
        assert is_stopped(self.here.served)
        assert (await self.run())["attempt"] == 2

    async def run(self) -> dict[str, Any]:
        found = await runs_of(self.elsewhere.served, self.backend, self.here.talk.session)
        return next(each for each in found if each["id"] == self.run_id)

    async def go_on(self) -> None:
        """Let the first process go on until it has seen that the run is another's, and its own tab what came."""
        before = (await self.items(), await self.calls(), await self.run(), self.elsewhere.stored())
        os.kill(self.here.served.process.pid, signal.SIGCONT)
        await until_async(
            lambda: self.here.served.logged_at("leases not renewed in time"), what="the lost lease"
        )
        await ended(self.here.talk, self.run_id, self.here.patience)
        assert (await self.items(), await self.calls(), await self.run(), self.elsewhere.stored()) == before
        for talk in (self.here.talk, self.elsewhere.talk):
            assert talk.transcript.messages == before[-1]
        assert before[2]["outcome"] == "success"

    async def sell(self) -> None:
        """Answer the rest, at the process that had stood still; nothing was lost, and the item is there once."""
        transcript = await self.here.sell()
        (item,) = await self.items()
        assert (item["id"], item["status"]) == (transcript.state["item_id"], "complete")
        assert len(await answers_of(self.here.served, self.backend, item["id"])) == transcript.state["total"]
        assert transcript.messages == self.here.stored()
        runs = await runs_of(self.here.served, self.backend, self.here.talk.session)
        assert {each["outcome"] for each in runs} == {"success"}
        for seller in (self.here, self.elsewhere):
            assert seller.served.logged_at('"level": "ERROR"') is None, seller.served.log_text()


def is_stopped(served: Served) -> bool:
    """Return whether the process stands still."""
    return "\nState:\tT" in Path(f"/proc/{served.process.pid}/status").read_text()


@pytest.fixture
def stage(sellers: tuple[Seller, Seller], shared: Backend, connection: Any) -> Iterator[Stage]:
    """Yield the stage; what both servers said is shown where a test fails."""
    yield Stage(sellers, shared, connection)
    for name, seller in zip(("here", "elsewhere"), sellers, strict=True):
        print(f"{name}:\n{seller.served.log_text()}")  # noqa: T201


async def test_an_item_whose_commit_went_on_alone_is_found_by_the_next_attempt(stage: Stage) -> None:
    lock = await stage.stop_in("commit")
    await lock.release()
    (made,) = await until_async(stage.items, what="the commit")
    await stage.taken_over()
    assert [each["id"] for each in await stage.items()] == [made["id"]]
    assert await stage.calls() == ["done"]
    await stage.go_on()
    await stage.sell()


async def test_a_transaction_that_nobody_commits_is_over_before_the_next_attempt_waits_in_vain(
    stage: Stage,
) -> None:
    lock = await stage.stop_in("insert")
    await lock.release()
    await until_async(lock.idle, what="the INSERT to be done")
    assert await stage.items() == []
    await stage.taken_over()
    assert len(await stage.items()) == 1
    assert await stage.calls() == ["done"]
    await stage.go_on()
    await stage.sell()


@pytest.mark.parametrize("statement", WHEN)
async def test_the_next_attempt_writes_what_the_first_one_waited_for(stage: Stage, statement: str) -> None:
    lock = await stage.stop_in(statement)
    await attempt(stage.elsewhere.talk, 2)
    await until_async(lock.waiting, what="the next attempt's statement to wait")
    await lock.release()
    await stage.taken_over()
    assert len(await stage.items()) == 1
    assert await stage.calls() == ["done"]
    await stage.go_on()
    await stage.sell()


async def test_an_item_that_nobody_could_write_is_told_as_unknown(stage: Stage) -> None:
    lock = await stage.stop_in("insert")
    await stage.taken_over()
    await lock.release()
    assert await stage.items() == []
    assert await stage.calls() == ["unknown"]
    assert stage.elsewhere.talk.transcript.messages[-1]["content"] == UNKNOWN
    await stage.go_on()
    await stage.here.say("sim")
    await stage.sell()
