"""Callbacks, what was spent in a day, and who was revoked."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go one revision up."""
    op.create_table(
        "callbacks",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("app", sa.String(length=200), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("owner", sa.String(length=200), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("answer", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name=op.f("fk_callbacks_session_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_callbacks")),
    )
    with op.batch_alter_table("callbacks", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_callbacks_session_id"), ["session_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_callbacks_status_due_at"), ["status", "due_at"], unique=False)

    op.create_table(
        "revoked",
        sa.Column("subject", sa.String(length=200), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("subject", name=op.f("pk_revoked")),
    )
    with op.batch_alter_table("revoked", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_revoked_revoked_at"), ["revoked_at"], unique=False)

    # Plain ADD COLUMN: a batch would copy the table, and a copy drops what refers to it.
    op.add_column("sessions", sa.Column("callback_url", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("spent_on", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("sessions", sa.Column("spent", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("usage", sa.Column("tokens", sa.BigInteger(), nullable=False, server_default="0"))
    op.create_index(op.f("ix_usage_app_created_at"), "usage", ["app", "created_at"], unique=False)


def downgrade() -> None:
    """Go back."""
    op.drop_index(op.f("ix_usage_app_created_at"), table_name="usage")
    op.drop_column("usage", "tokens")
    op.drop_column("sessions", "spent")
    op.drop_column("sessions", "spent_on")
    op.drop_column("sessions", "callback_url")
    op.drop_table("revoked")
    op.drop_table("callbacks")
