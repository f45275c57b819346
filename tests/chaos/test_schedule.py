"""A seed gives the same schedule every time, and a storm has faults of every kind."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import pytest

from tests.chaos.schedule import blows, kinds, scripts
from tests.parts.server import ROOT


def schedule_text(seed: int) -> str:
    """Return a schedule and some scripts as text."""
    faults = [str(each) for each in blows(seed, 600, between=(3, 9))]
    people = [str(each) for person in range(3) for each in itertools.islice(scripts(seed, person), 3)]
    return "\n".join([*faults, *people])


def test_the_same_seed_is_the_same_storm() -> None:
    assert schedule_text(7) == schedule_text(7)
    assert schedule_text(8) != schedule_text(7)


@pytest.mark.conformance
def test_the_same_seed_is_the_same_storm_in_another_process() -> None:
    code = (
        "import sys; from tests.chaos.test_schedule import schedule_text; sys.stdout.write(schedule_text(7))"
    )
    env = {**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": str(ROOT)}
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert other.stdout == schedule_text(7)


def test_a_storm_deals_every_kind_of_fault_before_it_repeats_one() -> None:
    dealt = [each.fault.name for each in blows(3, 10_000, between=(5, 40))]
    assert len(kinds()) == len({each.name for each in kinds()}) >= 15
    assert sorted(dealt[: len(kinds())]) == sorted(each.name for each in kinds())


def test_faults_come_in_order_and_with_pauses_within_their_bounds() -> None:
    found = blows(11, 300, between=(5, 40))
    times = [each.at for each in found]
    pauses = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert times == sorted(times)
    assert times[-1] < 300
    assert min(pauses) > 4.8
    assert max(pauses) < 40.2
