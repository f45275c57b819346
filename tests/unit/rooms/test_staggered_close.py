"""Readers of a leaving server are sent away at fixed times, the first at once."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from server.rooms import staggered_close
from server.rooms.staggered_close import take_turns


class Clock:
    """A clock that stands still but for who sleeps by it."""

    def __init__(self) -> None:
        self.now = 100.0

    async def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.now += seconds


@pytest.mark.parametrize(
    ("readers", "work", "moments"),
    [
        (0, 0.0, []),
        (1, 0.0, [0.0]),
        (2, 0.0, [0.0, 0.5]),
        (4, 0.0, [0.0, 0.5, 1.0, 1.5]),
        (13, 0.0, [each / 4 for each in range(13)]),
        (13, 0.125, [each / 4 for each in range(13)]),
        (3, 0.75, [0.0, 0.75, 1.5]),
    ],
)
async def test_readers_take_turns_at_most_half_a_second_apart_and_within_three_seconds(
    readers: int, work: float, moments: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    loop = SimpleNamespace(time=lambda: clock.now)
    monkeypatch.setattr(
        staggered_close, "asyncio", SimpleNamespace(get_running_loop=lambda: loop, sleep=clock.sleep)
    )
    turns = []
    async for each in take_turns(range(readers)):
        turns.append((each, clock.now - 100.0))
        clock.now += work
    assert turns == list(enumerate(moments))
