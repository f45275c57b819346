"""A call of the store is repeated for as long as the lease may still be ours, and not once after that."""

import asyncio
import time
from collections.abc import Mapping
from types import SimpleNamespace

import pytest

from server.errors import Fenced, Unavailable
from server.runs.execution import lease as lease_module
from server.runs.execution.lease import Lease, LeaseKeeper
from server.store import Renewal
from tests.parts.wait import until_async
from tests.unit.agents.outlet import run_row


async def test_no_call_begins_after_the_lease_has_ended() -> None:
    lease = Lease(None, time.monotonic() + 0.4, None)  # type: ignore[arg-type]
    begun: list[float] = []

    async def refuse() -> None:
        begun.append(time.monotonic())
        raise Unavailable

    with pytest.raises(Fenced):
        await lease.retry_while_held(refuse)
    assert len(begun) >= 2
    assert max(begun) <= lease.until
    assert time.monotonic() <= lease.until, (
        "it says so when the next call would come too late, not after that"
    )
    assert lease.counts


async def test_a_store_that_refuses_for_long_is_left_though_the_lease_be_renewed_and_the_attempt_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lease_module, "MOST_RETRY_S", 0.3)
    lease = Lease(None, time.monotonic() + 600, None)  # type: ignore[arg-type]
    begun = time.monotonic()

    async def refuse() -> None:
        raise Unavailable

    with pytest.raises(Unavailable):
        await lease.retry_while_held(refuse)
    assert time.monotonic() - begun <= lease_module.MOST_RETRY_S + 0.5, (
        "a busy machine looks late at its clock"
    )
    assert lease.counts
    assert not lease.is_over


async def test_a_call_that_succeeds_at_last_counts_nothing() -> None:
    lease, left = Lease(None, time.monotonic() + 600, None), [Unavailable(), Unavailable()]  # type: ignore[arg-type]

    async def call() -> str:
        if left:
            raise left.pop()
        return "done"

    assert await lease.retry_while_held(call) == "done"
    assert not lease.counts


async def test_a_lost_lease_stops_its_holder_and_one_whose_time_has_passed_is_over_unseen() -> None:
    async def hold() -> None:
        await asyncio.Event().wait()

    holder = asyncio.ensure_future(hold())
    lease = Lease(None, time.monotonic() + 600, holder)  # type: ignore[arg-type]
    assert not lease.is_over
    lease.lose()
    assert (lease.is_over, lease.lost, lease.counts) == (True, True, True)
    with pytest.raises(asyncio.CancelledError):
        await holder
    passed = Lease(None, time.monotonic() - 0.001, None)  # type: ignore[arg-type]
    assert (passed.is_over, passed.lost, passed.counts) == (True, False, False)
    passed.lose()
    assert passed.lost


async def test_a_write_that_is_refused_is_tried_again_after_a_second_at_most_and_left_after_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By a clock that only the pauses move."""
    now, pauses = [1000.0], []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        now[0] += seconds

    async def refuse() -> None:
        raise Unavailable

    monkeypatch.setattr(lease_module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(asyncio, "sleep", sleep)
    with pytest.raises(Unavailable):
        await Lease(None, 5000.0, None).retry_while_held(refuse)  # type: ignore[arg-type]
    assert 58 < now[0] - 1000 <= 60
    assert 0.08 <= pauses[0] <= 0.12
    assert max(pauses) <= 1.2


async def test_leases_are_renewed_after_a_third_of_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rests: list[float] = []

    async def rest(_event: asyncio.Event, seconds: float) -> bool:
        rests.append(seconds)
        return await asyncio.Event().wait()

    class Database:
        async def renew(self, held: Mapping[str, int], lease_s: float) -> dict[str, Renewal]:
            raise AssertionError("asked")

    monkeypatch.setattr(lease_module, "happens_within", rest)
    keeper = LeaseKeeper(Database(), 60)
    keeper.keep(run_row([]), time.monotonic())
    keeping = asyncio.ensure_future(keeper.run())
    await until_async(lambda: rests, what="the rest")
    keeping.cancel()
    await asyncio.wait({keeping})
    assert rests == [20]


async def test_a_lease_is_ending_from_the_commit_of_the_end_of_its_run() -> None:
    lease, seen = Lease(None, time.monotonic() + 600, None), []  # type: ignore[arg-type]

    async def write() -> None:
        seen.append(lease.ending)

    await lease.finish(write)
    assert seen == [True]


async def test_a_run_stops_a_second_before_its_lease_ends() -> None:
    class Database:
        async def renew(self, held: Mapping[str, int], lease_s: float) -> dict[str, Renewal]:
            assert lease_s == 60
            return {each: Renewal(alive=True, cancel=False) for each in held}

    keeper, asked = LeaseKeeper(Database(), 60), time.monotonic()
    lease = keeper.keep(run_row([]), asked)
    assert lease.until == asked + 59
    await keeper.renew()
    assert asked + 59 <= lease.until <= time.monotonic() + 59
    keeper.drop(lease)
    assert len(keeper) == 0


async def test_the_renewal_of_a_lease_that_was_taken_meanwhile_ends_no_other() -> None:
    """The database has answered for the earlier attempt."""
    answered = asyncio.Event()

    class Database:
        async def renew(self, held: Mapping[str, int], lease_s: float) -> dict[str, Renewal]:
            await answered.wait()
            return {each: Renewal(alive=False, cancel=False) for each in held}

    keeper, run = LeaseKeeper(Database(), 60), run_row([])
    holder = asyncio.current_task()
    assert holder is not None
    first = keeper.keep(run, time.monotonic())
    renewing = asyncio.ensure_future(keeper.renew())
    await asyncio.sleep(0)
    second = keeper.keep(run, time.monotonic())
    answered.set()
    await renewing
    assert (first.lost, second.lost, holder.cancelling()) == (False, False, 0)
    assert len(keeper) == 1


async def test_a_lease_that_ends_while_the_process_stands_still_is_excused_once_and_others_never(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By a clock that the test moves; whoever looks first notices the stall."""
    now, waits, awake = [1000.0], [], asyncio.Event()

    async def rest(_event: asyncio.Event, seconds: float) -> bool:
        waits.append(seconds)
        await awake.wait()
        awake.clear()
        return False

    class Database:
        async def renew(self, held: Mapping[str, int], lease_s: float) -> dict[str, Renewal]:
            return {each: Renewal(alive=True, cancel=False) for each in held}

    monkeypatch.setattr(lease_module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(lease_module, "happens_within", rest)
    keeper, run = LeaseKeeper(Database(), 60), run_row([])
    lease = Lease(run, now[0] + 59, None)
    assert not keeper.excuse(lease), "nobody keeps it"
    keeping = asyncio.ensure_future(keeper.run())
    try:
        await until_async(lambda: waits == [20], what="the rest")
        now[0] += 22
        assert not keeper.excuse(lease), "the keeper is two seconds late, as on a busy machine"
        now[0] += 0.1
        assert not keeper.excuse(lease), "the lease is not over"
        now[0] += 40
        assert keeper.excuse(lease)
        assert not keeper.excuse(lease), "the same run again"
        awake.set()
        await until_async(lambda: len(waits) == 2, what="the next rest")
        for until, excused in ((1019.0, False), (1021.0, True), (1062.0, True), (1062.2, False)):
            other = Lease(run_row([], id=f"run_{until}"), until, None)
            assert keeper.excuse(other) is excused
    finally:
        keeping.cancel()
        await asyncio.wait({keeping})
