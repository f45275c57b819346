"""Webhooks over both databases: an event is written with its fact, and claimed in the order of its conversation."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio
from sqlalchemy import select

from server.apps import App
from server.limits import Limits
from server.loopos.core import EmbeddedCore
from server.metrics import REGISTRY
from server.store import Callback, OperatorChange, Store
from server.store.engine.clock import now_ms
from server.store.engine.database import Database
from server.store.tables import webhooks
from tests.contract.store.conftest import Talk, Talks, an_order, empty, store_on
from tests.contract.store.test_operators import does
from tests.parts.wait import PATIENCE_S

URL = "https://shop.example/loopwire"


@pytest.fixture
def limits() -> Limits:
    """Return the limits of the operator; a test may set others."""
    return Limits()


@pytest_asyncio.fixture(loop_scope="module")
async def store(shared_database: Database, limits: Limits) -> AsyncIterator[Store]:
    """Yield an open store of which two apps want to be told: `demo` everything, `some` what is deleted."""
    apps = {
        "demo": App(webhook_url=URL),
        "some": App(webhook_url=URL, webhook_events=("session.deleted",)),
        "none": App(),
    }
    store = store_on(shared_database, apps=apps, limits=limits)
    yield store
    await empty(store)


async def told(store: Store, session_id: str) -> list[str]:
    """Return the types of a conversation's events."""
    return [each[0] for each in await store.webhooks.states(session_id)]


async def claimed(store: Store, lease_s: float = 30) -> Callback:
    event = await store.webhooks.claim("me", lease_s)
    assert event is not None
    return event


def lost_events() -> float:
    """Return how many events this process has dropped."""
    return REGISTRY.get_sample_value("loopwire_webhooks_lost_total") or 0.0


def data_of(event: Callback) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(event.body)["data"]
    return data


async def test_the_events_of_a_conversation_are_written_in_its_order(store: Store, talks: Talks) -> None:
    talk = await talks("vis_1")
    await store.operator_accounts.add("Ana", {"demo": "agent"}, "hash")
    await talk.turn("olá", status_line="waiting")
    await talk.turn("e", status_line="waiting")
    assert await store.sessions.call_person(talk.session.id)
    assert await store.sessions.call_person(talk.session.id)
    for kind in ("join", "join", "say", "whisper", "leave"):
        await does(talk, OperatorChange(kind, "opr_a", "Ana"), f"{kind}-1")
    await store.hand_overs.hand_over("demo", "vis_1", "usr_1")
    await store.sessions.delete(talk.session.id, "usr_1")
    types = [
        "session.created",
        "session.changed",
        "session.person_called",
        "session.operator_joined",
        "session.operator_left",
        "session.identified",
        "session.deleted",
    ]
    assert await told(store, talk.session.id) == types
    found = []
    for _ in types:
        event = await claimed(store)
        assert (event.url, event.app, event.session_id) == (URL, "demo", talk.session.id)
        assert await store.webhooks.claim("another", 30) is None, "the others wait for it"
        found.append(data_of(event))
        await store.webhooks.note_delivered(event, 204)
    assert found[0] == {
        "session_id": talk.session.id,
        "service": "submission",
        "language": "pt",
        "identified": False,
    }
    assert (found[1]["status"], found[3]["operator"]) == ("waiting", "Ana")


async def test_an_item_is_told_once_and_each_change_of_it(store: Store, talk: Talk) -> None:
    core = await EmbeddedCore.open(store.database, store.webhooks)
    made = {"principal": "ana", "session_id": talk.session.id, "business_key": "k", **an_order()}
    item = await core.create_item(**made)
    await core.create_item(**made)
    await core.ask_price(item.id, "ana", 28_000)
    await core.withdraw_item(item.id, "ana")
    assert (await told(store, talk.session.id))[1:] == ["item.created", "item.changed", "item.changed"]
    events = []
    for _ in range(4):
        event = await claimed(store)
        events.append(data_of(event))
        await store.webhooks.note_delivered(event, 204)
    assert events[1]["reference"] == item.reference
    assert [each["status"] for each in events[1:]] == ["draft", "draft", "withdrawn"]
    assert events[2]["asking_price"] == {"cents": 28_000, "currency": "EUR"}


