"""Apps have keys, of which the hashes are stored."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of keys."""
    op.create_table(
        "app_keys",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("app", sa.String(200), nullable=False),
        sa.Column("scopes", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ends_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_app_keys"),
    )
    op.create_index("ix_app_keys_app", "app_keys", ["app"])


def downgrade() -> None:
    """Drop it again."""
    op.drop_table("app_keys")
