"""The costs of runs, by the queries that docs/sql.md gives, on each kind of database."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from alembic import command
from sqlalchemy import Connection, text

from server.store import SessionCost, Store
from server.store.migrations import upgrade
from server.store.migrations.history import alembic_config
from tests.contract.store.conftest import Talks

DOCUMENT = Path(__file__).parents[3] / "docs" / "sql.md"
DEAR: dict[str, Any] = {"model": "dear", "totalTokens": 100, "costNano": 2_500_000_000, "currency": "USD"}
CHEAP: dict[str, Any] = {"model": "cheap", "totalTokens": 50, "costNano": 3, "currency": "EUR"}
STRANGE: dict[str, Any] = {"model": "strange", "totalTokens": 70}


async def rows(store: Store, query: str) -> list[tuple[Any, ...]]:
    """Execute a query of the document."""
    async with store.database.read() as connection:
        return [tuple(row) for row in await connection.execute(text(query))]


async def test_the_queries_of_the_document_sum_what_is_known_and_count_what_is_not(talks: Talks) -> None:
    sale, talk, note = await talks(), await talks(service="chat"), await talks()
    for number, usage in enumerate((DEAR, DEAR, STRANGE)):
        await sale.turn(f"s{number}", usage=usage)
    await talk.turn("t", usage=CHEAP)
    await note.turn("n", usage={})  # Nobody was asked.
    store = sale.store
    queries = re.findall(r"```sql\n(.*?)```", DOCUMENT.read_text(), re.S)
    of_runs, of_sessions, of_services, of_models = [await rows(store, each) for each in queries]

    assert [(row[3], row[4], float(row[5] or -1), row[6]) for row in of_runs] == [
        ("dear", 100, 2.5, "USD"),
        ("dear", 100, 2.5, "USD"),
        ("cheap", 50, 3e-9, "EUR"),
        ("strange", 70, -1, None),
    ]
    known = {(row[0], row[1]): (None if row[2] is None else float(row[2]), row[3]) for row in of_sessions}
    assert known == {
        (sale.session.id, "USD"): (5.0, 0),
        (sale.session.id, None): (None, 1),
        (talk.session.id, "EUR"): (3e-9, 0),
    }
    assert {(row[0], row[1]) for row in of_services} == {
        ("submission", "USD"), ("submission", None), ("chat", "EUR"),
    }  # fmt: skip
    assert {(row[1], row[3], row[5]) for row in of_models} == {
        ("dear", 200, 0), ("cheap", 50, 0), ("strange", 70, 1),
    }  # fmt: skip

    ids = [each.session.id for each in (sale, talk, note)]
    assert await store.costs.of_sessions(ids) == {
        ids[0]: SessionCost({"USD": 5_000_000_000}, unpriced_runs=1),
        ids[1]: SessionCost({"EUR": 3}),
        ids[2]: SessionCost(),
    }
    await sale.store.sessions.delete(talk.session.id, talk.session.principal)
    assert {(row[0], row[1]) for row in await rows(store, queries[2])} >= {("chat", "EUR")}


async def test_usage_from_before_the_cost_columns_gets_its_session_and_model(talks: Talks) -> None:
    talk = await talks()
    await talk.turn("a", usage=DEAR)
    gone = await talks()
    await gone.turn("b", usage=STRANGE)
    await gone.store.sessions.delete(gone.session.id, gone.session.principal)

    def without_costs_and_back(connection: Connection) -> None:
        command.downgrade(alembic_config(connection), "0007")
        upgrade(connection)

    async with talk.store.database.write() as connection:
        await connection.run_sync(without_costs_and_back)
    found = await rows(talk.store, "SELECT model, session_id, service, cost_nano FROM usage ORDER BY model")
    assert found == [("dear", talk.session.id, "submission", None), ("strange", None, None, None)]
