"""Versions of messages: how a run changes the active path, and the state and the agent that it left.

The tree itself, `messages.parent_id` and `sessions.active_leaf`, is that of the first tables. Of earlier runs nobody
kept what they left but for the last one of each session, whose state is the session's.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the columns, and fill them for the last run of each session."""
    op.add_column("runs", sa.Column("branch", sa.JSON(none_as_null=True)))
    op.add_column("runs", sa.Column("state", sa.JSON(none_as_null=True)))
    op.add_column("runs", sa.Column("agent", sa.String(200)))
    last = "SELECT sessions.{} FROM sessions WHERE sessions.last_run = runs.id"
    op.execute(
        f"UPDATE runs SET state = ({last.format('state')}), agent = ({last.format('agent')}) "  # noqa: S608
        "WHERE id IN (SELECT last_run FROM sessions WHERE last_run IS NOT NULL)"
    )


def downgrade() -> None:
    """Drop them again."""
    for name in ("agent", "state", "branch"):
        op.drop_column("runs", name)  # A copy of the table would delete all that hangs from it.
