"""Anything in any order: append, repeat, take over, watch, drop, lose, resume; all viewers agree with a plain list."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from redis.asyncio import Redis

from server.bus import Bus, Fenced
from server.bus.log.entries import parse_epoch
from server.bus.log.log import KEPT_FENCES, Batch, log_key, meta_key
from server.bus.redis.client import connect_subscriber as connect
from tests.contract.bus.viewer import Holder, Stored, Viewer
from tests.parts.sampled import examples, pairs
from tests.parts.wait import PATIENCE_S, until_async

WHERE = st.integers(0, 1)
WHICH = st.integers(0, 7)


def patient(url: str) -> Redis:
    """Return a client of the rig's own: a busy machine may keep it waiting for longer than a server would wait."""
    return connect(url) if url.startswith("fake") else Redis.from_url(url, socket_timeout=PATIENCE_S)


class SessionMachine(RuleBasedStateMachine):
    """One session, two instances, one holder at a time, zombies that do not know it yet."""

    url = ""
    forgets = False

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stored = Stored(f"ses_{secrets.token_hex(8)}")
        self.holder: Holder | None = None
        self.zombies: list[Holder] = []
        self.viewers: list[Viewer] = []
        self.away: list[Viewer] = []
        self.count = 0
        self.talked = False
        self.client, self.buses = self.runner.run(self._start())

    async def _start(self):
        buses = [Bus(self.url, check_s=0.2, flush_ms=5) for _ in range(2)]
        for bus in buses:
            await bus.start()
        return patient(self.url), buses

    def values(self, count: int) -> list[int]:
        self.count += count
        return list(range(self.count - count, self.count))

    @property
    def truth(self) -> list[int]:
        return self.holder.items if self.holder else self.stored.items

    @rule(where=WHERE)
    def take_over(self, where):
        """Claim, while the last holder (if any) goes on without knowing."""
        if self.holder:
            self.zombies.append(self.holder)
        self.holder = None
        self.holder = self.runner.run(Holder.claim(self.buses[where], self.stored, tell=True))

    @precondition(lambda self: self.holder)
    @rule(count=st.integers(1, 40))
    def append(self, count):
        """Deltas, without a pause."""
        values = self.values(count)

        async def work():
            self.holder.append(*values)

        self.runner.run(work())

    @precondition(lambda self: self.holder)
    @rule(count=st.integers(1, 3))
    def publish(self, count):
        """A barrier."""
        self.runner.run(self.holder.publish(*self.values(count)))

    @precondition(lambda self: self.holder)
    @rule(back=st.integers(0, 5), count=st.integers(1, 6))
    def repeat(self, back, count):
        """Send again what is already written."""
        writer = self.holder.writer

        async def work():
            await writer.publish()
            first = max(writer.cursor.start, writer.cursor.acked - back)
            lines = [b'{"type":"ITEM","i":-1}'] * min(count, writer.cursor.acked - first + 1)
            if lines and not writer.cursor.birth:
                keys, at = (log_key(writer.session_id), meta_key(writer.session_id)), writer.cursor
                batch = Batch(
                    keys, at.incarnation, at.fence, at.start, writer.holder,
                    first, lines, at.covers, False, False,
                )  # fmt: skip
                assert (await self.holder.bus.log.append([batch]))[0].word in {"OK", "LOST"}

        self.runner.run(work())

    @precondition(lambda self: self.zombies)
    @rule(which=WHICH, wait=st.booleans())
    def zombie(self, which, wait):
        """An old holder speaks: nobody may believe it in the end, not even who heard it and left at once."""
        zombie = self.zombies[which % len(self.zombies)]

        async def work():
            with suppress(Fenced):
                zombie.append(-666)
                if wait:
                    await zombie.publish(-667)

        self.runner.run(work())
        heard = [at for at, each in enumerate(self.viewers) if each.bus is zombie.bus]
        if heard and not wait:
            self.drop(heard[0])

    @precondition(lambda self: self.holder)
    @rule()
    def finish(self):
        """The run ends and is stored."""
        self.runner.run(self.holder.finish(end=True))
        self.holder = None

    @precondition(lambda self: self.viewers and not self.talked)
    @rule(which=WHICH, where=WHERE)
    def away_for_many_runs(self, which, where):
        """A reader misses more runs than the beginnings of fences that are kept beside the log, of two events each."""
        self.talked = True
        if not self.holder:
            self.take_over(where)
        self.publish(1)
        self.agree()
        self.drop(which)
        self.finish()
        for _ in range(KEPT_FENCES + 2):
            self.take_over(where)
            self.publish(1)
            self.finish()
        self.resume(-1, where)

    @precondition(lambda self: len(self.viewers) + len(self.away) < 6)
    @rule(where=WHERE)
    def watch(self, where):
        viewer = Viewer(self.buses[where], self.stored, log_may_vanish=self.forgets)
        self.viewers.append(self.runner.run(viewer.open()))

    @precondition(lambda self: self.viewers)
    @rule(which=WHICH)
    def drop(self, which):
        viewer = self.viewers.pop(which % len(self.viewers))

        async def work():
            viewer.leave()

        self.runner.run(work())
        self.away.append(viewer)

    @precondition(lambda self: self.away)
    @rule(which=WHICH, where=WHERE)
    def resume(self, which, where):
        viewer = self.away.pop(which % len(self.away))
        if not self.forgets:
            self.runner.run(self._is_owed(viewer, self.buses[where]))
        self.runner.run(viewer.resume(self.buses[where]))
        self.viewers.append(viewer)

    @precondition(lambda self: self.forgets)
    @rule()
    def flushall(self):
        """Everything of this session that Redis knew is gone.

        Not a promise: that a reader that received nothing for a whole run learns of it when the log vanishes right
        after it, before the next run. Nothing in Redis could tell; so between runs every reader may receive first.
        """
        if not self.holder:
            self.agree()
        keys = [log_key(self.stored.session_id), meta_key(self.stored.session_id)]
        self.runner.run(self.client.delete(*keys))

    @precondition(lambda self: not self.url.startswith("fake"))
    @rule()
    def deafen(self):
        """Cut the subscribed connections."""
        self.runner.run(self.client.client_kill_filter(_type="pubsub"))

    @precondition(lambda self: not self.url.startswith("fake"))
    @rule()
    def restart(self):
        """Redis is ended and comes back with its data: every connection is cut, every script forgotten."""

        async def work():
            await self.client.script_flush()
            await self.client.client_kill_filter(_type="pubsub")
            await self.client.client_kill_filter(_type="normal", skipme=True)

        self.runner.run(work())

    async def _is_owed(self, viewer, bus):
        """A log that was never lost gives a reader within it all that follows, and a snapshot to others."""
        if self.holder:
            await self.holder.writer.publish()
        await until_async(bus.ping, what="a new connection")
        incarnation, base, events = await self._raw()
        writer, known = bus.hub.writer(self.stored.session_id), parse_epoch(viewer.epoch)
        if known is None or any(
            each != incarnation for each in (known[0], writer and writer.cursor.incarnation) if each
        ):
            return
        found = await bus.reader.replay(self.stored.session_id, viewer.epoch, viewer.seq)
        wrote, line = events.get(viewer.seq, (0 if viewer.seq == base else None, None))
        if wrote is not None and wrote <= known[1]:
            owed = [(seq, line) for seq, (_, line) in events.items() if seq > viewer.seq]
            assert found is not None, (viewer, wrote)
            assert [(each.seq, each.json) for each in found][: len(owed)] == owed
        if viewer.line is not None and line is not None and viewer.line != line:
            assert found is None, (viewer, viewer.line, line)

    async def _raw(self):
        """Return what Redis holds: the incarnation, where it begins, and each event with the fence that wrote it."""
        events = {}
        for _, fields in await self.client.xrange(log_key(self.stored.session_id)):
            head, _, lines = fields[b"d"].partition(b"\n")
            _, fence, _, first, _ = head.split()
            events |= {seq: (int(fence), line) for seq, line in enumerate(lines.split(b"\n"), int(first))}
        incarnation, base = await self.client.hmget(meta_key(self.stored.session_id), "e", "b")
        return (incarnation or b"").decode(), int(base or 0), events

    @rule()
    def agree(self):
        """In the end all readers see the same."""
        self.runner.run(self._agree())

    async def _agree(self):
        if self.holder:
            await self.holder.writer.publish()
        # The database tells a zombie within the lease's time, whatever became of the log.
        for zombie in self.zombies:
            zombie.writer.fence_off()
        self.zombies.clear()
        for bus in self.buses:
            bus.hub.check_soon()
        for viewer in self.viewers:
            await viewer.sees(self.truth)

    @invariant()
    def nobody_saw_a_hole(self):
        assert [viewer.wrong for viewer in self.viewers if viewer.wrong] == []

    def teardown(self):
        try:
            self.agree()
        finally:
            self.runner.run(self._stop())
            self.runner.close()

    async def _stop(self):
        for viewer in (*self.viewers, *self.away):
            viewer.leave()
        await asyncio.sleep(0)
        for bus in self.buses:
            await bus.aclose()
        await self.client.aclose()


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("bus_url", "forgets"), pairs(["valkey", "redis"], [False, True]), indirect=["bus_url"]
)
def test_all_viewers_agree_with_the_list(bus_url, forgets):
    machine = type("Machine", (SessionMachine,), {"url": bus_url, "forgets": forgets})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples(24),
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
