"""A slice of the attacks: each on a server of its own process while people talk, and nobody loses anything."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.attacks.attack import Attack, attacks
from tests.attacks.trial import SETTINGS, tried
from tests.parts.server import Served, served

SEED = 7

MOST_WAIT_S = 2.5
"""Beside the other tests of a busy machine; `python -m tests.attacks` allows one second."""


@pytest.fixture(scope="module")
def attacked() -> Iterator[Served]:
    """One server for all of them: what one leaves behind meets the next."""
    with served(SETTINGS) as running:
        yield running


@pytest.mark.parametrize("kind", [each for each in attacks() if each.in_suite], ids=lambda each: each.name)
async def test_nobody_is_hurt_by_an_attack(attacked: Served, kind: type[Attack]) -> None:
    verdict = await tried(kind, attacked, seed=SEED, most_wait_s=MOST_WAIT_S)
    assert not verdict.broken, str(verdict)
