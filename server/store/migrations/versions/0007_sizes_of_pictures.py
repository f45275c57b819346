"""Pictures have their width and height, in pixels."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; files that are no pictures have neither."""
    op.add_column("blobs", sa.Column("width", sa.Integer()))
    op.add_column("blobs", sa.Column("height", sa.Integer()))


def downgrade() -> None:
    """Drop them again."""
    with op.batch_alter_table("blobs") as table:
        table.drop_column("height")
        table.drop_column("width")
