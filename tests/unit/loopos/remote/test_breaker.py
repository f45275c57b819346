"""The circuit breaker, step by step on a stopped clock."""

from __future__ import annotations

import asyncio

import pytest

from server.errors import NotFound
from server.loopos.remote.breaker import CircuitBreaker
from server.loopos.remote.failures import CoreFailure


def fail(breaker: CircuitBreaker, *, counts: bool = True) -> None:
    with pytest.raises(CoreFailure), breaker.attempt():
        raise CoreFailure("status", retry=True, counts=counts)


def pass_(breaker: CircuitBreaker) -> None:
    with breaker.attempt():
        pass


def is_refused(breaker: CircuitBreaker) -> bool:
    try:
        pass_(breaker)
    except CoreFailure as failure:
        assert (failure.reason, failure.retry, failure.counts) == ("open", False, False)
        return True
    return False


def test_the_breaker_opens_only_after_failures_in_a_row() -> None:
    breaker = CircuitBreaker(most_failures=2, clock=lambda: 0)
    for _ in range(3):
        fail(breaker)
        pass_(breaker)
    fail(breaker, counts=False)
    fail(breaker)
    assert not breaker.is_open
    fail(breaker)
    assert breaker.is_open and is_refused(breaker)


def test_an_error_of_the_port_is_an_answer() -> None:
    breaker = CircuitBreaker(most_failures=2, clock=lambda: 0)
    fail(breaker)
    with pytest.raises(NotFound), breaker.attempt():
        raise NotFound
    fail(breaker)
    assert not breaker.is_open


def test_pauses_grow_to_a_bound_and_begin_anew_after_an_answer() -> None:
    now = [0.0]
    breaker = CircuitBreaker(most_failures=1, first_pause_s=5, most_pause_s=20, clock=lambda: now[0])
    fail(breaker)
    for pause in (5, 10, 20, 20):
        now[0] += pause - 0.5
        assert is_refused(breaker)
        now[0] += 0.5
        fail(breaker)
    now[0] += 20
    pass_(breaker)
    fail(breaker)
    now[0] += 5
    assert not is_refused(breaker)


def test_a_trial_that_is_cancelled_leaves_room_for_another() -> None:
    now = [0.0]
    breaker = CircuitBreaker(most_failures=1, first_pause_s=5, clock=lambda: now[0])
    fail(breaker)
    now[0] = 6
    with pytest.raises(asyncio.CancelledError), breaker.attempt():
        raise asyncio.CancelledError
    assert breaker.is_open
    pass_(breaker)
    assert not breaker.is_open


def test_while_a_trial_runs_nobody_else_may_try() -> None:
    now = [0.0]
    breaker = CircuitBreaker(most_failures=1, first_pause_s=5, clock=lambda: now[0])
    fail(breaker)
    now[0] = 6
    with breaker.attempt():
        assert is_refused(breaker)
    assert not breaker.is_open


def test_attempts_begun_before_the_breaker_opened_do_not_lengthen_its_pause() -> None:
    now = [0.0]
    breaker = CircuitBreaker(most_failures=1, first_pause_s=5, clock=lambda: now[0])
    with pytest.raises(CoreFailure), breaker.attempt():
        fail(breaker)
        raise CoreFailure("timeout", retry=True)
    now[0] = 5
    assert not is_refused(breaker)
