"""Posts to apps over both databases: what each says, when it is due, how long it is kept, and what waits of them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from server.store import Callback, Store
from server.store.engine.clock import now_ms
from server.store.tables import callbacks, runs, sessions
from tests.contract.store.conftest import Talk, Talks
from tests.parts.wait import PATIENCE_S

URL = "https://shop.example/hook"
DAY_MS = 86_400_000
MINUTES_MS = 300_000
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


async def after_a_run(talks: Talks, url: str | None = URL, **changes: Any) -> Talk:
    """Return a session whose first run has ended, with its callback."""
    talk = await talks(callback_url=url)
    await talk.turn("olá", "Olá!", **changes)
    return talk


async def claimed(store: Store, lease_s: float = 30) -> Callback:
    callback = await store.callbacks.claim("me", lease_s)
    assert callback is not None
    return callback


async def aged(store: Store, ms: int, *columns: str, table: Any = callbacks, where: Any = True) -> None:
    """Let what stands in these columns be longer ago."""
    older = {each: table.c[each] - ms for each in columns}
    await store.database.execute(update(table).where(where).values(**older), {})


async def row_of(store: Store, id: str) -> Any:
    """Return the row of a callback, and the database's time."""
    found = await store.database.fetch(select(callbacks, now_ms().label("now")).where(callbacks.c.id == id))
    return found[0]


async def test_a_callback_body_holds_the_outcome_of_its_run(store: Store, talks: Talks) -> None:
    talk = await talks(callback_url=URL)
    await talk.say("olá", trace_context=TRACE)
    claim = await talk.claim()
    messages: list[dict[str, Any]] = [
        {"id": "m1", "role": "user", "content": "olá"},
        {"id": "m2", "role": "assistant", "name": "Ana", "content": "Olá!", "metadata": {"secret": 1}},
        {"id": "m3", "role": "tool", "content": "{}"},
        {"id": "m4", "role": "activity", "content": {"a": 1}},
    ]
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    changes = {"messages": messages, "state": {"draft": 1, "_own": 2}, "status_line": "waiting"}
    await talk.finish(claim, outcome="error", code="model_busy", **changes)
    callback = await claimed(store)
    body = json.loads(callback.body)
    said_at = body.pop("timestamp")
    assert said_at.endswith("Z")
    assert len(said_at) == len("2026-01-01T00:00:00.000Z")
    assert before <= datetime.fromisoformat(said_at) <= datetime.now(UTC)
    assert body == {
        "type": "run.finished",
        "data": {
            "session_id": talk.session.id,
            "run_id": claim.run.id,
            "service": "submission",
            "outcome": "error",
            "code": "model_busy",
            "status": "waiting",
            "agent": "agent",
            "state": {"draft": 1},
            "messages": [
                {"id": "m1", "role": "user", "content": "olá"},
                {"id": "m2", "role": "assistant", "name": "Ana", "content": "Olá!"},
            ],
        },
    }
    assert callback.id.startswith("cbk_")
    assert (callback.session_id, callback.run_id) == (talk.session.id, claim.run.id)
    assert (callback.app, callback.url, callback.trace_context) == ("demo", URL, TRACE)


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize(
    ("ended", "said"),
    [
        ({"response": [{"price": 7}]}, [{"price": 7}]),
        ({"outcome": "error", "code": "model_busy"}, {"error": "model_busy"}),
        ({"outcome": "cancelled"}, {"error": "cancelled"}),
    ],
)
async def test_a_callback_of_a_request_is_its_response_or_why_there_is_none(
    store: Store, talk: Talk, ended: dict[str, Any], said: Any, private: bool
) -> None:
    await talk.say("pedido", callback_url=URL, private=private)
    claim = await talk.claim()
    await talk.finish(claim, request=True, private=private, **ended)
    callback = await claimed(store)
    assert json.loads(callback.body) == ({**said, "job_id": claim.run.id} if "error" in said else said)
    assert (callback.url, callback.run_id, callback.session_id) == (URL, claim.run.id, talk.session.id)
    stored = (await row_of(store, callback.id)).body
    assert (stored == callback.body) is not private


