"""The sweep: it publishes an end whose holder died after the commit, and closes unanswered interrupts."""

import logging
import time
from collections.abc import Awaitable, Callable

from server.bus import Bus
from server.errors import Fenced, Unavailable
from server.runs.execution.unpublished_ends import publish_stored_end
from server.store import Store, UnpublishedEnd
from server.tasks import FailureLog, repeat

SWEEP_S = 2.0
OLD_EVERY = 150
"""Sweeps between two that remove what is old: about five minutes."""

MOST_ROUNDS = 20
"""The most reads of due interrupts in one sweep: the next sweep takes the rest, after the unpublished ends."""

PUBLISH_S = 5.0
"""Seconds in which one sweep publishes ends: neither the rest nor an end that cannot be published delays other work."""

log = logging.getLogger(__name__)


class Sweep:
    """Looks every few seconds for work that no other task will do. One for a process that claims runs."""

    def __init__(self, store: Store, bus: Bus, lease_s: float, on_due: Callable[[], Awaitable[None]]) -> None:
        """Publish ends that are unpublished for half of `lease_s`, the seconds of a lease.

        `on_due` is awaited after the sweep has queued notes of expired interrupts.
        """
        self._store = store
        self._bus = bus
        self.unpublished_s = lease_s / 2
        self._on_due = on_due
        self._sweeps = 0
        self._after: UnpublishedEnd | None = None
        """The last end that was tried: one that cannot be published is tried again after all others."""

    async def run(self) -> None:
        """Sweep for ever."""
        failures = FailureLog(log, "sweep")
        await repeat(self._sweep_once, every_s=SWEEP_S, failures=failures, pause_first=True)

    async def _sweep_once(self) -> None:
        await self.publish_ends()
        # Only an expiry adds a run: its note. A published end lets a run be claimed that waits since before, which the
        # poll of any worker finds within about a second.
        if await expire_due(self._store):
            await self._on_due()
        self._sweeps += 1
        if self._sweeps % OLD_EVERY == 0:
            await remove_old(self._store)

    async def publish_ends(self) -> None:
        """Publish the ends that are committed and unpublished, from where the last sweep left off."""
        until = time.monotonic() + PUBLISH_S
        while found := await self._store.runs.list_unpublished(self.unpublished_s, self._after):
            for run in found:
                await self._publish_end(run)
                self._after = run
                if time.monotonic() > until:
                    return
        self._after = None

    async def _publish_end(self, run: UnpublishedEnd) -> None:
        """Publish one end; an error of one does not stop the others."""
        try:
            await publish_stored_end(run, self._store, self._bus)
        except (Unavailable, Fenced) as error:
            log.warning("end of a run not published yet: %s", type(error).__name__, extra={"run_id": run.id})
        except Exception:
            # An end that always fails is tried first at the next sweep: the others must not wait behind it.
            log.exception("publishing the end of a run failed", extra={"run_id": run.id})


async def expire_due(store: Store) -> bool:
    """Close the interrupts whose time is over; true when notes were queued, whose runs publish the closing."""
    closed_any = False
    left: set[str] = set()
    for _ in range(MOST_ROUNDS):
        due = await store.interrupts.due(left)
        for session_id in due:
            try:
                closed = await store.interrupts.expire(session_id) is not None
            except Unavailable:
                log.warning("expiry postponed, database unavailable")
                return closed_any
            except Exception:
                # This session is due first the next time too: the others must not wait behind it.
                log.exception("expiry failed", extra={"session_id": session_id})
                closed = False
            closed_any |= closed
            if not closed:
                left.add(session_id)
        if not due:
            break
    return closed_any


async def remove_old(store: Store) -> None:
    """Remove files whose time is over, posts settled long ago, and old actions and sign-ins of operators."""
    for what, removing in (
        ("expired files", store.blobs.sweep),
        ("settled callbacks", store.callbacks.sweep),
        ("settled events", store.webhooks.sweep),
        ("settled pushes", store.pushes.sweep),
        ("old actions of operators", store.operator_actions.sweep),
        ("old sign-ins of operators", store.operator_accounts.sweep),
    ):
        try:
            removed = await removing()
        except Unavailable:
            log.warning("removing %s postponed, database unavailable", what)
            return
        except Exception:
            # Each removal is independent: a fault of one must not keep the others from being made.
            log.exception("removing %s failed", what)
            continue
        if removed:
            log.info("%d %s removed", removed, what)
