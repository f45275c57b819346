"""Reasons of feedback: why an answer was judged not useful, by the name of a reason and in words.

What was judged before has neither.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the columns."""
    op.add_column("feedback", sa.Column("reason", sa.String(16)))
    op.add_column("feedback", sa.Column("comment", sa.Text()))


def downgrade() -> None:
    """Drop them again."""
    for name in ("comment", "reason"):
        op.drop_column("feedback", name)
