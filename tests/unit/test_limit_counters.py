"""Limits are exact: so many within so long, and the refusal says when."""

import pytest

from server.errors import RateLimited, Unavailable
from server.limit_counters import UnauthenticatedSockets, Window, Windows
from server.limits import Limits


class Clock:
    """A clock that goes when it is told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_session_may_send_twenty_messages_in_ten_seconds_and_100_in_a_minute() -> None:
    clock = Clock()
    window = Window(Limits().messages_per_session, clock)
    for _ in range(20):
        window.spend()
    with pytest.raises(RateLimited) as caught:
        window.spend()
    assert caught.value.retry_after == 10.0
    clock.now += 9.99
    with pytest.raises(RateLimited):
        window.spend()
    for _ in range(4):
        clock.now += 10.0
        for _ in range(20):
            window.spend()
    clock.now += 10.0
    with pytest.raises(RateLimited) as caught:
        window.spend()
    assert caught.value.retry_after is not None
    clock.now += caught.value.retry_after + 0.1
    window.spend()


def test_a_refusal_costs_nothing() -> None:
    clock = Clock()
    window = Window(((1, 1.0),), clock)
    window.spend()
    for _ in range(5):
        with pytest.raises(RateLimited):
            window.spend()
    clock.now += 1.0
    window.spend()


def test_each_key_has_its_own_window_and_memory_is_bounded() -> None:
    windows = Windows(((1, 60.0),), Clock(), most=2)
    windows.spend("a")
    windows.spend("b")
    with pytest.raises(RateLimited):
        windows.spend("a")
    windows.spend("c")
    with pytest.raises(RateLimited):
        windows.spend("a")
    windows.spend("b")


def test_strangers_are_counted_by_address_until_they_are_known_or_gone() -> None:
    strangers = UnauthenticatedSockets(20)
    for _ in range(20):
        strangers.enter("10.0.0.1")
    with pytest.raises(Unavailable):
        strangers.enter("10.0.0.1")
    strangers.enter("10.0.0.2")
    strangers.leave("10.0.0.1")
    strangers.enter("10.0.0.1")
    strangers.leave("10.0.0.2")
    strangers.leave("10.0.0.2")
    assert "10.0.0.2" not in strangers
