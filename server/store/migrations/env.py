"""Alembic's entry: it works on the connection that it is given, inside the caller's transaction."""

from alembic import context

from server.store import catalog_tables, interrupt_tables  # noqa: F401  # their tables join the same metadata
from server.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
