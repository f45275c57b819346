"""Redis dies, loses its data, or stops answering during a stream: liveness pauses, no event is lost or doubled."""

from __future__ import annotations

import asyncio
import logging
import os
import signal

import pytest
import uvloop

from server.bus import Bus, BusDown, EmbeddedValkey
from server.bus.hub import subscriber as subscriber_module
from server.bus.log.log import log_key, meta_key
from server.bus.redis.client import connect_subscriber as connect
from server.bus.redis.client import failures_as_down
from tests.contract.bus.viewer import Holder, Viewer
from tests.parts.wait import paced, until_async

SLOWNESS_S = 4
"""What a busy machine may add to a second."""


async def flushall(url):
    client = connect(url)
    await client.flushall()
    await client.aclose()


async def streaming(holder, values, *, pause=0.002):
    for value in values:
        holder.append(value)
        await paced(pause)


async def test_flushall_in_the_middle_of_a_run_changes_nothing_visible(new_bus, valkey, stored):
    bus, other = await new_bus(), await new_bus()
    viewers = [await Viewer(each, stored).open() for each in (bus, other)]
    holder = await Holder.claim(bus, stored)
    await holder.publish(1)
    before = holder.writer.cursor.epoch
    await streaming(holder, range(2, 50))
    await flushall(valkey.url)
    await streaming(holder, range(50, 100))
    await holder.publish(100)
    for viewer in (*viewers, await Viewer(other, stored).open(), await Viewer(bus, stored).open()):
        await viewer.sees(list(range(1, 101)))
    assert holder.writer.cursor.epoch.split(".")[0] != before.split(".")[0]
    assert await other.reader.replay(stored.session_id, before, 10) is None
    assert viewers[1].snapshots == 2
    await holder.finish()
    assert stored.last_seq > 100


async def test_a_flushall_between_runs_or_in_a_silent_run_loses_no_event(new_bus, valkey, stored):
    bus, other = await new_bus(check_s=0.05), await new_bus(check_s=0.05)
    viewers = [await Viewer(each, stored).open() for each in (bus, other)]
    holder = await Holder.claim(bus, stored)
    await holder.publish(1, 2)
    await flushall(valkey.url)
    await until_async(
        lambda: holder.writer.cursor.incarnation and _logged(other, stored), what="the log to be there again"
    )
    late = await Viewer(other, stored).open()
    await late.sees([1, 2])
    await holder.finish()
    await flushall(valkey.url)
    again = await Holder.claim(other, stored)
    await again.publish(3)
    for viewer in (*viewers, late):
        await viewer.sees([1, 2, 3])


async def _logged(bus, stored):
    return await bus.reader.position(stored.session_id) is not None


async def test_a_lost_tail_is_written_again_by_its_holder(new_bus, valkey, stored):
    bus, other = await new_bus(), await new_bus()
    there = await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored)
    await holder.publish(*range(1, 6))
    await holder.publish(*range(6, 11))
    client = connect(valkey.url)
    # As after a fail-over to a replica that was behind: the last batch never was.
    kept = (await client.xrange(log_key(stored.session_id)))[0]
    assert kept[0] == b"5-0"
    await client.delete(log_key(stored.session_id))
    await client.xadd(log_key(stored.session_id), kept[1], id=kept[0])
    await client.hset(meta_key(stored.session_id), "n", 5)
    await client.aclose()
    epoch = holder.writer.cursor.epoch
    await holder.publish(11)
    await there.sees(list(range(1, 12)))
    assert holder.writer.cursor.epoch == epoch
    assert [each.event["i"] for each in await other.reader.read(stored.session_id, 0)] == list(range(1, 12))
    assert there.seen == list(range(1, 12))


async def test_a_tail_that_is_too_short_begins_a_new_log(new_bus, valkey, stored):
    bus, other = await new_bus(), await new_bus()
    there = await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored)
    await holder.publish(*range(1, 6))
    holder.writer.cursor.recent.clear()
    client = connect(valkey.url)
    await client.hset(meta_key(stored.session_id), "n", 2)
    await client.aclose()
    before = holder.writer.cursor.incarnation
    await holder.publish(6)
    assert holder.writer.cursor.incarnation != before
    await there.sees(list(range(1, 7)))


