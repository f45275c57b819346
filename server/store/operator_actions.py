"""The record of what was done with keys of scope `operator`: the key, the conversation, the action and the time."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Executable, bindparam, delete, select

from server.protocol.ids import new_id
from server.store.engine.clock import now_ms
from server.store.engine.database import StorePart
from server.store.rows import OperatorAction
from server.store.tables import operator_actions

KEPT_DAYS = 365
"""Days that an action is kept in the record."""

_DAY_MS = 24 * 3600 * 1000


class OperatorActions(StorePart):
    """Records actions and lists them; nothing changes one."""

    async def record(self, *, app: str, key_id: str, session_id: str | None, action: str) -> None:
        """Store one action before it is done."""
        await self._database.run_write(
            lambda connection: record_action(
                connection, app=app, key_id=key_id, session_id=session_id, action=action
            )
        )

    async def list_newest(
        self, most: int, *, app: str | None = None, session_id: str | None = None
    ) -> list[OperatorAction]:
        """Return the newest actions, the newest first, of all apps and sessions or of one."""
        query = select(*_COLUMNS).order_by(operator_actions.c.at.desc(), operator_actions.c.id.desc())
        if app is not None:
            query = query.where(operator_actions.c.app == app)
        if session_id is not None:
            query = query.where(operator_actions.c.session_id == session_id)
        return [OperatorAction(**row._mapping) for row in await self._database.fetch(query.limit(most))]

    async def sweep(self) -> int:
        """Remove what is older than is kept; returns how many."""
        return len(await self._database.execute(_FORGET, {}))


def record_action(
    connection: Connection, *, app: str, key_id: str, session_id: str | None, action: str
) -> None:
    """Store one action within the transaction that does it."""
    connection.execute(
        _RECORD,
        {
            "new_id": new_id("act"),
            "of_app": app,
            "by_key": key_id,
            "of_session": session_id,
            "was_done": action,
        },
    )


_COLUMNS: Sequence[Any] = [operator_actions.c[name] for name in OperatorAction.__dataclass_fields__]

_RECORD: Executable = operator_actions.insert().values(
    id=bindparam("new_id"),
    app=bindparam("of_app"),
    key_id=bindparam("by_key"),
    session_id=bindparam("of_session"),
    action=bindparam("was_done"),
    at=now_ms(),
)

_FORGET = (
    delete(operator_actions)
    .where(operator_actions.c.at < now_ms() - KEPT_DAYS * _DAY_MS)
    .returning(operator_actions.c.id)
)
