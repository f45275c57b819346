"""Interrupts, and the tools that a page brings to its run."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go one revision up."""
    op.add_column("runs", sa.Column("tools", sa.JSON(none_as_null=True), nullable=True))
    op.create_table(
        "interrupts",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("call_id", sa.String(length=128), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("tool", sa.String(length=200), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("schema", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("block_id", sa.String(length=64), nullable=True),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("answer", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("answered_by", sa.String(length=64), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_interrupts_run_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name=op.f("fk_interrupts_session_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_interrupts")),
        sa.UniqueConstraint("run_id", "call_id", name=op.f("uq_interrupts_run_id_call_id")),
    )
    with op.batch_alter_table("interrupts", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_interrupts_session_id_status"), ["session_id", "status"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_interrupts_status_expires_at"), ["status", "expires_at"], unique=False
        )


def downgrade() -> None:
    """Go one revision down."""
    op.drop_table("interrupts")
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.drop_column("tools")