async def test_a_retry_after_a_lost_reply_writes_nothing_twice(new_bus, stored, monkeypatch):
    bus, other = await new_bus(), await new_bus()
    there = await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored)
    await holder.publish(1)
    append, lost = bus.log.append, []

    async def reply_gets_lost(batches):
        answers = await append(batches)
        if len(lost) < 2:
            lost.append(answers)
            raise BusDown
        return answers

    monkeypatch.setattr(bus.log, "append", reply_gets_lost)
    await holder.publish(2, 3)
    await holder.publish(4)
    assert len(lost) == 2
    assert [each.event["i"] for each in await other.reader.read(stored.session_id, 0)] == [1, 2, 3, 4]
    await there.sees([1, 2, 3, 4])
    assert there.seen == [1, 2, 3, 4]


async def test_silent_loss_of_the_subscriber_is_repaired(new_bus, valkey, stored):
    bus, other = await new_bus(), await new_bus(check_s=0.1)
    there = await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored)
    client = connect(valkey.url)
    expected: list[int] = []
    for cut in range(3):
        values = list(range(cut * 100, cut * 100 + 100))
        expected += values
        await streaming(holder, values[:50])
        await until_async(lambda: client.client_kill_filter(_type="pubsub"), what="a subscriber to kill")
        await streaming(holder, values[50:], pause=0.0005)
        await holder.writer.publish()
        await there.sees(expected)
    await client.aclose()
    assert there.snapshots == 1
    assert there.seen == list(range(1, 301))


async def test_a_subscriber_that_answers_a_ping_keeps_its_connection_in_silence(new_bus, valkey, monkeypatch):
    monkeypatch.setattr(subscriber_module, "SILENCE_S", 0.05)
    await new_bus()
    client = connect(valkey.url)

    async def subscribers():
        return [(each["id"], each["cmd"]) for each in await client.client_list(_type="pubsub")]

    async def pings():
        return (await client.info("commandstats")).get("cmdstat_ping", {"calls": 0})["calls"]

    before = await pings()
    first = {name for name, _ in await subscribers()}

    async def asked_often():
        return await pings() >= before + 5

    await until_async(asked_often, what="five pings in silence")
    assert {name for name, _ in await subscribers()} == first
    assert {command for _, command in await subscribers()} == {"ping"}
    await client.aclose()


async def test_a_lost_last_event_is_found_by_the_position_check(new_bus, valkey, stored, monkeypatch):
    bus, other = await new_bus(), await new_bus(check_s=0.1)
    there = await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored)
    monkeypatch.setattr(other.hub, "receive", lambda session_id, data: None)
    await holder.publish(1, 2)
    await there.sees([1, 2])
    assert there.snapshots == 1


async def test_events_lost_with_a_cut_connection_are_read_after_its_return(
    new_bus, valkey, stored, monkeypatch
):
    bus, other = await new_bus(), await new_bus(check_s=3600)
    there = await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored)
    receive = other.hub.receive
    monkeypatch.setattr(other.hub, "receive", lambda session_id, data: None)
    await holder.publish(1, 2)
    monkeypatch.setattr(other.hub, "receive", receive)
    client = connect(valkey.url)
    await client.client_kill_filter(_type="pubsub")
    await client.aclose()
    await there.sees([1, 2])
    assert there.snapshots == 1


async def test_a_redis_that_ends_while_nothing_is_written_is_noticed(new_bus, valkey):
    bus = await new_bus(check_s=3600)
    began = asyncio.get_running_loop().time()
    await asyncio.to_thread(valkey.stop)
    await until_async(lambda: bus.degraded, what="the loss to be noticed")
    assert began <= bus.flusher.down_since <= asyncio.get_running_loop().time()
    await asyncio.to_thread(valkey.start)
    await until_async(lambda: not bus.degraded, what="the return to be noticed")


