"""Alembic as this server uses it: from inside, on a connection that it is given."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

FOLDER = Path(__file__).parent


def configured(connection: Connection | None = None) -> Config:
    """Alembic's configuration; a given connection is used instead of opening one."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def migrate(connection: Connection) -> None:
    """Run every migration that the database has not had."""
    command.upgrade(configured(connection), "head")
