"""The loops of the server: a repeated act survives its failures, a retry ends with success or is given up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import pytest

from server.errors import Busy, Fenced, Unavailable
from server.tasks import Backoff, FailureLog, attempt, repeat, retry
from tests.parts.clock import run_at_once

log = logging.getLogger("loops")


class Acts:
    """An action that fails as its script says, and is over when the script is; it notes when it was called."""

    def __init__(self, *script: Exception | None) -> None:
        self.script = list(script)
        self.times: list[float] = []

    async def __call__(self) -> str:
        self.times.append(asyncio.get_running_loop().time())
        error = self.script.pop(0)
        if error is not None:
            raise error
        return "done"

    def is_over(self) -> bool:
        return not self.script

    def gaps(self) -> list[float]:
        return [later - earlier for earlier, later in zip(self.times, self.times[1:], strict=False)]


def test_acts_are_a_jittered_pause_apart_and_the_first_one_is_at_once_or_not() -> None:
    for pause_first in (False, True):
        acts = Acts(*[None] * 50)
        run_at_once(
            repeat(
                acts,
                every_s=10,
                failures=FailureLog(log, "act"),
                pause_first=pause_first,
                is_over=acts.is_over,
            )
        )
        assert (8 <= acts.times[0] <= 12) if pause_first else acts.times[0] == 0
        assert all(8 <= gap <= 12.001 for gap in acts.gaps())
        assert len({round(gap, 3) for gap in acts.gaps()}) > 1


def test_the_pause_may_be_asked_for_after_each_act() -> None:
    acts, pauses = Acts(*[None] * 4), Backoff(1, 4)
    run_at_once(repeat(acts, every_s=pauses.next_s, failures=FailureLog(log, "act"), is_over=acts.is_over))
    assert [round(gap / base) for gap, base in zip(acts.gaps(), (1, 2, 4), strict=True)] == [1, 1, 1]


def test_a_failure_ends_no_loop_and_each_kind_is_logged_once_until_an_act_succeeds(
    caplog: pytest.LogCaptureFixture,
) -> None:
    acts = Acts(ValueError("a"), ValueError("b"), KeyError("c"), ValueError("d"), None, ValueError("e"))
    with caplog.at_level(logging.INFO):
        run_at_once(repeat(acts, every_s=1, failures=FailureLog(log, "act"), is_over=acts.is_over))
    assert len(acts.times) == 6
    told = [str(record.exc_info[1]) for record in caplog.records if record.exc_info]
    assert told == ["a", "'c'", "e"]
    assert {record.getMessage() for record in caplog.records} == {"act failed"}
    assert {record.name for record in caplog.records} == {"loops"}


@pytest.mark.parametrize("level", [logging.DEBUG, logging.WARNING])
async def test_an_outage_has_no_traceback_and_the_level_that_the_loop_wants(
    level: int, caplog: pytest.LogCaptureFixture
) -> None:
    acts = Acts(Unavailable(), Unavailable())
    failures = FailureLog(log, "act", unavailable=level)
    with caplog.at_level(logging.DEBUG, "loops"):
        assert not await attempt(acts, failures)
        assert not await attempt(acts, failures)
    assert [record.levelno for record in caplog.records] == [level, logging.DEBUG]
    assert [record.exc_info for record in caplog.records] == [None, None]


async def test_an_attempt_says_whether_it_succeeded_and_raises_a_cancellation_alone() -> None:
    assert await attempt(Acts(None), FailureLog(log, "act"))

    async def cancelled() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await attempt(cancelled, FailureLog(log, "act"))


def repeat_times(when: Callable[[asyncio.Event, int], None]) -> list[float]:
    """Repeat three acts an hour apart; `when` gets the event that ends a pause, and how many acts have begun."""

    async def run() -> list[float]:
        wake, times = asyncio.Event(), list[float]()

        async def act() -> None:
            times.append(asyncio.get_running_loop().time())
            when(wake, len(times))

        await repeat(
            act,
            every_s=3600,
            failures=FailureLog(log, "act"),
            wake=wake,
            is_over=lambda: len(times) == 3,
        )
        return times

    return run_at_once(run())


def test_a_wake_ends_the_pause_of_a_loop() -> None:
    def later(wake: asyncio.Event, acts: int) -> None:
        asyncio.get_running_loop().call_later(5, wake.set)

    assert [round(each) for each in repeat_times(later)] == [0, 5, 10]


def test_a_wake_during_an_act_causes_one_more_act() -> None:
    def now(wake: asyncio.Event, acts: int) -> None:
        if acts == 1:
            wake.set()

    first, second, third = repeat_times(now)
    assert (first, second) == (0, 0)
    assert third >= 0.8 * 3600


def test_a_retry_pauses_longer_after_each_failure_and_returns_what_the_action_returns() -> None:
    acts, seen = Acts(Busy(), Busy(), Busy(), Busy(), None), list[float]()

    def note(error: Busy, pause: float) -> None:
        seen.append(pause)

    assert run_at_once(retry(acts, Backoff(1, 4), on=Busy, on_failure=note)) == "done"
    assert acts.gaps() == pytest.approx(seen)
    assert all(0.8 * base <= gap <= 1.2 * base for gap, base in zip(seen, (1, 2, 4, 4), strict=True))


def test_a_retry_lets_any_other_error_pass() -> None:
    acts = Acts(Busy(), ValueError("another"))
    with pytest.raises(ValueError, match="another"):
        run_at_once(retry(acts, Backoff(1, 4), on=Busy, on_failure=lambda *_: None))


def test_a_retry_is_given_up_by_an_error_of_the_caller() -> None:
    def give_up(error: Busy, pause: float) -> None:
        raise Fenced from error

    acts = Acts(Busy())
    with pytest.raises(Fenced) as raised:
        run_at_once(retry(acts, Backoff(1, 4), on=Busy, on_failure=give_up))
    assert isinstance(raised.value.__cause__, Busy)
    assert acts.times == [0]


def test_a_retry_pauses_as_long_as_the_answer_asked_for() -> None:
    acts = Acts(Busy(), None)
    run_at_once(retry(acts, Backoff(1, 4), on=Busy, on_failure=lambda *_: 7.0))
    assert acts.gaps() == pytest.approx([7.0])
