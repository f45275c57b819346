"""What was spent today stays spent when its conversation is deleted."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go one revision up."""
    # SQLite copies the table for this; nothing refers to it.
    with op.batch_alter_table("usage", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("fk_usage_run_id"), type_="foreignkey")


def downgrade() -> None:
    """Go back, without what was spent in conversations that are gone."""
    op.execute(sa.text("DELETE FROM usage WHERE run_id NOT IN (SELECT id FROM runs)"))
    with op.batch_alter_table("usage", schema=None) as batch_op:
        batch_op.create_foreign_key(
            batch_op.f("fk_usage_run_id"), "runs", ["run_id"], ["id"], ondelete="CASCADE"
        )
