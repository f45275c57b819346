"""The inbox knows what each operator has read, and which visitors wait for a person."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of what is read, and the column of when a person was called."""
    op.create_table(
        "operator_reads",
        sa.Column("account_id", sa.String(64), nullable=False),
        sa.Column("session_id", sa.String(64), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "session_id", name="pk_operator_reads"),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["operator_accounts.id"],
            name="fk_operator_reads_account_id_operator_accounts",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["sessions.id"],
            name="fk_operator_reads_session_id_sessions",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_operator_reads_session_id", "operator_reads", ["session_id"])
    op.add_column("sessions", sa.Column("person_called_at", sa.BigInteger()))


def downgrade() -> None:
    """Drop them again."""
    op.drop_column("sessions", "person_called_at")
    op.drop_table("operator_reads")
