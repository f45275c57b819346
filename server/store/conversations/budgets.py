"""Budgets: today's tokens of a session, a principal and an app, and whether another run may begin."""

from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Connection, bindparam, case, exists, func, select

from server.errors import OverBudget
from server.store.engine.clock import now_ms
from server.store.engine.database import StorePart
from server.store.rows import Json, Session
from server.store.tables import runs, sessions, usage

DAY_MS = 24 * 3600 * 1000


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens of a day (UTC, the database's clock); None is no limit. A run that has begun is not stopped."""

    session: int | None = None
    principal: int | None = None
    app: int | None = None


NO_BUDGET = Budget()


def today() -> ColumnElement[int]:
    """Return the day, counted from the epoch."""
    return now_ms() // DAY_MS


def tokens_of(detail: Json) -> int:
    """Return what a run cost in tokens, by its model's usage; none where the model sent no usage."""
    total = detail.get("totalTokens")
    return int(total if total is not None else detail.get("inputTokens", 0) + detail.get("outputTokens", 0))


class Owner(Protocol):
    """The session that a run is of, or its row."""

    @property
    def id(self) -> str: ...
    @property
    def app(self) -> str: ...
    @property
    def principal(self) -> str: ...
    @property
    def service(self) -> str: ...


def usage_row(run_id: str, owner: Owner, detail: Json) -> Json:
    """Return the row of what a run cost; a run that asked no model has no model."""
    return {
        "run_id": run_id,
        "app": owner.app,
        "principal": owner.principal,
        "session_id": owner.id,
        "service": owner.service,
        "model": detail.get("model"),
        "cost_nano": detail.get("costNano"),
        "currency": detail.get("currency"),
        "detail": detail,
        "tokens": tokens_of(detail),
    }


SPENDING = (
    case((sessions.c.spent_on == today(), sessions.c.spent), else_=0).label("spent_today"),
    now_ms().label("at"),
)
"""The columns that a statement on a session returns as well, so that its budget needs no statement of its own."""


class Budgets(StorePart):
    """Counts the tokens of runs whose end is never stored."""

    async def charge(self, run_id: str, session: Session, detail: Json) -> bool:
        """Count the cost of a run whose session was deleted; false when it is there, and `finish` counts it."""
        used = usage_row(run_id, session, detail)
        counting = self._database.insert(usage).values(created_at=now_ms(), **used)

        def try_to_charge(connection: Connection) -> bool:
            gone = connection.execute(_THERE, {"this_run": run_id}).first() is None
            if gone and detail:
                connection.execute(counting.on_conflict_do_nothing())
            return gone

        return await self._database.run_write(try_to_charge)


_THERE = select(runs.c.id).where(runs.c.id == bindparam("this_run"))


def require_budget(connection: Connection, session: Session, budget: Budget, spent: int, at: int) -> None:
    """Raise OverBudget when the day's tokens are spent; what is not limited is not asked for."""
    over = budget.session is not None and spent >= budget.session
    known: dict[str, Any] = {"of_app": session.app, "of_principal": session.principal}
    known["since"] = at - at % DAY_MS
    if not over and budget.principal is not None:
        over = connection.execute(_OF_PRINCIPAL, known).scalar_one() >= budget.principal
    if not over and budget.app is not None:
        over = connection.execute(_OF_APP, known).scalar_one() >= budget.app
    if over:
        raise OverBudget(retry_after=(DAY_MS - at % DAY_MS) / 1000)


_OF_APP = select(func.coalesce(func.sum(usage.c.tokens), 0)).where(
    usage.c.app == bindparam("of_app"),
    usage.c.created_at >= bindparam("since"),
)

_OF_PRINCIPAL = _OF_APP.where(usage.c.principal == bindparam("of_principal"))

FORGET_USAGE = usage.delete().where(
    usage.c.app == bindparam("of_app"),
    usage.c.principal == bindparam("of_principal"),
    usage.c.created_at < today() * DAY_MS,
    ~exists().where(runs.c.id == usage.c.run_id),
)
"""Removes what a principal spent before today in conversations that are deleted: no budget counts it any more."""