async def test_the_callback_that_is_due_longest_is_claimed_first(store: Store, talks: Talks) -> None:
    ids = []
    for _ in range(3):
        talk = await after_a_run(talks)
        ids += [each[0] for each in await store.callbacks.states(talk.session.id)]
    for days, id in zip((1, 3, 2), ids, strict=True):
        await aged(store, days * DAY_MS, "due_at", where=callbacks.c.id == id)
    assert [(await claimed(store)).id for _ in ids] == [ids[1], ids[2], ids[0]]
    for id in ids:
        await aged(store, 0, "due_at", where=callbacks.c.id == id)
    waiting = await store.callbacks.list_states("waiting", 2)
    assert [each.id for each in waiting] == [ids[0], ids[2]], (
        "the newest first, and no more than were asked for"
    )
    assert await store.callbacks.list_states("delivered", 9) == []


async def test_a_claimed_callback_is_due_again_when_its_lease_has_ended(store: Store, talks: Talks) -> None:
    await after_a_run(talks)
    callback = await claimed(store, lease_s=1_000_000)
    row = await row_of(store, callback.id)
    assert 0 <= row.now + 1_000_000_000 - row.lease_until < PATIENCE_S * 1000
    assert (row.owner, row.attempt) == ("me", 1)
    await aged(store, 1_000_001_000, "lease_until")
    assert (await claimed(store)).attempt == 2


async def test_a_failed_callback_shows_its_status_and_is_due_after_its_delay(
    store: Store, talks: Talks
) -> None:
    talk = await after_a_run(talks)
    callback = await claimed(store)
    await store.callbacks.note_failed(callback, 503, 1_000_000)
    row = await row_of(store, callback.id)
    assert 0 <= row.now + 1_000_000_000 - row.due_at < PATIENCE_S * 1000
    assert (row.owner, row.lease_until, row.settled_at) == (None, None, None)
    assert await store.callbacks.states(talk.session.id) == [(callback.id, "waiting", 1, 503)]
    (listed,) = await store.callbacks.list_states("waiting", 9)
    assert (listed.id, listed.app, listed.session_id) == (callback.id, "demo", talk.session.id)
    assert (listed.status, listed.attempt, listed.answer) == ("waiting", 1, 503)
    assert listed.due_at == row.due_at
    await aged(store, 1_000_000_001, "due_at")
    again = await claimed(store)
    await store.callbacks.note_delivered(again, 204)
    row = await row_of(store, callback.id)
    assert (row.status, row.attempt, row.answer, row.owner, row.lease_until) == (
        "delivered",
        2,
        204,
        None,
        None,
    )
    assert 0 <= row.now - row.settled_at < PATIENCE_S * 1000


async def test_a_replay_makes_the_named_failed_callbacks_due(store: Store, talks: Talks) -> None:
    for _ in range(4):
        await after_a_run(talks)
    failed, other, delivered, waiting = [await claimed(store) for _ in range(4)]
    for each in (failed, other):
        await store.callbacks.note_failed(each, 500, None)
    await store.callbacks.note_delivered(delivered, 200)
    await aged(store, DAY_MS, "due_at")
    assert await store.callbacks.replay([failed.id, delivered.id, waiting.id]) == [failed.id]
    row = await row_of(store, failed.id)
    assert (row.status, row.attempt, row.settled_at) == ("waiting", 0, None)
    assert 0 <= row.now - row.due_at < PATIENCE_S * 1000
    assert await store.callbacks.replay(None) == [other.id]
    assert await store.callbacks.replay(None) == []
    assert {(await claimed(store)).id for _ in range(2)} == {failed.id, other.id}


async def test_a_post_is_kept_for_a_week_after_it_was_settled(store: Store, talks: Talks) -> None:
    for _ in range(5):
        await after_a_run(talks)
    old, gone, failed, fresh, waiting = [await claimed(store) for _ in range(5)]
    for each in (old, fresh):
        await store.callbacks.note_delivered(each, 200)
    await store.callbacks.note_failed(failed, 500, None)
    await store.callbacks.forget_address(gone)
    await aged(store, 8 * DAY_MS, "due_at", "created_at")
    await aged(store, 7 * DAY_MS - MINUTES_MS, "settled_at")
    assert await store.callbacks.sweep() == 0
    await aged(store, 2 * MINUTES_MS, "settled_at", where=callbacks.c.id != fresh.id)
    assert await store.callbacks.sweep() == 3
    states = await store.database.fetch(select(callbacks.c.id).order_by(callbacks.c.id))
    assert [each.id for each in states] == sorted([fresh.id, waiting.id])


