"""Operators have accounts, with which they sign in to the inbox."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of accounts and of their sign-ins."""
    op.create_table(
        "operator_accounts",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("folded_name", sa.String(200), nullable=False),
        sa.Column("roles", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("password", sa.String(200), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("disabled_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_operator_accounts"),
        sa.UniqueConstraint("folded_name", name="uq_operator_accounts_folded_name"),
    )
    op.create_table(
        "operator_sign_ins",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("account_id", sa.String(64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ends_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_operator_sign_ins"),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["operator_accounts.id"],
            name="fk_operator_sign_ins_account_id_operator_accounts",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint("digest", name="uq_operator_sign_ins_digest"),
    )
    op.create_index("ix_operator_sign_ins_account_id", "operator_sign_ins", ["account_id"])
    op.create_index("ix_operator_sign_ins_ends_at", "operator_sign_ins", ["ends_at"])


def downgrade() -> None:
    """Drop them again."""
    op.drop_table("operator_sign_ins")
    op.drop_table("operator_accounts")
