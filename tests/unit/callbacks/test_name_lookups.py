"""The lookups of strangers' names: bounded by caller and in all, in threads of their own.

The system's function is replaced by one that waits for an event: which of many lookups end, and when, cannot be told to
a real name server's clients. tests/integration/callbacks/test_silent_names.py has a real server that keeps silent.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from threading import Event, Lock
from typing import Any

import pytest

from server.callbacks import Guard, name_lookups
from server.callbacks.name_lookups import (
    AT_ONCE,
    MOST_WAITING,
    OF_CALLER,
    RESOLVE_S,
    NameLookups,
)
from server.errors import RateLimited, Unavailable, UrlNotAllowed
from server.limits import Limits
from tests.parts.wait import until_async


class HangingSystem:
    """Looks every name up for as long as the test wants."""

    def __init__(self) -> None:
        self.released = Event()
        self.asked: list[str] = []
        self._lock = Lock()

    def getaddrinfo(self, host: str, *_: object, **__: object) -> list[tuple[Any, ...]]:
        with self._lock:
            self.asked.append(host)
        self.released.wait()
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("8.8.8.8", 0))]


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> Iterator[HangingSystem]:
    """Let no lookup end before the test does."""
    hanging = HangingSystem()
    monkeypatch.setattr(socket, "getaddrinfo", hanging.getaddrinfo)
    monkeypatch.setattr(name_lookups, "RESOLVE_S", 60)
    yield hanging
    hanging.released.set()


async def begun(lookups: NameLookups, *callers: str) -> list[asyncio.Task[list[str]]]:
    """Begin a lookup for each caller, named by its place."""
    tasks = [
        asyncio.create_task(lookups.resolve(f"{place}.example", caller))
        for place, caller in enumerate(callers)
    ]
    await asyncio.sleep(0)
    return tasks


async def test_the_system_names_each_address_once() -> None:
    assert await NameLookups().resolve("127.0.0.2") == ["127.0.0.2"]


async def test_a_name_that_is_none_raises_what_the_system_says() -> None:
    with pytest.raises(UnicodeError):
        await NameLookups().resolve("a" * 64 + ".example")


def test_a_request_does_not_wait_longer_than_three_seconds_for_a_name() -> None:
    assert 0 < RESOLVE_S <= 3


async def test_a_name_server_that_keeps_silent_is_waited_for_as_long_as_the_bound_says(
    system: HangingSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(name_lookups, "RESOLVE_S", 0.01)
    with pytest.raises(UrlNotAllowed):
        await Guard().judge("https://shop.example/hook")
    assert system.asked == ["shop.example"]


async def test_others_use_the_threads_of_the_process_while_strangers_names_hang(
    system: HangingSystem,
) -> None:
    guard = Guard()
    hanging = [
        asyncio.create_task(guard.for_caller(f"{n}").judge(f"https://{n}.example/")) for n in range(AT_ONCE)
    ]
    await asyncio.sleep(0)
    assert await asyncio.to_thread(len, "other") == len("other")
    assert not any(each.done() for each in hanging)
    system.released.set()
    assert {each.host for each in await asyncio.gather(*hanging)} == {
        b"%d.example" % n for n in range(AT_ONCE)
    }


async def test_a_caller_has_few_lookups_at_once_and_others_pass_it(system: HangingSystem) -> None:
    lookups = NameLookups()
    tasks = await begun(lookups, *["a"] * (OF_CALLER + 2), "b")
    await until_async(lambda: len(system.asked) > OF_CALLER)
    system.released.set()
    await asyncio.gather(*tasks)
    assert set(system.asked[: OF_CALLER + 1]) == {*(f"{n}.example" for n in range(OF_CALLER)), "8.example"}


async def test_a_caller_whose_lookups_wait_is_refused_at_once_and_others_are_not(
    system: HangingSystem,
) -> None:
    lookups = NameLookups()
    tasks = await begun(lookups, *["a"] * (OF_CALLER + Limits().lookups_per_address))
    with pytest.raises(RateLimited) as refused:
        await lookups.resolve("more.example", "a")
    assert refused.value.retry_after
    tasks += await begun(lookups, "b")
    system.released.set()
    assert all(await asyncio.gather(*tasks))
    assert await lookups.resolve("more.example", "a") == ["8.8.8.8"]


async def test_an_operator_says_how_many_lookups_of_a_caller_wait(system: HangingSystem) -> None:
    guard = Guard(limits=Limits(lookups_per_address=1)).for_caller("a")
    urls = [f"https://{number}.example/" for number in range(OF_CALLER + 1)]
    tasks = [asyncio.create_task(guard.judge(each)) for each in urls]
    await until_async(lambda: len(system.asked) == OF_CALLER)
    with pytest.raises(RateLimited):
        await guard.judge("https://more.example/")
    system.released.set()
    await asyncio.gather(*tasks)


async def test_all_lookups_are_bounded_and_the_next_is_refused_at_once(system: HangingSystem) -> None:
    lookups = NameLookups()
    tasks = await begun(lookups, *map(str, range(AT_ONCE + MOST_WAITING)))
    with pytest.raises(Unavailable) as refused:
        await lookups.resolve("more.example", "new")
    assert refused.value.retry_after
    with pytest.raises(Unavailable):
        await lookups.resolve("more.example")
    assert len(system.asked) <= AT_ONCE
    system.released.set()
    assert all(await asyncio.gather(*tasks))


async def test_who_gets_no_thread_in_time_may_come_again(
    system: HangingSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    lookups = NameLookups()
    tasks = await begun(lookups, *["a"] * OF_CALLER)
    monkeypatch.setattr(name_lookups, "RESOLVE_S", 0.01)
    with pytest.raises(RateLimited):
        await lookups.resolve("late.example", "a")
    tasks += await begun(lookups, *(["b"] * AT_ONCE))
    system.released.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert "late.example" not in system.asked


async def test_a_caller_who_leaves_keeps_its_thread_until_the_system_gives_up(system: HangingSystem) -> None:
    lookups = NameLookups()
    tasks = await begun(lookups, *["a"] * OF_CALLER)
    for each in tasks:
        each.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    (waiting,) = await begun(lookups, "a")
    await begun(lookups, "b")
    await until_async(lambda: len(system.asked) > OF_CALLER)
    assert system.asked.count("0.example") == 2, "the first lookup of each caller"
    system.released.set()
    assert await waiting == ["8.8.8.8"]


async def test_a_thread_that_cannot_be_begun_is_tried_again(
    system: HangingSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("can't start new thread")

    lookups = NameLookups()
    with monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", fail)
        first = await begun(lookups, "a")
    system.released.set()
    assert await lookups.resolve("second.example", "b") == ["8.8.8.8"]
    assert await first[0] == ["8.8.8.8"]
