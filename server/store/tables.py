"""The tables of conversations. Times are ms since the epoch, JSON is plain JSON on both engines."""

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    ForeignKey,
    ForeignKeyConstraint,
    FromClause,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    literal_column,
    text,
)
from sqlalchemy.schema import SchemaItem
from sqlalchemy.sql.operators import OperatorType
from sqlalchemy.types import TypeEngine

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

Id = String(64)
Name = String(200)


class Status(String):
    """A word that is written into the statements which compare with it.

    SQLite plans a statement anew for every execution when the condition of a partial index meets a parameter: that
    took longer than all that the statement does.
    """

    class Comparator(String.Comparator[str]):
        """Compares with the word itself."""

        def operate(self, op: OperatorType, *other: Any, **kwargs: Any) -> ColumnElement[Any]:
            """Write our words into the statement, and bind everything else."""
            words = [
                _written_at(each) if isinstance(each, str) and each.isalpha() else each for each in other
            ]
            return super().operate(op, *words, **kwargs)

    comparator_factory = Comparator


def _written_at(word: str) -> ColumnElement[str]:
    return literal_column(f"'{word}'", String())


sessions = Table(
    "sessions",
    metadata,
    Column("id", Id, primary_key=True),
    Column("app", Name, nullable=False),
    Column("principal", Name, nullable=False),
    Column("service", Name, nullable=False),
    Column("language", String(16), nullable=False),
    Column("title", Text),
    Column("agent", Name),
    Column("state", JSON(none_as_null=True), nullable=False),
    Column("context", JSON(none_as_null=True), nullable=False),
    Column("fence", BigInteger, nullable=False, default=0),
    Column("last_seq", BigInteger, nullable=False, default=0),
    Column("last_run", Id),
    Column("status", String(32), nullable=False, default=""),
    Column("active_leaf", Id),
    Column("callback_url", Text),
    Column("spent_on", Integer, nullable=False, server_default="0"),
    Column("spent", BigInteger, nullable=False, server_default="0"),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("operator", JSON(none_as_null=True)),
    Column("person_called_at", BigInteger),
    Index(None, "app", "principal", "updated_at"),
    Index(None, "app", "updated_at"),
)

