"""The history of the tables, and the one call that brings a database up to it."""

from sqlalchemy import Connection, inspect, text

HEAD = "0018"
"""The newest revision in `versions`."""

UPGRADE_LOCK = 7_405_112
"""Any number that nothing else in the database locks."""


def upgrade(connection: Connection) -> None:
    """Bring the database up to the newest revision; the caller has the UPGRADE_LOCK of a PostgreSQL."""
    if _revision(connection) == HEAD:
        return
    # Importing Alembic takes a tenth of the start, and nearly every start finds the tables up to date.
    from server.store.migrations.history import migrate  # noqa: PLC0415

    migrate(connection)


def _revision(connection: Connection) -> str | None:
    """Return the revision that the database is at; None when it has no tables yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
