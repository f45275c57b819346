"""The work that waits in the database, as numbers for operators."""

from collections.abc import Mapping

from sqlalchemy import Connection, func, select

from server.store.engine.clock import now_ms
from server.store.engine.database import StorePart
from server.store.pushes.tables import pushes
from server.store.tables import callbacks, runs, webhooks


class Backlog(StorePart):
    """Counts the runs and the posts that wait, and reads since when they wait."""

    async def read(self) -> Mapping[str, float]:
        """Return the gauges by their names; ages in seconds, 0 where nothing waits."""

        def read(connection: Connection) -> Mapping[str, float]:
            queued = connection.execute(_QUEUED).one()
            running = connection.execute(_RUNNING).one()
            gauges = {
                "loopwire_runs_queued": queued.many,
                "loopwire_runs_queued_oldest_seconds": _age(queued.oldest, queued.now),
                "loopwire_runs_running": running.many,
                "loopwire_lease_overdue_seconds": _age(running.oldest, running.now),
            }
            for name, (waiting, failed) in _POSTS.items():
                due = connection.execute(waiting).one()
                gauges |= {
                    f"loopwire_{name}_waiting": due.many,
                    f"loopwire_{name}_overdue_seconds": _age(due.oldest, due.now),
                    f"loopwire_{name}_failed": connection.execute(failed).scalar_one(),
                }
            return gauges

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
_POSTS = {
    table.name: (
        select(func.count().label("many"), func.min(table.c.due_at).label("oldest"), _NOW).where(
            table.c.status == "waiting"
        ),
        select(func.count()).select_from(table).where(table.c.status == "failed"),
    )
    for table in (callbacks, webhooks, pushes)
}
