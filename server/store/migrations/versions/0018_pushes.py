"""Browsers subscribe to messages, and messages wait to be pushed to them."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of subscriptions and of pushes."""
    op.create_table(
        "push_subscriptions",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("app", sa.String(200), nullable=False),
        sa.Column("principal", sa.String(200), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("p256dh", sa.String(100), nullable=False),
        sa.Column("auth", sa.String(40), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_push_subscriptions"),
        sa.UniqueConstraint("digest", name="uq_push_subscriptions_digest"),
    )
    op.create_index(
        "ix_push_subscriptions_app_principal_created_at",
        "push_subscriptions",
        ["app", "principal", "created_at"],
    )
    op.create_table(
        "pushes",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("session_id", sa.String(64), nullable=False),
        sa.Column("subscription_id", sa.String(64), nullable=False),
        sa.Column("app", sa.String(200), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("owner", sa.String(200)),
        sa.Column("lease_until", sa.BigInteger()),
        sa.Column("answer", sa.Integer()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("settled_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_pushes"),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name="fk_pushes_session_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["subscription_id"],
            ["push_subscriptions.id"],
            name="fk_pushes_subscription_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_pushes_session_id", "pushes", ["session_id"])
    op.create_index("ix_pushes_subscription_id", "pushes", ["subscription_id"])
    op.create_index("ix_pushes_status_due_at", "pushes", ["status", "due_at"])


def downgrade() -> None:
    """Drop them again."""
    op.drop_table("pushes")
    op.drop_table("push_subscriptions")