async def test_an_app_gets_the_events_that_it_names(store: Store, talks: Talks) -> None:
    some, none = await talks(app="some"), await talks(app="none")
    for each in (some, none):
        await each.turn("olá", status_line="waiting")
        await store.sessions.delete(each.session.id, "ana")
    assert await told(store, some.session.id) == ["session.deleted"]
    assert await told(store, none.session.id) == []


async def test_a_failed_event_delays_its_own_conversation_alone(store: Store, talks: Talks) -> None:
    first, second = await talks(), await talks()
    await store.sessions.delete(first.session.id, "ana")
    event = await claimed(store)
    await store.webhooks.note_failed(event, 500, 3600)
    other = await claimed(store)
    assert (event.session_id, other.session_id) == (first.session.id, second.session.id)
    assert await store.webhooks.claim("me", 30) is None
    await store.webhooks.note_delivered(other, 200)
    assert [each.status for each in await store.webhooks.list_states("waiting", 9)] == ["waiting"] * 2


async def test_an_event_that_is_given_up_lets_the_next_one_be_claimed(store: Store, talk: Talk) -> None:
    await store.sessions.delete(talk.session.id, "ana")
    event = await claimed(store, lease_s=-1)
    again = await claimed(store)
    assert (again.id, again.attempt) == (event.id, 2)
    await store.webhooks.note_failed(event, 500, None)
    await store.webhooks.forget_address(again)
    await store.webhooks.note_failed(await claimed(store), None, None)
    states = await store.webhooks.states(talk.session.id)
    assert [each[1:] for each in states] == [("gone", 2, 410), ("failed", 1, None)]
    assert len(await store.webhooks.replay(None)) == 1
    assert (await claimed(store)).attempt == 1


async def test_at_most_four_events_of_an_app_are_claimed_at_once(store: Store, talks: Talks) -> None:
    for _ in range(6):
        await talks()
    events = [await claimed(store) for _ in range(4)]
    assert await store.webhooks.claim("another", 30) is None
    other = await talks(app="some")
    await store.sessions.delete(other.session.id, "ana")
    assert (await claimed(store)).app == "some"
    await store.webhooks.release(events[0])
    assert (await claimed(store)).id == events[0].id


async def test_an_app_with_many_events_does_not_hold_up_another(store: Store, talks: Talks) -> None:
    for _ in range(5):
        await talks()
    for _ in range(2):
        await store.sessions.delete((await talks(app="some")).session.id, "ana")
    apps = []
    for _ in range(7):
        event = await claimed(store)
        apps.append(event.app)
        await store.webhooks.note_failed(event, 500, 3600)
    assert apps == ["demo", "some", "demo", "some", "demo", "demo", "demo"]
    assert await store.webhooks.claim("me", 30) is None


