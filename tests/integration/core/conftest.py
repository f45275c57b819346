"""A reference server over its own SQLite file, and clients of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.loopos.core import EmbeddedCore
from server.store import Store
from tests.core_server import CoreServer
from tests.parts.postgres import copy_tables

TOKEN = "core-token-not-to-be-told"


@pytest.fixture
async def core_store(tmp_path: Path) -> AsyncIterator[Store]:
    """Yield the tables of the Core."""
    folder = tmp_path / "core"
    folder.mkdir()
    copy_tables(folder)
    store = await Store.open(None, data_dir=folder)
    yield store
    await store.aclose()


async def reference(store: Store) -> CoreServer:
    """Make a reference server that knows conversations of others by sessions of its own."""

    async def local_session(principal: str, session_id: str) -> str:
        made = await store.sessions.create(
            app="core", principal=principal, service="core", language="pt", alias=session_id
        )
        return made.id

    return CoreServer(
        await EmbeddedCore.open(store.database, store.webhooks), token=TOKEN, local_session=local_session
    )


@pytest.fixture
async def core_server(core_store: Store) -> AsyncIterator[CoreServer]:
    """Yield a Core that answers, and fails on demand."""
    async with await reference(core_store) as server:
        yield server
