"""Events of conversations and items wait for the receiver of their app."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of events."""
    op.create_table(
        "webhooks",
        sa.Column(
            "number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False, autoincrement=True
        ),
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("session_id", sa.String(64), nullable=False),
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
        sa.PrimaryKeyConstraint("number", name="pk_webhooks"),
        sa.UniqueConstraint("id", name="uq_webhooks_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_webhooks_status_due_at", "webhooks", ["status", "due_at"])
    op.create_index("ix_webhooks_app_status", "webhooks", ["app", "status"])
    op.create_index("ix_webhooks_session_id_status_number", "webhooks", ["session_id", "status", "number"])
    op.create_index(
        "webhooks_leased",
        "webhooks",
        ["app", "lease_until"],
        sqlite_where=sa.text("lease_until IS NOT NULL"),
        postgresql_where=sa.text("lease_until IS NOT NULL"),
    )


def downgrade() -> None:
    """Drop it again."""
    op.drop_table("webhooks")
