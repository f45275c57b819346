"""Items say what their seller asks for them."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; earlier items have no price."""
    op.add_column("items", sa.Column("asking_cents", sa.Integer(), nullable=True))
    op.add_column("items", sa.Column("asking_currency", sa.String(3), nullable=True))


def downgrade() -> None:
    """Drop them again."""
    with op.batch_alter_table("items") as table:
        table.drop_column("asking_currency")
        table.drop_column("asking_cents")
