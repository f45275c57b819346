"""Operators join conversations of their app, and what is done with their keys is recorded."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of actions, the column of who has joined, and the index of an app's newest sessions."""
    op.create_table(
        "operator_actions",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("app", sa.String(200), nullable=False),
        sa.Column("key_id", sa.String(64), nullable=False),
        sa.Column("session_id", sa.String(64)),
        sa.Column("action", sa.String(16), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_operator_actions"),
    )
    op.create_index("ix_operator_actions_at", "operator_actions", ["at"])
    op.create_index("ix_operator_actions_app_at", "operator_actions", ["app", "at"])
    op.add_column("sessions", sa.Column("operator", sa.JSON(none_as_null=True)))
    op.create_index("ix_sessions_app_updated_at", "sessions", ["app", "updated_at"])


def downgrade() -> None:
    """Drop them again."""
    op.drop_index("ix_sessions_app_updated_at", "sessions")
    op.drop_column("sessions", "operator")  # A copy of the table would delete all that hangs from it.
    op.drop_table("operator_actions")
