"""A store on each kind of database in turn, and the few steps that every test takes.

The tests of a file share one database of each kind and its connections, and so one loop: to open a database costs more
than most tests. Each test has a store of its own on it, and leaves no rows but the catalog's.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio

from server.apps import App
from server.limits import Limits
from server.loopos import tables
from server.loopos.seed import load_catalog
from server.store import Claim, Finish, Renewal, Seal, Session, Store, Submitted
from server.store.engine import engines
from server.store.engine.database import Database
from server.store.tables import metadata
from tests.parts.postgres import bare_sqlite, copy_tables, fresh_database
from tests.parts.wait import PATIENCE_S

_CATALOG = {
    tables.categories,
    tables.brands,
    tables.option_types,
    tables.option_values,
    tables.products,
    tables.product_brands,
    tables.protocols,
    tables.seeds,
}
_EMPTYING = [
    f"DELETE FROM {table.name}" for table in reversed(metadata.sorted_tables) if table not in _CATALOG
]


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Let the tests of a file share a loop, which the connections belong to."""
    if inspect.iscoroutinefunction(getattr(item, "obj", None)):
        item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def shared_kind(request: pytest.FixtureRequest) -> str:
    """Return each kind of database in turn."""
    return str(request.param)


@pytest.fixture(scope="module")
def shared_url(
    shared_kind: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Yield a database that the tests of a file share, with tables and no rows but the catalog's."""
    if shared_kind == "sqlite":
        folder = tmp_path_factory.mktemp("shared")
        copy_tables(folder)
        yield bare_sqlite(folder)
        return
    server, migrated = map(request.getfixturevalue, ("postgres_server", "migrated_postgres"))
    with fresh_database(server, migrated) as url:
        yield url


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_database(
    shared_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Database]:
    """Yield the connections to the shared database; of fifty racers the last may wait long for one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "POOL_TIMEOUT_S", PATIENCE_S)
        patch.setattr(engines, "TURN_S", PATIENCE_S)
        store = await Store.open(shared_url, data_dir=tmp_path_factory.mktemp("data"))
    yield store.database
    await store.aclose()


def store_on(
    database: Database, *, limits: Limits | None = None, apps: Mapping[str, App] | None = None
) -> Store:
    """Return a store on connections that belong to others, who close them."""
    return Store(database, None, limits or Limits(), Seal(None), apps or {})


async def empty(store: Store) -> None:
    """End the reads of a store, and delete all rows but the catalog's."""
    await store.sessions.aclose()
    await store.runs.aclose()
    async with store.database.write() as connection:
        if store.database.is_sqlite:
            await connection.run_sync(lambda sync: [sync.exec_driver_sql(each) for each in _EMPTYING])
        else:
            await connection.exec_driver_sql(f"DO $$ BEGIN {'; '.join(_EMPTYING)}; END $$")


@pytest_asyncio.fixture(loop_scope="module")
async def store(shared_database: Database) -> AsyncIterator[Store]:
    """Yield a store with an empty database."""
    store = store_on(shared_database)
    yield store
    await empty(store)


def an_order(product_id: int | None = None) -> dict[str, Any]:
    """Return the arguments of an item that the catalog accepts: the first values of a product with several options."""
    catalog = load_catalog()
    product = (
        catalog.product_by_id[product_id]
        if product_id
        else next(p for p in catalog.products if len(p.options) > 1)
    )
    return {
        "product_id": product.id,
        "brand_id": product.brand_id,
        "option_value_ids": [option.option_value_ids[0] for option in product.options],
    }


@dataclass
class Talk:
    """One session and what may be done in it, with the arguments that do not matter filled in."""

    store: Store
    session: Session

    async def say(self, text: str, client_id: str | None = None, **more: Any) -> Submitted:
        """Submit a message; its id is its text unless another one is given."""
        return await self.store.runs.submit(
            session_id=self.session.id,
            principal=self.session.principal,
            client_id=client_id or text,
            content=[{"type": "text", "text": text}],
            language="pt",
            **more,
        )

    async def claim(self, lease_s: float = 10) -> Claim:
        """Claim what is due; there must be something."""
        claim = await self.store.runs.claim("me", lease_s)
        assert claim is not None
        return claim

    async def renew(self, claim: Claim, lease_s: float) -> Renewal:
        """Keep the lease of one run."""
        held = {claim.run.id: claim.run.fence}
        return (await self.store.runs.renew(held, lease_s))[claim.run.id]

    async def finish(
        self, claim: Claim, *texts: str, published: bool = True, **changes: Any
    ) -> list[dict[str, Any]]:
        """End a run with these messages of the assistant after its user's."""
        messages = [
            {"id": claim.run.message_id, "role": "user", "content": claim.run.content[0]["text"]},
            *(
                {"id": f"{claim.run.id}.{place}", "role": "assistant", "content": text}
                for place, text in enumerate(texts)
            ),
        ]
        fields: dict[str, Any] = {
            "outcome": "success",
            "code": None,
            "messages": messages,
            "state": {"said": claim.run.client_id},
            "items": [{"role": message["role"], "content": message["content"]} for message in messages],
            "agent": "agent",
            "last_seq": claim.session.last_seq + 10,
            **changes,
        }
        await self.store.runs.finish(claim.run.id, claim.run.fence, Finish(**fields))
        if published:
            await self.store.runs.mark_published(claim.run.id, claim.run.fence)
        return fields["messages"]

    async def turn(self, text: str, *answers: str, **changes: Any) -> list[dict[str, Any]]:
        """Say something and have it answered."""
        await self.say(text)
        return await self.finish(await self.claim(), *(answers or (f"re: {text}",)), **changes)


class Talks:
    """Begins sessions."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def __call__(self, principal: str = "ana", **more: Any) -> Talk:
        fields = {"app": "demo", "service": "submission", "language": "pt", "principal": principal, **more}
        return Talk(self._store, await self._store.sessions.create(**fields))


@pytest.fixture
def talks(store: Store) -> Talks:
    """Makes as many sessions as a test wants."""
    return Talks(store)


@pytest_asyncio.fixture(loop_scope="module")
async def talk(talks: Talks) -> Talk:
    """Return one session of ana's."""
    return await talks()
