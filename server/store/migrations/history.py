"""Alembic as this server uses it: from inside, on a connection that it is given."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from server.errors import CannotStart

FOLDER = Path(__file__).parent


def alembic_config(connection: Connection | None = None) -> Config:
    """Return Alembic's configuration; a given connection is used instead of opening one."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def migrate(connection: Connection) -> None:
    """Run every migration that the database has not had. Raises CannotStart for tables of a newer version."""
    config = alembic_config(connection)
    found = MigrationContext.configure(connection).get_current_heads()
    known = {each.revision for each in ScriptDirectory.from_config(config).walk_revisions()}
    if newer := sorted(set(found) - known):
        raise CannotStart(
            f"The database has the tables of a newer Loopwire ({newer[0]}). Start that version, or a backup's database."
        )
    command.upgrade(config, "head")
