"""A part of the attacks on one server while people write: no person is refused, waits long or loses a message."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.attacks.attack import Attack, attacks
from tests.attacks.trial import Bounds, Trials, attackable, trials
from tests.parts.sampled import later

pytestmark = pytest.mark.asyncio(loop_scope="module")

SEED = 7

BOUNDS = Bounds(wait_s=2.5, p99_s=1.0, stall_s=0.5)
"""Beside the other tests of a busy machine; `python -m tests.attacks` allows 1 s, 50 ms and 250 ms."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def attacked() -> AsyncIterator[Trials]:
    """Yield one server, and two people who are there during all attacks: what one leaves behind meets the next."""
    with attackable() as served:
        async with trials(served, BOUNDS) as trying:
            yield trying
        assert not trying.complaints()


KINDS = [each for each in attacks() if each.in_suite]
SIMILAR = {
    "bodies many faults",
    "frames empty pings",
    "frames empty pongs of many",
    "heads cookies",
    "heads hosts",
    "heads nothing there",
    "heads odd paths",
    "services charset",
    "services forms",
}
"""Each is met by what also meets another kind."""


@pytest.mark.parametrize(
    ("kind", "seconds"),
    [
        *(
            (later if each.name in SIMILAR else pytest.param)(each, each.suite_seconds, id=each.name)
            for each in KINDS
        ),
        *(later(each, each.seconds, id=f"{each.name}, long") for each in KINDS if each.long),
    ],
)
async def test_an_attack_neither_delays_other_people_nor_loses_their_messages(
    attacked: Trials, kind: type[Attack], seconds: float
) -> None:
    verdict = await attacked.run(kind, seed=SEED, seconds=seconds)
    assert not verdict.broken, str(verdict)
