"""Events over a real store to a real receiver: verified by the Python client, in order, and around those that fail."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import loopwire
from server.apps import App
from server.callbacks import EventSender, Guard, Secrets, Sender
from server.limits import Limits
from server.store import Store
from tests.parts.receiver import Receiver, receiving
from tests.parts.wait import until_async

SECRET = f"whsec_{base64.b64encode(b'k' * 32).decode()}"
QUICK, DOWN = "quick", "down"


@asynccontextmanager
async def telling(
    database_url: str, folder: Path, addresses: dict[str, Receiver], poll_s: float = 0.05
) -> AsyncIterator[tuple[Store, Sender]]:
    """Yield a store whose apps have these receivers, and a sender that has not begun."""
    apps = {name: App(webhook_url=each.url, callback_secret=SECRET) for name, each in addresses.items()}
    store = await Store.open(database_url, data_dir=folder, apps=apps)
    guard = Guard([each.host for each in addresses.values()])
    sender = EventSender(
        store.webhooks, Secrets(apps, b""), guard, owner="one", schedule=(0.01, 0.01, 0.01), poll_s=poll_s
    )
    try:
        yield store, sender
    finally:
        await sender.aclose()
        await store.aclose()


async def begun_and_deleted(store: Store, app: str) -> str:
    """Return a conversation with two events."""
    values = {"app": app, "principal": "vis_1", "service": "chat", "language": "en"}
    session = await store.sessions.create(**values)
    await store.sessions.delete(session.id, "vis_1")
    return session.id


async def settled(store: Store, session: str) -> list[str]:
    """Return the states of a conversation's events, once none waits."""

    async def over() -> bool:
        return "waiting" not in [each[1] for each in await store.webhooks.states(session)]

    await until_async(over, what="the events to be settled")
    return [each[1] for each in await store.webhooks.states(session)]


@pytest.mark.once
async def test_the_python_client_takes_each_event_once_and_in_order(
    database_url: str, tmp_path: Path
) -> None:
    taken: list[loopwire.WebhookEvent] = []

    @loopwire.callback(SECRET)
    def told(event: loopwire.WebhookEvent) -> None:
        taken.append(event)

    async with (
        receiving(answers=[500, 500, 200]) as receiver,
        telling(database_url, tmp_path, {QUICK: receiver}) as (store, sender),
    ):
        session = await begun_and_deleted(store, QUICK)
        sender.start()
        assert await settled(store, session) == ["delivered", "delivered"]
        assert [told.take_sync(*each) for each in receiver.came] == [204] * 4
        assert told.take_sync(receiver.came[0][0], receiver.came[0][1] + b" ") == 400
    assert [each.type for each in taken] == ["session.created", "session.deleted"]
    assert [each.session_id for each in taken] == [session] * 2
    assert taken[0].data["identified"] is False
    assert (taken[0].id, len(set(receiver.ids))) == (receiver.ids[0], 2)


async def test_the_events_of_a_conversation_do_not_wait_for_the_next_look(
    database_url: str, tmp_path: Path
) -> None:
    async with (
        receiving() as receiver,
        telling(database_url, tmp_path, {QUICK: receiver}, poll_s=600) as (store, sender),
    ):
        session = await begun_and_deleted(store, QUICK)
        sender.start()
        assert await settled(store, session) == ["delivered", "delivered"]


@pytest.mark.once
async def test_a_receiver_that_always_fails_is_given_up(database_url: str, tmp_path: Path) -> None:
    async with (
        receiving(answers=[500]) as receiver,
        telling(database_url, tmp_path, {DOWN: receiver}) as (store, sender),
    ):
        session = await begun_and_deleted(store, DOWN)
        sender.start()
        assert await settled(store, session) == ["failed", "failed"]
    assert [receiver.ids.count(each) for each in dict.fromkeys(receiver.ids)] == [4, 4]


@pytest.mark.once
async def test_a_receiver_that_keeps_silent_delays_no_other_app(database_url: str, tmp_path: Path) -> None:
    async with (
        receiving(answers=[None]) as slow,
        receiving() as quick,
        telling(database_url, tmp_path, {DOWN: slow, QUICK: quick}) as (store, sender),
    ):
        for _ in range(3 * Limits().event_posts_per_app):
            await begun_and_deleted(store, DOWN)
        session = await begun_and_deleted(store, QUICK)
        sender.start()
        assert await settled(store, session) == ["delivered", "delivered"]
        assert 0 < len({*slow.ids}) <= Limits().event_posts_per_app


@pytest.mark.once
async def test_an_address_that_is_not_allowed_is_never_called(database_url: str, tmp_path: Path) -> None:
    async with (
        receiving() as receiver,
        telling(database_url, tmp_path, {QUICK: receiver}) as (store, _),
    ):
        apps = {QUICK: App(callback_secret=SECRET)}
        strict = EventSender(
            store.webhooks, Secrets(apps, b""), Guard(), owner="two", schedule=(0.01,), poll_s=0.05
        )
        session = await begun_and_deleted(store, QUICK)
        strict.start()
        try:
            assert await settled(store, session) == ["failed", "failed"]
        finally:
            await strict.aclose()
    assert receiver.came == []
