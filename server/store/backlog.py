"""The work that waits in the database, as numbers for operators."""

from collections.abc import Mapping

from sqlalchemy import Connection, func, select

from server.store.engine.clock import now_ms
from server.store.engine.database import StorePart
from server.store.tables import callbacks, runs, webhooks


class Backlog(StorePart):
    """Counts the waiting runs, and reads since when they wait."""

    async def read(self) -> Mapping[str, float]:
        """Return the gauges by their names; ages in seconds, 0 where nothing waits."""

        def read(connection: Connection) -> Mapping[str, float]:
            queued = connection.execute(_QUEUED).one()
            running = connection.execute(_RUNNING).one()
            waiting = connection.execute(_WAITING).one()
            failed = connection.execute(_FAILED).one()
            events = connection.execute(_EVENTS).one()
            given_up = connection.execute(_EVENTS_FAILED).one()
            return {
                "loopwire_runs_queued": queued.many,
                "loopwire_runs_queued_oldest_seconds": _age(queued.oldest, queued.now),
                "loopwire_runs_running": running.many,
                "loopwire_lease_overdue_seconds": _age(running.oldest, running.now),
                "loopwire_callbacks_waiting": waiting.many,
                "loopwire_callbacks_overdue_seconds": _age(waiting.oldest, waiting.now),
                "loopwire_callbacks_failed": failed.many,
                "loopwire_webhooks_waiting": events.many,
                "loopwire_webhooks_overdue_seconds": _age(events.oldest, events.now),
                "loopwire_webhooks_failed": given_up.many,
            }

        return await self._database.run_read(read)


def _age(since: int | None, now: int) -> float:
    """Return the seconds from a time until now; 0 for a time to come."""
    return max(0.0, (now - since) / 1000) if since is not None else 0.0


_NOW = now_ms().label("now")
_QUEUED = select(func.count().label("many"), func.min(runs.c.created_at).label("oldest"), _NOW).where(
    runs.c.status == "queued"
)
_RUNNING = select(func.count().label("many"), func.min(runs.c.lease_until).label("oldest"), _NOW).where(
    runs.c.status == "running"
)
_WAITING = select(func.count().label("many"), func.min(callbacks.c.due_at).label("oldest"), _NOW).where(
    callbacks.c.status == "waiting"
)
_EVENTS = select(func.count().label("many"), func.min(webhooks.c.due_at).label("oldest"), _NOW).where(
    webhooks.c.status == "waiting"
)
_FAILED = select(func.count().label("many")).where(callbacks.c.status == "failed")
_EVENTS_FAILED = select(func.count().label("many")).where(webhooks.c.status == "failed")
