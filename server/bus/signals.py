"""The signals between processes: runs that are due, runs to stop, revoked principals, and the number of workers.

A signal may be lost, so each waiter also looks by itself every few seconds.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress

from server.bus.hub.subscriber import Subscriber
from server.bus.log.entries import BusDown
from server.bus.log.idle_proof import IdleProof
from server.bus.log.log import CANCEL_CHANNEL, REVOKED_CHANNEL, RUNS_CHANNEL, WORKERS_CHANNEL
from server.bus.redis.client import failures_as_down
from server.bus.redis.pipeline import Caller
from server.tasks import Tasks

SIGNALS = (RUNS_CHANNEL, CANCEL_CHANNEL, REVOKED_CHANNEL)
"""The channels that every process subscribes to."""


class Signals:
    """Sends signals to every process, this one included, and calls back for those of any process."""

    def __init__(self, link: Caller, subscriber: Subscriber, proof: IdleProof, tasks: Tasks) -> None:
        """`proof` is called with a revoked principal before the others are."""
        self._link = link
        self._subscriber = subscriber
        self._proof = proof
        self._tasks = tasks
        self._name = secrets.token_hex().encode()
        self._wake: list[Callable[[], None]] = []
        self._cancel: list[Callable[[str], None]] = []
        self._revoked: list[Callable[[str], None]] = []

    async def wake(self) -> None:
        """Signal to every instance that there are runs to claim; it may be lost."""
        for each in self._wake:
            each()
        await self.publish(RUNS_CHANNEL, b"")

    def on_wake(self, callback: Callable[[], None]) -> None:
        """Call back whenever there may be runs to claim."""
        self._wake.append(callback)

    def enlist(self) -> None:
        """Count as a process that claims runs, for as long as this one is subscribed."""
        self._tasks.spawn(self._subscriber.add([WORKERS_CHANNEL]), name="bus.signals.enlist")

    async def retire(self) -> None:
        """Count among them no longer."""
        await self._subscriber.remove([WORKERS_CHANNEL])

    async def workers(self) -> int:
        """Return how many processes claim runs. Raises BusDown."""
        with failures_as_down():
            return int((await self._link.call("PUBSUB", "NUMSUB", WORKERS_CHANNEL))[1])

    async def cancel(self, run_id: str) -> None:
        """Signal to every instance to look at a run's cancel flag now; it may be lost."""
        for each in self._cancel:
            each(run_id)
        await self.publish(CANCEL_CHANNEL, run_id.encode())

    def on_cancel(self, callback: Callable[[str], None]) -> None:
        """Call back with the id of a run that a client wants to stop."""
        self._cancel.append(callback)

    async def revoke(self, subject: str) -> None:
        """Signal to every instance that a principal has left or a session is gone; it may be lost.

        The commit was announced by `IdleProof.withdraw`; said again after it, since the first note may have been lost.
        """
        await self._proof.withdraw(subject)
        for each in self._revoked:
            each(subject)
        await self.publish(REVOKED_CHANNEL, subject.encode())

    def on_revoked(self, callback: Callable[[str], None]) -> None:
        """Call back with the principal or session that was revoked."""
        self._revoked.append(callback)

    def foreign(self, data: bytes) -> bytes | None:
        """Return the signal of another process; None for our own, which are acted on when they are sent."""
        sender, _, body = data.partition(b" ")
        return None if sender == self._name else body

    def receive(self, kind: str, body: bytes) -> None:
        """Act on a signal of another process on one of the channels."""
        if kind == RUNS_CHANNEL:
            for wake in self._wake:
                wake()
        elif kind in (CANCEL_CHANNEL, REVOKED_CHANNEL):
            for each in self._cancel if kind == CANCEL_CHANNEL else self._revoked:
                each(body.decode())

    async def publish(self, channel: str, data: bytes) -> None:
        """Send a signal to the other processes."""
        with suppress(BusDown), failures_as_down():
            await self._link.call("PUBLISH", channel, self._name + b" " + data)