async def test_a_start_while_redis_hangs_is_not_kept_and_dates_the_outage_from_its_begin(new_bus, stopped):
    stopped()
    began = asyncio.get_running_loop().time()
    bus = await new_bus()
    assert bus.degraded
    assert (
        began <= bus.flusher.down_since <= asyncio.get_running_loop().time() - subscriber_module.CONFIRM_S / 2
    )


async def test_a_bus_that_was_not_started_does_not_wait_for_redis_to_come_back(folder, binary):
    bus = Bus(EmbeddedValkey(folder, binary=binary).url)
    assert not await bus.ping()
    assert not bus.degraded, "nobody would notice that it is over"
    assert await bus.eviction() == ""
    await bus.aclose()


async def test_the_bus_reports_the_eviction_policy_of_the_server(new_bus):
    assert await (await new_bus()).eviction() == "noeviction"


async def test_an_error_does_not_end_the_position_check(new_bus, stored, monkeypatch, caplog):
    bus, other = await new_bus(), await new_bus(check_s=0.05)
    there = await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored)
    positions, failed = other.log.positions, []

    async def failing(session_ids):
        if not failed:
            failed.append(True)
            return []  # It answers for nobody, which nobody can read.
        return await positions(session_ids)

    monkeypatch.setattr(other.log, "positions", failing)
    await until_async(lambda: bool(failed), what="the error")
    await until_async(lambda: caplog.records, what="the error to be told")
    assert caplog.records[0].name == "server.bus.hub.repair"
    monkeypatch.setattr(other.hub, "receive", lambda session_id, data: None)
    await holder.publish(1, 2)
    await there.sees([1, 2])


async def test_a_kill_9_of_the_server_in_mid_stream_loses_no_event(new_bus, valkey, stored):
    bus, other = await new_bus(check_s=0.5), await new_bus(check_s=0.5)
    here, there = await Viewer(bus, stored).open(), await Viewer(other, stored).open()
    told: list[bool] = []
    bus.on_degraded.append(told.append)
    holder = await Holder.claim(bus, stored)
    first = valkey.pid
    await streaming(holder, range(200), pause=0.005)
    os.kill(first, signal.SIGKILL)
    await streaming(holder, range(200, 300), pause=0.002)
    assert here.items == list(range(300)), "the own viewers never wait for Redis"
    await holder.publish(300)
    for viewer in (here, there):
        await viewer.sees(list(range(301)))
    await until_async(lambda: holder.writer.cursor.acked == holder.writer.seq)
    assert valkey.pid not in (None, first)
    assert told == [True, False]
    assert not bus.degraded
    late = await Viewer(other, stored).open()
    await late.sees(list(range(301)))
    await holder.finish()


@pytest.fixture
def stopped(valkey):
    """Yield a way to make the server hang: connected, but without a word."""
    pid = valkey.pid

    def stop():
        os.kill(pid, signal.SIGSTOP)

    yield stop
    os.kill(pid, signal.SIGCONT)


async def test_a_barrier_waits_a_second_at_most_while_redis_hangs_and_is_kept(
    new_bus, stored, stopped, valkey
):
    bus, other = await new_bus(), await new_bus(check_s=0.5)
    here, there = await Viewer(bus, stored).open(), await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored)
    await holder.publish(1)
    stopped()
    loop = asyncio.get_running_loop()
    began = loop.time()
    await holder.publish(2)
    assert loop.time() - began < 1 + SLOWNESS_S
    assert here.items == [1, 2]
    await until_async(lambda: bus.degraded)
    began = loop.time()
    values = list(range(3, 33))
    for value in values:
        await holder.publish(value)
    await holder.writer.wait_for_room()
    assert loop.time() - began < len(values) / 2, "known to be down: no second for every barrier"
    late = await Viewer(bus, stored).open()
    await late.sees([1, 2, *values])
    with pytest.raises(BusDown):
        await other.reader.read(stored.session_id, 0)
    assert other.hub.feeds[stored.session_id].is_stale, (
        "its watchers get a snapshot when there is a log again"
    )
    await bus.cache.put(stored.session_id, "x", b"v")
    assert await bus.cache.get(stored.session_id, "x") is None
    os.kill(valkey.pid, signal.SIGCONT)
    await there.sees([1, 2, *values])
    await until_async(lambda: not bus.degraded)
    await late.sees([1, 2, *values])


