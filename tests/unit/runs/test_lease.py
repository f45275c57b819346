"""A call of the store is repeated for as long as the lease may still be ours, and not once after that."""

import asyncio
import time

import pytest

from server.errors import Fenced, Unavailable
from server.runs.execution import lease as lease_module
from server.runs.execution.lease import Lease


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
    monkeypatch.setattr(lease_module, "INSIST_S", 0.3)
    lease = Lease(None, time.monotonic() + 600, None)  # type: ignore[arg-type]
    begun = time.monotonic()

    async def refuse() -> None:
        raise Unavailable

    with pytest.raises(Unavailable):
        await lease.retry_while_held(refuse)
    assert time.monotonic() - begun <= lease_module.INSIST_S + 0.5, "a busy machine looks late at its clock"
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
