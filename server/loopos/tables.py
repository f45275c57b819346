"""The tables of LoopOS Core: the catalog, which its data file replaces, and the items, which nothing replaces."""

from sqlalchemy import JSON, BigInteger, Column, ForeignKey, Index, Integer, String, Table, Text

from server.store.tables import Id, Name, metadata

categories = Table(
    "categories",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("place", Integer, nullable=False),
    Column("parent_id", Integer),
    Column("key", Name, nullable=False, unique=True),
    Column("name", JSON, nullable=False),
    Column("description", JSON, nullable=False),
    Column("aliases", JSON, nullable=False),
)

brands = Table(
    "brands",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("place", Integer, nullable=False),
    Column("name", Name, nullable=False),
    Column("aliases", JSON, nullable=False),
)

option_types = Table(
    "option_types",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("place", Integer, nullable=False),
    Column("name", JSON, nullable=False),
)

option_values = Table(
    "option_values",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("place", Integer, nullable=False),
    Column("option_type_id", Integer, ForeignKey("option_types.id"), nullable=False, index=True),
    Column("name", JSON, nullable=False),
)

products = Table(
    "products",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("place", Integer, nullable=False),
    Column("category_id", Integer, ForeignKey("categories.id"), nullable=False, index=True),
    Column("name", Name, nullable=False),
    Column("description", JSON, nullable=False),
    Column("aliases", JSON, nullable=False),
    Column("options", JSON, nullable=False),
    Column("elements", JSON, nullable=False),
)

product_brands = Table(
    "product_brands",
    metadata,
    Column("product_id", Integer, ForeignKey("products.id"), primary_key=True),
    Column("brand_id", Integer, ForeignKey("brands.id"), primary_key=True),
)

protocols = Table(
    "protocols",
    metadata,
    Column("category_id", Integer, ForeignKey("categories.id"), primary_key=True),
    Column("place", Integer, nullable=False),
    Column("elements", JSON, nullable=False),
)

seeds = Table(
    "seeds",
    metadata,
    Column("name", Name, primary_key=True),
    Column("checksum", String(64), nullable=False),
    Column("seeded_at", BigInteger, nullable=False),
)

items = Table(
    "items",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Id, nullable=False, unique=True),
    Column("token", String(64), nullable=False, unique=True),
    Column("business_key", Name, nullable=False, unique=True),
    Column("principal", Name, nullable=False),
    Column("session_id", Id, ForeignKey("sessions.id", ondelete="SET NULL"), index=True),
    Column("product_id", Integer, nullable=False),
    Column("product", Name, nullable=False),
    Column("brand_id", Integer, nullable=False),
    Column("brand", Name, nullable=False),
    Column("options", JSON, nullable=False),
    Column("pictures", JSON(none_as_null=True)),
    Column("asking_cents", Integer),
    Column("asking_currency", String(3)),
    Column("status", String(16), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index(None, "principal", "number"),
    sqlite_autoincrement=True,
)

answers = Table(
    "answers",
    metadata,
    Column("item_number", Integer, ForeignKey("items.number", ondelete="CASCADE"), primary_key=True),
    Column("element_id", String(128), primary_key=True),
    Column("question", JSON, nullable=False),
    Column("value", JSON),
    Column("shown", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("changed_at", BigInteger, nullable=False),
)

FIRST_REFERENCE = 48_213


def reference_of(number: int) -> str:
    """Return the reference by which people name an item.

    It is short, since people read it out on the phone; it opens nothing.
    """
    return f"LW-{FIRST_REFERENCE - 1 + number}"
