"""The subscriptions of a visitor's browsers, read from the table."""

from sqlalchemy import select

from server.store import Store
from server.store.pushes.tables import push_subscriptions


async def endpoints_of(store: Store, app: str, principal: str) -> list[str]:
    """Return the addresses of a visitor's browsers, the oldest first."""
    row = push_subscriptions.c
    query = (
        select(row.endpoint)
        .where(row.app == app, row.principal == principal)
        .order_by(row.created_at, row.id)
    )
    return [each.endpoint for each in await store.database.fetch(query)]