async def test_a_gone_receiver_is_forgotten_in_its_own_session_alone(store: Store, talks: Talks) -> None:
    talk, other = await after_a_run(talks), await after_a_run(talks)
    first = await claimed(store)
    await store.callbacks.note_delivered(first, 204)
    await store.database.execute(
        update(sessions).where(sessions.c.id == talk.session.id).values(callback_url=f"{URL}/2"), {}
    )
    await talk.turn("outra")
    assert first.session_id == talk.session.id
    await talk.turn("mais", trace_context=TRACE)
    second, third = [
        each for each in [await claimed(store) for _ in range(3)] if each.session_id == talk.session.id
    ]
    assert (second.url, third.trace_context) == (f"{URL}/2", TRACE)
    await store.callbacks.forget_address(first)
    assert (await store.sessions.load(talk.session.id)).callback_url == f"{URL}/2"
    await store.callbacks.forget_address(second)
    assert (await store.sessions.load(talk.session.id)).callback_url is None
    assert (await store.sessions.load(other.session.id)).callback_url == URL
    states = await store.callbacks.states(talk.session.id)
    assert states == [
        (first.id, "delivered", 1, 204),
        (second.id, "gone", 1, 410),
        (third.id, "gone", 1, 410),
    ]
    row = await row_of(store, second.id)
    assert (row.owner, row.lease_until) == (None, None)
    assert 0 <= row.now - row.settled_at < PATIENCE_S * 1000
    assert [each[1] for each in await store.callbacks.states(other.session.id)] == ["waiting"]


async def test_the_backlog_gauges_count_runs_and_callbacks_and_their_ages(store: Store, talks: Talks) -> None:
    async def counted() -> dict[str, float]:
        return {name.removeprefix("loopwire_"): each for name, each in (await store.backlog.read()).items()}

    assert set((await counted()).values()) == {0}
    for url in (URL, URL, None):
        await after_a_run(talks, url)
    await aged(store, 9_000_000, "due_at")
    await store.callbacks.note_failed(await claimed(store), 500, None)
    first, second, third = [await talks() for _ in range(3)]
    await first.turn("zero")
    for talk in (first, second, third):
        await talk.say("olá")
    await first.claim(lease_s=60)
    gauges = await counted()
    assert (gauges["runs_queued"], gauges["runs_running"], gauges["lease_overdue_seconds"]) == (2, 1, 0)
    await aged(store, 5_000_000, "created_at", table=runs, where=runs.c.session_id == second.session.id)
    await aged(store, 7_060_000, "lease_until", table=runs)
    gauges = await counted()
    assert 5000 <= gauges["runs_queued_oldest_seconds"] < 5000 + PATIENCE_S
    assert 7000 <= gauges["lease_overdue_seconds"] < 7000 + PATIENCE_S
    gauges = await counted()
    assert (gauges["callbacks_waiting"], gauges["callbacks_failed"]) == (1, 1)
    assert 9000 <= gauges["callbacks_overdue_seconds"] < 9000 + PATIENCE_S
    assert {
        gauges[f"{kind}_{what}"] for kind in ("webhooks", "pushes") for what in ("waiting", "failed")
    } == {0}


async def test_the_callbacks_of_a_session_are_in_the_order_in_which_they_were_written(
    store: Store, talks: Talks
) -> None:
    talk = await after_a_run(talks)
    for text in "ab":
        await talk.turn(text)
    ids = sorted(each[0] for each in await store.callbacks.states(talk.session.id))
    for id, at in zip(ids, (2, 1, 2), strict=True):
        written = update(callbacks).where(callbacks.c.id == id).values(created_at=at)
        await store.database.execute(written, {})
    assert [each[0] for each in await store.callbacks.states(talk.session.id)] == [ids[1], ids[0], ids[2]]
