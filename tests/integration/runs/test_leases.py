"""A lease begins with its request: a late reply makes it no longer, and costs no run."""

import asyncio
import time
from dataclasses import replace

import pytest
from agents.testing import ScriptedModel, assistant_message
from sqlalchemy import select

from server.errors import Unavailable
from server.runs.execution import lease
from server.runs.execution.lease import MARGIN_S, LeaseKeeper
from server.store import Renewal
from server.store.tables import runs
from server.tasks import Tasks
from tests.integration.runs.instances import forever, instance, settled
from tests.parts.wait import PATIENCE_S, paced, until_async
from tests.unit.agents.outlet import run_row

LEASE_S = 60


@pytest.mark.once
@pytest.mark.parametrize("by", ["claim", "submit_at_once"])
async def test_a_lease_counts_from_its_request_however_late_the_answer(store, live_url, monkeypatch, by):
    """The database ends it by its own clock: with the delay of the answer on top, two would work at one run."""
    ask, stored, leases = getattr(store.runs, by), [], []

    async def late(*args, **values):
        answer = await ask(*args, **values)
        if answer is not None:
            stored.append(time.monotonic())
            await paced(0.1)
        return answer

    monkeypatch.setattr(store.runs, by, late)
    script = ScriptedModel([[assistant_message("Hi.")]])
    async with (
        instance(store, live_url, script, capacity=0) as web,
        instance(store, live_url, script, lease_s=LEASE_S) as worker,
    ):
        take = worker.runs.worker.executor.keeper.keep

        def taken(*args):
            leases.append(take(*args))
            return leases[-1]

        monkeypatch.setattr(worker.runs.worker.executor.keeper, "keep", taken)
        session = await web.session()
        screen = await worker.screen(session)
        # As it was taken: the first renewal is a third of its time away.
        before = time.monotonic()
        await (web if by == "claim" else worker).say(session, "hello")
        await settled(worker, session)
        assert screen.ends() == 1
    (held,) = leases
    assert before + LEASE_S - MARGIN_S <= held.until <= stored[-1] + LEASE_S - MARGIN_S


async def test_a_lease_that_has_nearly_passed_is_renewed_at_once():
    asked = asyncio.Event()

    class Database:
        async def renew(self, held, lease_s):
            asked.set()
            await forever()

    keeper, tasks = LeaseKeeper(Database(), 3600), Tasks()

    async def work():
        keeper.keep(run_row([]), time.monotonic() - 2000)
        await forever()

    try:
        tasks.spawn(keeper.run(), name="keep")
        await paced(0)  # It rests already.
        tasks.spawn(work(), name="work")
        async with asyncio.timeout(PATIENCE_S):
            await asked.wait()
    finally:
        await tasks.aclose()


async def test_a_renewal_without_leases_asks_the_database_nothing():
    class Database:
        async def renew(self, held, lease_s):
            raise AssertionError("asked")

    await LeaseKeeper(Database(), LEASE_S).renew()


async def test_a_lease_that_is_over_is_not_renewed_however_fast_the_database_is(caplog):
    """The process stood still: what timed out meanwhile would else end the run, under a lease that lives again."""
    renewed = []

    class Database:
        async def renew(self, held, lease_s):
            renewed.extend(held)
            return {each: Renewal(alive=True, cancel=False) for each in held}

    keeper, tasks, leases = LeaseKeeper(Database(), LEASE_S), Tasks(), []

    async def work(asked):
        leases.append(keeper.keep(run_row([]), asked))
        await forever()

    try:
        now = time.monotonic()
        over = tasks.spawn(work(now - LEASE_S), name="over")
        alive = tasks.spawn(work(now - 0.6 * LEASE_S), name="alive")
        await paced(0)
        tasks.spawn(keeper.run(), name="keep")
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.wait({over})
        assert over.cancelled() and not alive.done()
        assert [each.lost for each in leases] == [True, False]
        await until_async(lambda: leases[1].until > now + LEASE_S / 2, what="the other to be renewed")
        assert renewed == [leases[1].run.id]
        told = [(each.name, each.getMessage()) for each in caplog.records]
        assert told == [("server.runs.execution.lease", "1 leases not renewed in time")]
    finally:
        await tasks.aclose()


