"""The table of the interrupts: calls that wait for a person or a browser."""

from sqlalchemy import JSON, BigInteger, Column, ForeignKey, Index, String, Table, Text, UniqueConstraint

from server.store.tables import Id, Name, metadata

interrupts = Table(
    "interrupts",
    metadata,
    Column("id", Id, primary_key=True),
    Column("session_id", Id, ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    # The run whose checkpoint an answer continues: a run that asks again for the rest becomes it.
    Column("run_id", Id, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("call_id", String(128), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("tool", Name, nullable=False),
    Column("message", Text, nullable=False),
    Column("schema", JSON(none_as_null=True), nullable=False),
    Column("block_id", Id),
    Column("status", String(16), nullable=False),
    Column("answer", JSON(none_as_null=True)),
    Column("answered_by", Id),
    Column("expires_at", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("closed_at", BigInteger),
    UniqueConstraint("run_id", "call_id"),
    Index(None, "session_id", "status"),
    Index(None, "status", "expires_at"),
)
