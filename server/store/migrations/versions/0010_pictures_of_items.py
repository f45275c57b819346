"""Items say which pictures of their conversation are theirs."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; earlier items have none."""
    op.add_column("items", sa.Column("pictures", sa.JSON(), nullable=True))


def downgrade() -> None:
    """Drop it again."""
    with op.batch_alter_table("items") as table:
        table.drop_column("pictures")
