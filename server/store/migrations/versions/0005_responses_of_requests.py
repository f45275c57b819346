"""The response of a request is kept with its run, and where it is posted."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add two columns that may be empty."""
    op.add_column("runs", sa.Column("callback_url", sa.Text()))
    op.add_column("runs", sa.Column("response", sa.JSON(none_as_null=True)))


def downgrade() -> None:
    """Drop them again."""
    op.drop_column("runs", "response")
    op.drop_column("runs", "callback_url")