async def test_a_run_that_ends_while_redis_is_away_is_told_when_it_is_back(new_bus, stored, stopped, valkey):
    bus, other = await new_bus(), await new_bus(check_s=0.5)
    there = await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored)
    await holder.publish(1)
    stopped()
    holder.append(2, 3)
    await holder.finish()
    os.kill(valkey.pid, signal.SIGCONT)
    await there.sees([1, 2, 3])
    await until_async(lambda: bus.hub.writer(stored.session_id) is None)


async def test_a_run_may_begin_while_redis_is_away(new_bus, stored, stopped, valkey, monkeypatch):
    bus, other = await new_bus(), await new_bus(check_s=0.5)
    before = await Holder.claim(other, stored)
    await before.publish(1)
    await before.finish()
    here, there = await Viewer(bus, stored).open(), await Viewer(other, stored).open()
    stopped()
    read, asked = bus.log.read, []
    monkeypatch.setattr(bus.log, "read", lambda *args: asked.append(args) or read(*args))
    began = asyncio.get_running_loop().time()
    writer = await bus.writer(stored.session_id, fence=stored.fence + 1, floor=stored.last_seq)
    assert asked == [], "what did not answer is not asked again at once"
    assert began <= bus.flusher.down_since <= asyncio.get_running_loop().time()
    stored.fence += 1
    holder = Holder(bus, stored, writer)
    holder.append(2)
    await here.sees([1, 2])
    os.kill(valkey.pid, signal.SIGCONT)
    holder.append(3)
    for viewer in (here, there):
        await viewer.sees([1, 2, 3])
    await holder.finish()
    late = await Viewer(other, stored).open()
    await late.sees([1, 2, 3])


@pytest.mark.conformance
async def test_a_server_that_comes_later_is_found(folder, binary, stored):
    server = EmbeddedValkey(folder, binary=binary)
    bus = Bus(server.url, check_s=0.2)
    # There is no server yet: a start that waited for one would never come back.
    await bus.start()
    assert bus.degraded
    assert not await bus.ping()
    here = await Viewer(bus, stored).open()
    try:
        await asyncio.to_thread(server.start)
        await until_async(lambda: not bus.degraded)
        holder = await Holder.claim(bus, stored)
        await holder.publish(1)
        await here.sees([1])
    finally:
        await bus.aclose()
        server.stop()


async def test_redis_that_is_away_is_one_warning_each_way(folder, binary, caplog):
    caplog.set_level(logging.DEBUG, "server.bus")
    server = EmbeddedValkey(folder, binary=binary)
    bus = Bus(server.url, check_s=0.2)

    def log_messages(level: int) -> list[str]:
        found = [each for each in caplog.records if each.levelno == level]
        assert all(each.name.startswith("server.bus.") for each in found)
        return [each.getMessage() for each in found]

    try:
        await bus.start()
        await until_async(
            lambda: sum("is lost" in each for each in log_messages(logging.DEBUG)) > 1,
            what="more than one attempt",
        )
        assert [each for each in log_messages(logging.INFO) if "is lost" in each] == [
            "the subscribed connection is lost: ConnectionError"
        ]
        assert log_messages(logging.WARNING) == ["redis does not answer: streaming goes on from memory"]
        await asyncio.to_thread(server.start)
        await until_async(lambda: not bus.degraded)
        assert log_messages(logging.WARNING)[1:] == ["redis answers again"]
    finally:
        await bus.aclose()
        server.stop()


def test_a_connection_that_was_reset_under_uvloop_is_a_redis_that_is_down(bus_url):
    """uvloop refuses to write to it with a RuntimeError; without the cure that ended a run in its holder's hands."""

    async def reset_and_used() -> None:
        client = connect(bus_url)
        connection = await client.connection_pool.get_connection()
        connection._writer.transport.abort()
        with pytest.raises(BusDown), failures_as_down():
            await connection.send_command("PING")
        await client.connection_pool.release(connection)
        assert await client.ping()
        await client.aclose()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(reset_and_used())