async def test_a_renewal_ends_lost_runs_and_stops_cancelled_ones_alone():
    class Database:
        async def renew(self, held, lease_s):
            return {
                each: Renewal(alive=each in {"kept", "stopped"}, cancel=each == "stopped") for each in held
            }

    keeper, tasks, leases, work = LeaseKeeper(Database(), LEASE_S), Tasks(), {}, {}

    async def take(name):
        leases[name] = keeper.keep(replace(run_row([]), id=name), time.monotonic() - LEASE_S / 2)
        await forever()

    try:
        for name in ("kept", "stopped", "gone", "ending"):
            work[name] = tasks.spawn(take(name), name=name)
        await paced(0)
        leases["ending"].ending = True
        assert [
            name for name, each in leases.items() if each.counts or each.lost or each.cancelled.is_set()
        ] == []
        before = time.monotonic()
        tasks.spawn(keeper.run(), name="keep")
        await until_async(leases["stopped"].cancelled.is_set, what="the stop")
        await until_async(work["gone"].cancelled, what="the end of what is gone")
        assert [name for name, each in leases.items() if each.lost and each.counts] == ["gone"]
        assert [name for name, each in leases.items() if each.cancelled.is_set()] == ["stopped"]
        assert [name for name, each in leases.items() if each.until > before + LEASE_S / 2] == [
            "kept",
            "stopped",
        ]
        assert [name for name, each in work.items() if each.done()] == ["gone"]
    finally:
        await tasks.aclose()


async def test_a_lease_is_renewed_long_before_it_ends(monkeypatch, caplog):
    renewed = []

    class Database:
        async def renew(self, held, lease_s):
            renewed.append(time.monotonic())
            return {each: Renewal(alive=True, cancel=False) for each in held}

    monkeypatch.setattr(lease, "MARGIN_S", 0.1)
    keeper, tasks, leases = LeaseKeeper(Database(), 1.5), Tasks(), []

    async def work():
        leases.append(keeper.keep(run_row([]), time.monotonic()))
        await forever()

    try:
        working = tasks.spawn(work(), name="work")
        await paced(0)
        tasks.spawn(keeper.run(), name="keep")
        await until_async(lambda: renewed or working.done(), what="the renewal")
        assert not leases[0].lost and not leases[0].is_over
        assert caplog.records == []
    finally:
        await tasks.aclose()


async def test_dropping_an_earlier_attempt_keeps_the_lease_of_the_next():
    renewed = asyncio.Event()

    class Database:
        async def renew(self, held, lease_s):
            renewed.set()
            return {each: Renewal(alive=True, cancel=False) for each in held}

    keeper, tasks, run = LeaseKeeper(Database(), LEASE_S), Tasks(), run_row([])
    try:
        first, second = (keeper.keep(run, time.monotonic() - LEASE_S / 2) for _ in range(2))
        keeper.drop(first)
        tasks.spawn(keeper.run(), name="keep")
        await until_async(
            lambda: second.until > time.monotonic() + LEASE_S / 2, what="the second to be renewed"
        )
        keeper.drop(second)
        assert len(keeper) == 0
    finally:
        await tasks.aclose()


async def test_each_lease_ends_at_its_own_time_while_the_database_is_silent():
    """The first one that was taken is not the first one that ends."""

    class Database:
        async def renew(self, held, lease_s):
            await forever()

    keeper, tasks, leases = LeaseKeeper(Database(), LEASE_S), Tasks(), []

    async def work(run, asked):
        leases.append(keeper.keep(run, asked))
        await forever()

    try:
        now = time.monotonic()
        long = tasks.spawn(work(run_row([]), now), name="long")
        short = tasks.spawn(work(run_row([]), now - LEASE_S + MARGIN_S + 0.2), name="short")
        await paced(0)
        assert leases[0].run.id != leases[1].run.id
        tasks.spawn(keeper.run(), name="keep")
        async with asyncio.timeout(LEASE_S / 2):
            await asyncio.wait({short})
        assert short.cancelled() and not long.done()
        assert [each.lost for each in leases] == [False, True]
    finally:
        await tasks.aclose()


