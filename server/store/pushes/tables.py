"""The tables of pushes: the subscriptions of browsers, and the outbox."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, String, Table, Text

from server.store.tables import Id, Name, Status, metadata, outbox_columns

push_subscriptions = Table(
    "push_subscriptions",
    metadata,
    Column("id", Id, primary_key=True),
    Column("app", Name, nullable=False),
    Column("principal", Name, nullable=False),
    Column("endpoint", Text, nullable=False),
    # SHA-256 of the endpoint: a browser has one endpoint, and one visitor at a time.
    Column("digest", String(64), nullable=False, unique=True),
    Column("p256dh", String(100), nullable=False),
    Column("auth", String(40), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index(None, "app", "principal", "created_at"),
)

pushes = Table(
    "pushes",
    metadata,
    Column("id", Id, primary_key=True),
    Column("session_id", Id, ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False, index=True),
    Column(
        "subscription_id",
        Id,
        ForeignKey("push_subscriptions.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    *outbox_columns(Status(16)),
)
