"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go one revision up."""
    op.create_table(
        "brands",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("aliases", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_brands")),
    )
    op.create_table(
        "categories",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("parent_id", sa.Integer(), nullable=True),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("name", sa.JSON(), nullable=False),
        sa.Column("description", sa.JSON(), nullable=False),
        sa.Column("aliases", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_categories")),
        sa.UniqueConstraint("key", name=op.f("uq_categories_key")),
    )
    op.create_table(
        "option_types",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("name", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_option_types")),
    )
    op.create_table(
        "seeds",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("checksum", sa.String(length=64), nullable=False),
        sa.Column("seeded_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_seeds")),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("app", sa.String(length=200), nullable=False),
        sa.Column("principal", sa.String(length=200), nullable=False),
        sa.Column("service", sa.String(length=200), nullable=False),
        sa.Column("language", sa.String(length=16), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("agent", sa.String(length=200), nullable=True),
        sa.Column("state", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("context", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("last_run", sa.String(length=64), nullable=True),
        sa.Column("status", sa.String(length=32), nullable=False),
        sa.Column("active_leaf", sa.String(length=64), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
    )
    with op.batch_alter_table("sessions", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_sessions_app_principal_updated_at"),
            ["app", "principal", "updated_at"],
            unique=False,
        )

    op.create_table(
        "aliases",
        sa.Column("app", sa.String(length=200), nullable=False),
        sa.Column("principal", sa.String(length=200), nullable=False),
        sa.Column("service", sa.String(length=200), nullable=False),
        sa.Column("alias", sa.String(length=200), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name=op.f("fk_aliases_session_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("app", "principal", "service", "alias", name=op.f("pk_aliases")),
    )
    with op.batch_alter_table("aliases", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_aliases_session_id"), ["session_id"], unique=False)

    op.create_table(
        "blobs",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("principal", sa.String(length=200), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=True),
        sa.Column("media_type", sa.String(length=200), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name=op.f("fk_blobs_session_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_blobs")),
    )
    with op.batch_alter_table("blobs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_blobs_expires_at"), ["expires_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_blobs_session_id"), ["session_id"], unique=False)

    op.create_table(
        "items",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("business_key", sa.String(length=200), nullable=False),
        sa.Column("principal", sa.String(length=200), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=True),
        sa.Column("product_id", sa.Integer(), nullable=False),
        sa.Column("product", sa.String(length=200), nullable=False),
        sa.Column("brand_id", sa.Integer(), nullable=False),
        sa.Column("brand", sa.String(length=200), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name=op.f("fk_items_session_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_items")),
        sa.UniqueConstraint("business_key", name=op.f("uq_items_business_key")),
        sa.UniqueConstraint("id", name=op.f("uq_items_id")),
        sa.UniqueConstraint("token", name=op.f("uq_items_token")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("items", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_items_principal_number"), ["principal", "number"], unique=False)
        batch_op.create_index(batch_op.f("ix_items_session_id"), ["session_id"], unique=False)

    op.create_table(
        "option_values",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("option_type_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["option_type_id"], ["option_types.id"], name=op.f("fk_option_values_option_type_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_option_values")),
    )
    with op.batch_alter_table("option_values", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_option_values_option_type_id"), ["option_type_id"], unique=False)

    op.create_table(
        "products",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("category_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("description", sa.JSON(), nullable=False),
        sa.Column("aliases", sa.JSON(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("elements", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["category_id"], ["categories.id"], name=op.f("fk_products_category_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_products")),
    )
    with op.batch_alter_table("products", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_products_category_id"), ["category_id"], unique=False)

    op.create_table(
        "protocols",
        sa.Column("category_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("elements", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["category_id"], ["categories.id"], name=op.f("fk_protocols_category_id")),
        sa.PrimaryKeyConstraint("category_id", name=op.f("pk_protocols")),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("told", sa.Boolean(), nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=True),
        sa.Column("code", sa.String(length=64), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("owner", sa.String(length=200), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("message_id", sa.String(length=64), nullable=False),
        sa.Column("client_id", sa.String(length=64), nullable=False),
        sa.Column("content", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("language", sa.String(length=16), nullable=False),
        sa.Column("parent_run_id", sa.String(length=64), nullable=True),
        sa.Column("cancel", sa.Boolean(), nullable=False),
        sa.Column("first_seq", sa.BigInteger(), nullable=False),
        sa.Column("items", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name=op.f("fk_runs_session_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("session_id", "client_id", name=op.f("uq_runs_session_id_client_id")),
        sa.UniqueConstraint("session_id", "place", name=op.f("uq_runs_session_id_place")),
    )
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_runs_session_id_status_told"), ["session_id", "status", "told"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_runs_status_told_created_at"), ["status", "told", "created_at"], unique=False
        )
        batch_op.create_index(
            "one_running",
            ["session_id"],
            unique=True,
            sqlite_where=sa.text("status = 'running'"),
            postgresql_where=sa.text("status = 'running'"),
        )

    op.create_table(
        "answers",
        sa.Column("item_number", sa.Integer(), nullable=False),
        sa.Column("element_id", sa.String(length=128), nullable=False),
        sa.Column("question", sa.JSON(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=True),
        sa.Column("shown", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["item_number"], ["items.number"], name=op.f("fk_answers_item_number"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("item_number", "element_id", name=op.f("pk_answers")),
    )
    op.create_table(
        "checkpoints",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("run_state", sa.Text(), nullable=True),
        sa.Column("messages", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("state", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("items", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_checkpoints_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_checkpoints")),
    )
    op.create_table(
        "messages",
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=128), nullable=False),
        sa.Column("parent_id", sa.String(length=128), nullable=True),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("body", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_messages_run_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name=op.f("fk_messages_session_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("session_id", "id", name=op.f("pk_messages")),
    )
    with op.batch_alter_table("messages", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_messages_run_id"), ["run_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_messages_session_id_position"), ["session_id", "position"], unique=False
        )

    op.create_table(
        "product_brands",
        sa.Column("product_id", sa.Integer(), nullable=False),
        sa.Column("brand_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["brand_id"], ["brands.id"], name=op.f("fk_product_brands_brand_id")),
        sa.ForeignKeyConstraint(["product_id"], ["products.id"], name=op.f("fk_product_brands_product_id")),
        sa.PrimaryKeyConstraint("product_id", "brand_id", name=op.f("pk_product_brands")),
    )
    op.create_table(
        "tool_calls",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("call_id", sa.String(length=128), nullable=False),
        sa.Column("tool", sa.String(length=200), nullable=False),
        sa.Column("effect", sa.String(length=16), nullable=False),
        sa.Column("args_hash", sa.String(length=128), nullable=False),
        sa.Column("business_key", sa.String(length=200), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_tool_calls_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "call_id", name=op.f("pk_tool_calls")),
        sa.UniqueConstraint("business_key", name=op.f("uq_tool_calls_business_key")),
    )
    op.create_table(
        "usage",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("app", sa.String(length=200), nullable=False),
        sa.Column("principal", sa.String(length=200), nullable=False),
        sa.Column("detail", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_usage_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_usage")),
    )
    with op.batch_alter_table("usage", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_usage_app_principal_created_at"), ["app", "principal", "created_at"], unique=False
        )

    op.create_table(
        "feedback",
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("message_id", sa.String(length=128), nullable=False),
        sa.Column("value", sa.String(length=8), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id", "message_id"],
            ["messages.session_id", "messages.id"],
            name=op.f("fk_feedback_session_id_message_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("session_id", "message_id", name=op.f("pk_feedback")),
    )


def downgrade() -> None:
    """Go back."""
    op.drop_table("feedback")
    with op.batch_alter_table("usage", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_usage_app_principal_created_at"))

    op.drop_table("usage")
    op.drop_table("tool_calls")
    op.drop_table("product_brands")
    with op.batch_alter_table("messages", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_messages_session_id_position"))
        batch_op.drop_index(batch_op.f("ix_messages_run_id"))

    op.drop_table("messages")
    op.drop_table("checkpoints")
    op.drop_table("answers")
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.drop_index(
            "one_running",
            sqlite_where=sa.text("status = 'running'"),
            postgresql_where=sa.text("status = 'running'"),
        )
        batch_op.drop_index(batch_op.f("ix_runs_status_told_created_at"))
        batch_op.drop_index(batch_op.f("ix_runs_session_id_status_told"))

    op.drop_table("runs")
    op.drop_table("protocols")
    with op.batch_alter_table("products", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_products_category_id"))

    op.drop_table("products")
    with op.batch_alter_table("option_values", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_option_values_option_type_id"))

    op.drop_table("option_values")
    with op.batch_alter_table("items", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_items_session_id"))
        batch_op.drop_index(batch_op.f("ix_items_principal_number"))

    op.drop_table("items")
    with op.batch_alter_table("blobs", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_blobs_session_id"))
        batch_op.drop_index(batch_op.f("ix_blobs_expires_at"))

    op.drop_table("blobs")
    with op.batch_alter_table("aliases", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_aliases_session_id"))

    op.drop_table("aliases")
    with op.batch_alter_table("sessions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_sessions_app_principal_updated_at"))

    op.drop_table("sessions")
    op.drop_table("seeds")
    op.drop_table("option_types")
    op.drop_table("categories")
    op.drop_table("brands")
