"""Costs of conversations: the sums of their runs by currency, and how many runs have an unknown cost."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import bindparam, case, func, select

from server.store.engine.database import StorePart
from server.store.rows import Json
from server.store.tables import usage


@dataclass(slots=True)
class SessionCost:
    """The cost of the ended runs of one session."""

    nano: dict[str, int] = field(default_factory=dict)
    """Billionths of a currency's unit, by currency."""
    unpriced_runs: int = 0
    """Runs that asked a model and have no known cost: they are in none of the sums."""


class Costs(StorePart):
    """Reads the costs from the table `usage`."""

    async def of_sessions(self, session_ids: Sequence[str]) -> dict[str, SessionCost]:
        """Return the cost of each of these sessions; one in which nothing ran costs nothing."""
        found = {id: SessionCost() for id in session_ids}
        for row in await self._database.fetch(_COSTS, {"these_sessions": list(found)}):
            cost = found[row.session_id]
            cost.unpriced_runs += row.unpriced
            if row.currency is not None:
                cost.nano[row.currency] = int(row.nano)
        return found

    async def detail_of_run(self, run_id: str) -> Json:
        """Return what the model's server counted for a run that has ended; empty where it counted nothing."""
        found = await self._database.fetch(_DETAIL, {"this_run": run_id})
        detail: Json = found[0].detail if found else {}
        return detail


_UNPRICED = case((usage.c.cost_nano.is_(None) & usage.c.model.is_not(None), 1), else_=0)

_COSTS = (
    select(
        usage.c.session_id,
        usage.c.currency,
        func.sum(usage.c.cost_nano).label("nano"),
        func.sum(_UNPRICED).label("unpriced"),
    )
    .where(usage.c.session_id.in_(bindparam("these_sessions", expanding=True)))
    .group_by(usage.c.session_id, usage.c.currency)
)

_DETAIL = select(usage.c.detail).where(usage.c.run_id == bindparam("this_run"))