async def test_a_late_renewal_is_waited_for_and_not_begun_anew():
    asked = []

    class Database:
        async def renew(self, held, lease_s):
            asked.append(len(held))
            await forever()

    keeper, tasks = LeaseKeeper(Database(), LEASE_S), Tasks()

    async def work(since):
        keeper.keep(run_row([]), since)
        await forever()

    try:
        now = time.monotonic()
        tasks.spawn(work(now), name="long")
        short = tasks.spawn(work(now - LEASE_S + MARGIN_S + 0.2), name="short")
        await paced(0)
        tasks.spawn(keeper.run(), name="keep")
        async with asyncio.timeout(LEASE_S / 2):
            await asyncio.wait({short})
        for _ in range(20):
            await paced(0)
        assert asked == [2], "the other one may still be saved by it"
    finally:
        await tasks.aclose()


async def test_a_run_names_the_process_that_claimed_it(store, live_url):
    """An operator who looks into the database finds the process that holds a run."""
    answered = asyncio.Event()

    class Waiting(ScriptedModel):
        async def stream_response(self, *args, **more):
            answered.set()
            await forever()
            yield

    async with (
        instance(store, live_url, ScriptedModel([]), capacity=0) as web,
        instance(store, live_url, Waiting([]), capacity=1) as worker,
    ):
        ack = await web.say(await web.session(), "hello")
        await asyncio.wait_for(answered.wait(), PATIENCE_S)
        (row,) = await store.database.fetch(select(runs.c.owner).where(runs.c.id == ack.run_id))
        assert row.owner == worker.owner


async def test_a_lease_taken_during_a_renewal_is_renewed_right_after_it():
    asked, answers, again = asyncio.Event(), asyncio.Event(), asyncio.Event()

    class Database:
        async def renew(self, held, lease_s):
            (again if asked.is_set() else asked).set()
            await answers.wait()
            return {each: Renewal(alive=True, cancel=False) for each in held}

    keeper, tasks = LeaseKeeper(Database(), 3600), Tasks()

    async def work(asked_at):
        keeper.keep(run_row([]), asked_at)
        await forever()

    try:
        tasks.spawn(work(time.monotonic() - 2000), name="first")
        tasks.spawn(keeper.run(), name="keep")
        async with asyncio.timeout(PATIENCE_S):
            await asked.wait()
            tasks.spawn(work(time.monotonic() - 2000), name="second")
            await paced(0)
            answers.set()
            await again.wait()
    finally:
        await tasks.aclose()


async def test_a_keeper_without_leases_starts_no_renewal():
    rounds = []

    class Watched(LeaseKeeper):
        async def renew(self):
            rounds.append(True)
            await super().renew()

    class Database:
        async def renew(self, held, lease_s):
            raise AssertionError("asked")

    tasks = Tasks()
    try:
        tasks.spawn(Watched(Database(), LEASE_S).run(), name="keep")
        for _ in range(50):
            await paced(0)
        assert rounds == []
    finally:
        await tasks.aclose()


async def test_a_renewal_is_cancelled_with_its_keeper():
    asked, ended = asyncio.Event(), asyncio.Event()

    class Database:
        async def renew(self, held, lease_s):
            asked.set()
            try:
                await forever()
            finally:
                ended.set()

    keeper, tasks = LeaseKeeper(Database(), LEASE_S), Tasks()
    keeper.keep(run_row([]), time.monotonic() - LEASE_S / 2 - 5)
    tasks.spawn(keeper.run(), name="keep")
    async with asyncio.timeout(PATIENCE_S):
        await asked.wait()
        assert "leases renew" in {each.get_name() for each in asyncio.all_tasks()}
        await tasks.aclose()
        await ended.wait()


async def test_a_renewal_that_fails_is_told_once_and_made_again(caplog):
    failed, again = [], asyncio.Event()

    class Database:
        async def renew(self, held, lease_s):
            if len(failed) < 2:
                failed.append(True)
                raise Unavailable
            again.set()
            return {each: Renewal(alive=True, cancel=False) for each in held}

    keeper, tasks = LeaseKeeper(Database(), 0.3), Tasks()
    keeper.keep(run_row([]), time.monotonic() + 600)
    tasks.spawn(keeper.run(), name="keep")
    try:
        async with asyncio.timeout(PATIENCE_S):
            await again.wait()
        told = [(each.levelname, each.getMessage()) for each in caplog.records if "failed" in each.msg]
        assert told == [("WARNING", "renewing the leases failed: Unavailable")]
    finally:
        await tasks.aclose()
