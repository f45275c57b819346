"""A call of the store is repeated for as long as the lease may still be ours, and not once after that."""

import time

import pytest

from server.errors import Fenced, Unavailable
from server.runs.lease import Lease


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
