"""Control frames, wake-ups, cancel signals and the cache: helpful, and allowed to be lost."""

from __future__ import annotations

import asyncio

import pytest

from server.bus import Bus
from server.bus import cache as cache_module
from server.bus.redis.client import connect_subscriber as connect
from tests.contract.bus.viewer import Holder, Viewer
from tests.parts.wait import until_async


async def test_a_control_frame_reaches_the_watchers_of_every_instance_once(bus, other, stored):
    viewers = [await Viewer(each, stored).open() for each in (bus, bus, other)]
    await bus.notify(stored.session_id, b'{"type":"typing"}')
    await Holder.claim(other, stored)
    await bus.notify(stored.session_id, b"two words")
    await until_async(lambda: all(len(each.frames) >= 2 for each in viewers))
    assert [each.frames for each in viewers] == [[b'{"type":"typing"}', b"two words"]] * 3


async def test_a_control_frame_reaches_local_viewers_at_once_and_needs_none(bus, stored):
    here = await Viewer(bus, stored).open()
    notifying = asyncio.ensure_future(bus.notify(stored.session_id, b"{}"))
    await asyncio.sleep(0)
    assert here.frames == [b"{}"]
    await notifying
    await bus.notify(f"{stored.session_id}_2", b"{}")


async def test_processes_that_claim_runs_are_counted_until_they_retire(bus, other):
    before = await bus.signals.workers()

    async def more(count):
        return await bus.signals.workers() == before + count

    for count, each in enumerate((bus, other), 1):
        each.signals.enlist()
        await until_async(lambda count=count: more(count), what="the process to be counted")
    await bus.signals.retire()
    await until_async(lambda: more(1), what="the process to be counted no longer")


async def test_a_revoked_principal_is_told_to_every_instance(bus, other):
    heard: list[str] = []
    for name, each in (("bus", bus), ("other", other)):
        each.signals.on_revoked(lambda subject, name=name: heard.append(f"{name} {subject}"))
    await bus.signals.revoke("vis_1")
    await until_async(lambda: len(heard) == 2)
    assert sorted(heard) == ["bus vis_1", "other vis_1"]


async def test_a_deleted_session_leaves_no_key_behind(bus, stored, any_url):
    sid = stored.session_id
    holder = await Holder.claim(bus, stored)
    await holder.publish(1)
    await holder.finish()
    await bus.cache.put(sid, "run_1", b"one")
    async with connect(any_url) as client:
        assert len([each async for each in client.scan_iter(f"*{sid}*", count=10_000)]) == 3
        await bus.forget(sid)
        assert [each async for each in client.scan_iter(f"*{sid}*", count=10_000)] == []


async def test_a_bus_serves_from_its_start_and_names_its_tasks(bus):
    assert not bus.degraded
    assert await bus.ping()
    assert {"bus.flusher", "bus.subscriber", "bus.check"} <= {each.get_name() for each in asyncio.all_tasks()}


async def test_a_wake_up_and_a_cancel_reach_every_instance(bus, other):
    heard: list[str] = []
    for name, each in (("bus", bus), ("other", other)):
        each.signals.on_wake(lambda name=name: heard.append(f"{name} wake"))
        each.signals.on_cancel(lambda run_id, name=name: heard.append(f"{name} {run_id}"))
    await bus.signals.wake()
    await bus.signals.cancel("run_1")
    await until_async(lambda: len(heard) == 4)
    assert sorted(heard) == ["bus run_1", "bus wake", "other run_1", "other wake"]


async def test_a_cached_value_is_used_under_its_stamp_only(bus, other, stored):
    sid = stored.session_id
    await bus.cache.put(sid, "run_1", b"one\ntwo")
    await bus.cache.put(f"{sid}:history", "run_1", b"history")
    assert await other.cache.get(sid, "run_1") == b"one\ntwo"
    assert await other.cache.get(f"{sid}:history", "run_1") == b"history"
    assert await other.cache.get(sid, "run_2") is None
    assert await other.cache.get("ses_unknown", "run_1") is None
    assert await other.cache.get("ses_unknown", "") is None
    await other.cache.drop(sid)
    assert await bus.cache.get(sid, "run_1") is None


async def test_the_sessions_used_longest_ago_leave_the_cache(bus, stored, monkeypatch):
    monkeypatch.setattr(cache_module, "MOST_SESSIONS", 3)
    monkeypatch.setattr(cache_module, "INDEX", f"lw:cache-index-{stored.session_id}")
    names = [f"{stored.session_id}{each}" for each in range(5)]
    for name in names[:3]:
        await bus.cache.put(name, "s", b"v")
    assert await bus.cache.get(names[0], "s") == b"v"
    for name in names[3:]:
        await bus.cache.put(name, "s", b"v")
    kept = [name for name in names if await bus.cache.get(name, "s") is not None]
    assert kept == [names[0], names[3], names[4]]


async def test_a_thousand_sessions_are_cached_for_an_hour(bus, stored, monkeypatch, any_url):
    index, sid = f"lw:cache-index-{stored.session_id}", stored.session_id
    monkeypatch.setattr(cache_module, "INDEX", index)
    async with connect(any_url) as client:
        oldest = [f"lw:cache:{sid}-{number}" for number in range(3)]
        await client.zadd(index, {f"{sid}-{number}": number for number in range(1001)})
        for each in oldest:
            await client.set(each, "")
        await bus.cache.put(sid, "s", b"v")
        assert [await client.exists(each) for each in oldest] == [0, 0, 1]
        await client.delete(*oldest)
        assert await client.zcard(index) == 1000
        assert await client.zscore(index, f"{sid}-0") is None
        assert await bus.cache.get(sid, "s") == b"v"
        assert await bus.cache.get(f"{sid}-unknown", "s") is None
        assert await client.zscore(index, f"{sid}-unknown") is None, "what is not cached takes nobody's place"
        for key in (index, f"lw:cache:{sid}"):
            assert 3000 < await client.ttl(key) <= 3600


@pytest.mark.parametrize("size", [cache_module.MOST_BYTES, cache_module.MOST_BYTES + 1])
async def test_a_value_that_is_too_large_is_not_kept(bus, stored, size):
    await bus.cache.put(stored.session_id, "s", bytes(size))
    found = await bus.cache.get(stored.session_id, "s")
    assert (found is not None) == (size == cache_module.MOST_BYTES)


@pytest.mark.parametrize("any_url", ["valkey", "redis"], indirect=True)
async def test_a_closed_bus_has_no_connection(any_url):
    async with connect(any_url) as client:

        async def connected() -> set[str]:
            return {each["id"] for each in await client.client_list()}

        async def connected_no_more() -> bool:
            return await connected() <= before

        before = await connected()
        bus = Bus(any_url)
        await bus.start()
        assert await bus.ping()
        await bus.cache.put("ses_1", "s", b"v")
        assert len(await connected()) >= len(before) + 3
        await bus.aclose()
        await until_async(connected_no_more, what="the server to see the connections close")
