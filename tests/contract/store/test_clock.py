"""The clock of a host decides nothing: whatever a lease needs of the time is asked of the database itself."""

from __future__ import annotations

import datetime
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

import server
from server.errors import Fenced
from tests.contract.store.conftest import Talk

A_YEAR_S = 366 * 86_400
ASKS = re.compile(r"\btime\.time|\bmonotonic|\bdatetime\.now\(|\butcnow|\btime_ns")
SERVER = Path(server.__file__).parent
SAID = {"callbacks", "leases", "outage", "rows", "submit", "webhooks"}
"""They say when a callback was sent, when the fact of an event happened and how long an outage lasts; and the holder of
a lease learns since when it counts, by the clock that never jumps. No statement gets any of these times."""


@pytest.fixture
def bound() -> Iterator[list[Any]]:
    """Yield every value that is sent to a database."""
    values: list[Any] = []

    def executed(
        _connection: Any, _cursor: Any, _text: Any, parameters: Any, _context: Any, many: bool
    ) -> None:
        for row in parameters if many else [parameters]:
            values.extend(row.values() if isinstance(row, dict) else row)

    event.listen(Engine, "before_cursor_execute", executed)
    yield values
    event.remove(Engine, "before_cursor_execute", executed)


def is_a_time(value: Any) -> bool:
    """Return whether the value is a date, or a number within a year of now, in seconds, ms, us or ns."""
    if isinstance(value, datetime.date):
        return True
    if not isinstance(value, int | float):
        return False
    return any(abs(value / scale - time.time()) < A_YEAR_S for scale in (1, 1e3, 1e6, 1e9))


async def test_no_statement_about_a_lease_binds_a_time_of_the_host(talk: Talk, bound: list[Any]) -> None:
    await talk.say("a")
    dead = await talk.claim(lease_s=-1)
    taken = await talk.claim()
    assert taken.takeover
    with pytest.raises(Fenced):
        await talk.store.runs.mark_published(dead.run.id, dead.run.fence)
    await talk.renew(taken, 10)
    await talk.store.runs.release(taken.run.id, taken.run.fence)
    await talk.finish(await talk.claim(), "b", published=False)
    (unpublished,) = await talk.store.runs.list_unpublished(0)
    fence = await talk.store.runs.adopt(unpublished.id, unpublished.fence)
    await talk.store.runs.mark_published(unpublished.id, fence)
    assert len(bound) > 50
    assert [value for value in bound if is_a_time(value)] == []


def test_the_store_never_reads_the_clock_of_the_host() -> None:
    """A host that is three minutes early or late stores, claims and expires as all others do."""
    own = [
        *(SERVER / "store").rglob("*.py"),
        *(SERVER / "loopos").glob("*.py"),
        *(SERVER / "loopos/catalog").glob("*.py"),
    ]
    sources = {path.stem: path.read_text() for path in own}
    assert {name for name, source in sources.items() if ASKS.search(source)} <= SAID
