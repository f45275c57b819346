"""The calls of visitors for a person, which the inbox of the app's operators lists first."""

from typing import Any

from sqlalchemy import Connection, null, or_, select, update

from server.store.engine.clock import now_ms
from server.store.tables import app_keys, operator_accounts, sessions
from server.store.webhooks import Webhooks


def call_person(connection: Connection, session_id: str, webhooks: Webhooks) -> bool:
    """Let a conversation wait for a person; false, and nothing changes, where its app has no operator.

    It goes on waiting since its first call. Where an operator has joined no call is made, and the answer is true.
    """
    app: Any = connection.execute(_APP.where(sessions.c.id == session_id)).scalar_one_or_none()
    if not _has_operators(connection, app):
        return False
    if connection.execute(_CALL.where(sessions.c.id == session_id)).first() is not None:
        webhooks.write(connection, app, "session.person_called", session_id)
    return True


def _has_operators(connection: Connection, app: str | None) -> bool:
    """Return whether an operator can answer: by an account that may sign in, or by a key of the scope."""
    roles = connection.execute(_ACCOUNTS).scalars()
    scopes: Any = connection.execute(_KEYS.where(app_keys.c.app == app)).scalars()
    return any(app in each for each in roles) or any("operator" in each for each in scopes)


_APP = select(sessions.c.app)
_ACCOUNTS = select(operator_accounts.c.roles).where(operator_accounts.c.disabled_at.is_(None))
_KEYS = select(app_keys.c.scopes).where(or_(app_keys.c.ends_at.is_(None), app_keys.c.ends_at > now_ms()))

_CALL = (
    update(sessions)
    .where(sessions.c.operator.is_(null()), sessions.c.person_called_at.is_(null()))
    .values(person_called_at=now_ms(), updated_at=now_ms())
    .returning(sessions.c.id)
)
