"""The usage of a run says its conversation, service, model and cost."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_ADDED = ("session_id", "service", "model", "cost_nano", "currency")


def upgrade() -> None:
    """Add the columns; what earlier runs cost stays unknown."""
    op.add_column("usage", sa.Column("session_id", sa.String(64)))
    op.add_column("usage", sa.Column("service", sa.String(200)))
    op.add_column("usage", sa.Column("model", sa.String(200)))
    op.add_column("usage", sa.Column("cost_nano", sa.BigInteger()))
    op.add_column("usage", sa.Column("currency", sa.String(3)))
    op.execute(sa.text("UPDATE usage SET model = detail ->> 'model'"))
    op.execute(
        sa.text(
            "UPDATE usage SET session_id = (SELECT runs.session_id FROM runs WHERE runs.id = usage.run_id)"
        )
    )
    op.execute(
        sa.text(
            "UPDATE usage SET service = "
            "(SELECT sessions.service FROM sessions WHERE sessions.id = usage.session_id)"
        )
    )
    op.create_index("ix_usage_session_id", "usage", ["session_id"])


def downgrade() -> None:
    """Drop them again."""
    op.drop_index("ix_usage_session_id", "usage")
    with op.batch_alter_table("usage") as table:
        for each in _ADDED:
            table.drop_column(each)
