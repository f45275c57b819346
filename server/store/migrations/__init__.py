"""The history of the tables, and the one call that brings a database up to it."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text

FOLDER = Path(__file__).parent

_UPGRADE_LOCK = 7_405_112
"""Any number that nothing else in the database locks."""


def configured(connection: Connection | None = None) -> Config:
    """Alembic's configuration; a given connection is used instead of opening one."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def upgrade(connection: Connection) -> None:
    """Bring the database up to the newest revision; several processes at once take turns."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _UPGRADE_LOCK})
    command.upgrade(configured(connection), "head")