@pytest.mark.parametrize("limits", [Limits(waiting_events_per_app=2, event_posts_per_app=1)])
async def test_a_bounded_number_of_events_waits_for_an_app(
    store: Store, talks: Talks, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        await store.sessions.delete((await talks(app="some")).session.id, "ana")
    assert await store.webhooks.claim("me", 30) is not None, "what waits of another app counts for itself"
    before = lost_events()
    sessions = [(await talks()).session.id for _ in range(4)]
    assert [await told(store, each) for each in sessions] == [["session.created"]] * 2 + [[]] * 2
    assert lost_events() - before == 2
    (lost,) = (each for each in caplog.records if "are lost" in each.message)
    assert (lost.name, lost.levelname, lost.args) == ("server.store.webhooks", "WARNING", ("demo", 2))
    event = await claimed(store)
    assert await store.webhooks.claim("another", 30) is None, "one post at once is what the operator set"
    await store.webhooks.note_delivered(event, 200)
    assert await told(store, (await talks()).session.id) == ["session.created"]
    assert await told(store, (await talks()).session.id) == []
    assert len([each for each in caplog.records if "are lost" in each.message]) == 2, "it is full again"


async def test_events_of_an_app_without_a_receiver_are_given_up_after_an_hour(
    store: Store, talk: Talk
) -> None:
    assert (await claimed(store, lease_s=-1)).attempt == 1
    without = store_on(store.database, apps={"some": App(webhook_url=URL)})
    assert await without.webhooks.claim("me", 30) is None
    await without.webhooks.sweep()
    assert await without.webhooks.states(talk.session.id) == [("session.created", "waiting", 1, None)]
    await without.database.execute(webhooks.update().values(due_at=webhooks.c.due_at - 3_601_000), {})
    await without.webhooks.sweep()
    assert await without.webhooks.states(talk.session.id) == [("session.created", "failed", 1, None)]
    asked = select(webhooks.c.owner, webhooks.c.lease_until, now_ms() - webhooks.c.settled_at)
    ((owner, until, ago),) = [tuple(row) for row in await without.database.fetch(asked)]
    assert (owner, until) == (None, None)
    assert 0 <= ago < PATIENCE_S * 1000


async def test_the_event_of_a_new_session_has_its_type_its_time_and_its_user(
    store: Store, talks: Talks
) -> None:
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    talk = await talks("usr_1", alias="cart-7")
    event = await claimed(store)
    body = json.loads(event.body)
    assert len(body["timestamp"]) == len("2026-01-01T00:00:00.000Z")
    assert body["timestamp"].endswith("Z")
    assert before <= datetime.fromisoformat(body["timestamp"]) <= datetime.now(UTC)
    assert (event.id[:4], event.run_id, body["type"]) == ("evt_", "", "session.created")
    assert data_of(event)["identified"]
    for alias in (None, "cart-8"):
        request = await talks(alias=alias, request=True)
        assert await told(store, request.session.id) == []
    assert await told(store, talk.session.id) == ["session.created"]


async def test_an_outbox_knows_which_apps_want_what(store: Store) -> None:
    hooks = store.webhooks
    assert hooks.has_receivers
    wanted = [hooks.wants(app, "session.changed") for app in ("demo", "some", "none", "unknown")]
    assert wanted == [True, False, False, False]
    assert hooks.wants("some", "session.deleted")
    assert hooks.wanted_by_any("session.changed")
    for app, wants in ((App(webhook_url=URL, webhook_events=("session.deleted",)), True), (App(), False)):
        other = store_on(store.database, apps={"a": app})
        assert other.webhooks.has_receivers is wants
        assert not other.webhooks.wanted_by_any("session.changed")
        assert other.webhooks.wanted_by_any("session.deleted") is wants


async def test_events_of_one_moment_are_claimed_in_the_order_of_their_numbers(
    store: Store, talks: Talks
) -> None:
    ids = [(await talks()).session.id for _ in range(4)]
    for id in reversed(ids):
        moment = webhooks.update().where(webhooks.c.session_id == id).values(due_at=1)
        await store.database.execute(moment, {})
    assert [(await claimed(store)).session_id for _ in ids] == ids


async def test_apps_take_turns_anew_once_nothing_was_due(store: Store, talks: Talks) -> None:
    await talks()
    await store.webhooks.note_delivered(await claimed(store), 200)
    assert await store.webhooks.claim("me", 30) is None
    await talks()
    await store.sessions.delete((await talks(app="some")).session.id, "ana")
    assert [(await claimed(store)).app for _ in range(2)] == ["demo", "some"]


async def test_events_behind_a_delayed_event_are_due_no_earlier(store: Store, talks: Talks) -> None:
    talk, other = await talks(), await talks()
    for each in (talk, other):
        await store.sessions.delete(each.session.id, "ana")
    stale = await claimed(store, lease_s=-1)
    event = await claimed(store)
    assert event.id == stale.id
    await store.webhooks.note_failed(stale, 500, 7_000_000)
    await store.webhooks.note_failed(event, 500, 1_000_000)
    asked = select(webhooks.c.session_id, webhooks.c.due_at - now_ms()).order_by(webhooks.c.number)
    rows = [tuple(row) for row in await store.database.fetch(asked)]
    assert [id for id, wait in rows if wait > 0] == [talk.session.id] * 2
    waits = {wait for id, wait in rows if id == talk.session.id}
    assert len(waits) == 1
    assert 0 <= 1_000_000_000 - waits.pop() < PATIENCE_S * 1000


async def test_a_status_is_told_of_a_conversation_and_not_of_a_request(store: Store, talks: Talks) -> None:
    conversation, request = await talks(), await talks()
    await conversation.turn("olá", status_line="failed", response=[{"text": "posted"}])
    await request.turn("olá", status_line="failed", request=True)
    assert await told(store, conversation.session.id) == ["session.created", "session.changed"]
    assert await told(store, request.session.id) == ["session.created"]
