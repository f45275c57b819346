"""The watch on conversations: who listens to an app is told of each change there, and nothing is asked for nobody."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from server.http.inbox import watch as watch_module
from server.http.inbox.watch import LOOK_S, InboxWatch
from server.store import Store
from tests.parts.wait import until_async


class Changes:
    """The newest change of each app, and how often somebody asked."""

    def __init__(self) -> None:
        self.newest = {"demo": 1, "shop": 1}
        self.asked: list[frozenset[str]] = []
        self.fails = False

    async def newest_changes(self, apps: Any) -> dict[str, int]:
        self.asked.append(frozenset(apps))
        if self.fails:
            raise RuntimeError
        return {app: self.newest[app] for app in apps}


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch) -> Changes:
    monkeypatch.setattr(watch_module, "LOOK_S", 0.001)
    return Changes()


def watching(changes: Changes) -> InboxWatch:
    watch = InboxWatch(cast("Store", SimpleNamespace(inbox=changes)))
    watch.start()
    return watch


async def looks(changes: Changes, count: int = 2) -> None:
    """Wait for so many more looks, which have ended."""
    wanted = len(changes.asked) + count
    await until_async(lambda: len(changes.asked) > wanted, what="more looks")


def test_a_change_is_seen_within_a_second() -> None:
    assert 0 < LOOK_S <= 1


async def test_a_listener_of_an_app_is_woken_by_changes_of_that_app_alone(changes: Changes) -> None:
    watch = watching(changes)
    with watch.listen(["demo"]) as mine, watch.listen(["shop", "demo"]) as both:
        await until_async(lambda: mine.is_set() and both.is_set(), what="the first look")
        for event in (mine, both):
            event.clear()
        await looks(changes)
        assert not mine.is_set() and not both.is_set(), "nothing has changed"
        changes.newest["shop"] = 2
        await until_async(both.is_set, what="the change")
        await looks(changes)
        assert not mine.is_set()
        assert changes.asked[-1] == {"demo", "shop"}
    await watch.aclose()


async def test_the_watch_does_not_ask_the_store_without_listeners_or_after_its_end(changes: Changes) -> None:
    watch = watching(changes)
    due = asyncio.Event()
    asyncio.get_running_loop().call_later(0.02, due.set)
    await due.wait()
    assert changes.asked == []
    with watch.listen(["demo"]) as changed:
        await until_async(changed.is_set, what="a look")
    with watch.listen(["shop"]) as changed:
        await until_async(changed.is_set, what="another look")
        await looks(changes)
        assert changes.asked[-1] == {"shop"}, "who has left is forgotten"
        await watch.aclose()
        asked = len(changes.asked)
        changed.clear()
        changes.newest["shop"] = 9
        assert not changed.is_set()
        assert len(changes.asked) == asked


async def test_a_look_that_fails_is_logged_once_and_the_next_one_is_made(
    changes: Changes, caplog: pytest.LogCaptureFixture
) -> None:
    changes.fails = True
    watch = watching(changes)
    with watch.listen(["demo"]) as changed:
        await looks(changes)
        assert not changed.is_set()
        changes.fails = False
        await until_async(changed.is_set, what="a look that succeeds")
    await watch.aclose()
    assert caplog.messages == ["looking for changed conversations failed"]