aliases = Table(
    "aliases",
    metadata,
    Column("app", Name, primary_key=True),
    Column("principal", Name, primary_key=True),
    Column("service", Name, primary_key=True),
    Column("alias", Name, primary_key=True),
    Column("session_id", Id, ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False, index=True),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("session_id", Id, ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    Column("place", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("status", Status(16), nullable=False),
    # Whether the end is in the log. The database has it under its first name.
    Column("told", Boolean, key="published", nullable=False, default=False),
    Column("outcome", String(16)),
    Column("code", String(64)),
    Column("attempt", Integer, nullable=False, default=0),
    Column("fence", BigInteger, nullable=False, default=0),
    Column("owner", Name),
    Column("lease_until", BigInteger),
    Column("message_id", Id, nullable=False),
    Column("client_id", Id, nullable=False),
    Column("content", JSON(none_as_null=True), nullable=False),
    Column("language", String(16), nullable=False),
    Column("parent_run_id", Id),
    Column("tools", JSON(none_as_null=True)),
    Column("cancel", Boolean, nullable=False, default=False),
    Column("first_seq", BigInteger, nullable=False, default=0),
    Column("items", JSON(none_as_null=True), nullable=False),
    Column("callback_url", Text),
    Column("response", JSON(none_as_null=True)),
    Column("trace_context", String(600)),
    Column("branch", JSON(none_as_null=True)),
    # The state that the run left: a version that begins after it, or is shown again, continues from it.
    Column("state", JSON(none_as_null=True)),
    Column("agent", Name),
    Column("created_at", BigInteger, nullable=False),
    Column("started_at", BigInteger),
    Column("ended_at", BigInteger),
    UniqueConstraint("session_id", "client_id"),
    UniqueConstraint("session_id", "place"),
    Index(None, "session_id", "status", "published"),
    Index(None, "status", "published", "created_at"),
    Index(
        "one_running",
        "session_id",
        unique=True,
        sqlite_where=text("status = 'running'"),
        postgresql_where=text("status = 'running'"),
    ),
)


def place_of(some_runs: FromClause) -> ColumnElement[int]:
    """Return a run's place, to compare with where a few runs are found by their status.

    SQLite prefers the index of places for a bare column, and reads every run of the session by it.
    """
    return some_runs.c.place + literal_column("0", Integer())


messages = Table(
    "messages",
    metadata,
    Column("session_id", Id, ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    Column("id", String(128), primary_key=True),
    Column("parent_id", String(128)),
    Column("run_id", Id, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("position", Integer, nullable=False),
    Column("body", JSON(none_as_null=True), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index(None, "session_id", "position"),
)

feedback = Table(
    "feedback",
    metadata,
    Column("session_id", Id, primary_key=True),
    Column("message_id", String(128), primary_key=True),
    Column("value", String(8), nullable=False),
    Column("reason", String(16)),
    Column("comment", Text),
    Column("created_at", BigInteger, nullable=False),
    ForeignKeyConstraint(
        ["session_id", "message_id"], ["messages.session_id", "messages.id"], ondelete="CASCADE"
    ),
)

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("run_id", Id, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("run_state", Text),
    Column("messages", JSON(none_as_null=True), nullable=False),
    Column("state", JSON(none_as_null=True), nullable=False),
    Column("items", JSON(none_as_null=True), nullable=False),
    Column("agent", Name),
    Column("created_at", BigInteger, nullable=False),
)

usage = Table(
    "usage",
    metadata,
    # No foreign key: a day's budget also counts the tokens of deleted conversations.
    Column("run_id", Id, primary_key=True),
    Column("app", Name, nullable=False),
    Column("principal", Name, nullable=False),
    Column("detail", JSON(none_as_null=True), nullable=False),
    Column("tokens", BigInteger, nullable=False, server_default="0"),
    Column("session_id", Id, index=True),
    Column("service", Name),
    Column("model", Name),
    # In billionths of the currency's unit; null beside a model means that the cost is unknown.
    Column("cost_nano", BigInteger),
    Column("currency", String(3)),
    Column("created_at", BigInteger, nullable=False),
    Index(None, "app", "principal", "created_at"),
    Index(None, "app", "created_at"),
)

tool_calls = Table(
    "tool_calls",
    metadata,
    Column("run_id", Id, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("call_id", String(128), primary_key=True),
    Column("tool", Name, nullable=False),
    Column("effect", String(16), nullable=False),
    Column("args_hash", String(128), nullable=False),
    Column("business_key", Name, unique=True),
    Column("state", String(16), nullable=False),
    Column("result", JSON),
    Column("created_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
)

blobs = Table(
    "blobs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("principal", Name, nullable=False),
    Column("session_id", Id, ForeignKey("sessions.id", ondelete="CASCADE"), index=True),
    Column("media_type", Name, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, index=True),
    Column("width", Integer),
    Column("height", Integer),
)


def outbox_columns(status: TypeEngine[str]) -> list[SchemaItem]:
    """Make what each table of posts has: the app and the body, the state of the post, and the index of what is due."""
    return [
        Column("app", Name, nullable=False),
        Column("body", Text, nullable=False),
        Column("status", status, nullable=False),
        Column("attempt", Integer, nullable=False),
        Column("due_at", BigInteger, nullable=False),
        Column("owner", Name),
        Column("lease_until", BigInteger),
        Column("answer", Integer),
        Column("created_at", BigInteger, nullable=False),
        Column("settled_at", BigInteger),
        Index(None, "status", "due_at"),
    ]


callbacks = Table(
    "callbacks",
    metadata,
    Column("id", Id, primary_key=True),
    Column("session_id", Id, ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("run_id", Id, nullable=False),
    Column("url", Text, nullable=False),
    *outbox_columns(String(16)),
    Column("trace_context", String(600)),
)

webhooks = Table(
    "webhooks",
    metadata,
    # Events of a conversation are posted in the order of these numbers.
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("id", Id, nullable=False, unique=True),
    # No foreign key: the event of its deletion outlives the conversation.
    Column("session_id", Id, nullable=False),
    *outbox_columns(Status(16)),
    Index(None, "app", "status"),
    Index(None, "session_id", "status", "number"),
    Index(
        "webhooks_leased",
        "app",
        "lease_until",
        sqlite_where=text("lease_until IS NOT NULL"),
        postgresql_where=text("lease_until IS NOT NULL"),
    ),
    sqlite_autoincrement=True,
)

app_keys = Table(
    "app_keys",
    metadata,
    Column("id", Id, primary_key=True),
    Column("app", Name, nullable=False, index=True),
    Column("scopes", JSON(none_as_null=True), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("ends_at", BigInteger),
)

operator_actions = Table(
    "operator_actions",
    metadata,
    # No foreign keys: what was done stays known when the session is deleted.
    Column("id", Id, primary_key=True),
    Column("app", Name, nullable=False),
    Column("key_id", Id, nullable=False),
    Column("session_id", Id),
    Column("action", String(16), nullable=False),
    Column("at", BigInteger, nullable=False, index=True),
    Index(None, "app", "at"),
)

operator_accounts = Table(
    "operator_accounts",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Name, nullable=False),
    Column("folded_name", Name, nullable=False, unique=True),
    # The role in each app, by the app's name.
    Column("roles", JSON(none_as_null=True), nullable=False),
    Column("password", Name, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("disabled_at", BigInteger),
)

operator_sign_ins = Table(
    "operator_sign_ins",
    metadata,
    Column("id", Id, primary_key=True),
    # The hash of the cookie's value, which is not stored.
    Column("digest", String(64), nullable=False, unique=True),
    Column(
        "account_id", Id, ForeignKey("operator_accounts.id", ondelete="CASCADE"), nullable=False, index=True
    ),
    Column("created_at", BigInteger, nullable=False),
    Column("ends_at", BigInteger, nullable=False, index=True),
)

operator_reads = Table(
    "operator_reads",
    metadata,
    Column("account_id", Id, ForeignKey("operator_accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("session_id", Id, ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("seq", BigInteger, nullable=False),
)

revoked = Table(
    "revoked",
    metadata,
    Column("subject", Name, primary_key=True),
    Column("revoked_at", BigInteger, nullable=False, index=True),
)
