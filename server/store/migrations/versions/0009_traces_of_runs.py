"""A run says which trace its input belongs to, and a callback which one it continues."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_TABLES = ("runs", "callbacks")


def upgrade() -> None:
    """Add the columns; earlier runs belong to no trace of others."""
    for each in _TABLES:
        op.add_column(each, sa.Column("trace_context", sa.String(600)))


def downgrade() -> None:
    """Drop them again."""
    for each in _TABLES:
        with op.batch_alter_table(each) as table:
            table.drop_column("trace_context")
