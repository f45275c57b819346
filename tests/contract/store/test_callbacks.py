"""The outbox of callbacks on each kind of database: written with the end, claimed by one, settled under its attempt."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from sqlalchemy import update

from server.store import Callback, Store
from server.store.engine.database import Database
from server.store.shares import FullShares, receiver_of
from server.store.tables import callbacks
from tests.contract.store.conftest import Talk

URL = "https://shop.example/hook"


async def session_after_a_run(store: Store, url: str | None = URL, principal: str = "vis_1") -> Talk:
    """Return a session whose first run has ended."""
    session = await store.sessions.create(
        app="demo", principal=principal, service="chat", language="pt", callback_url=url
    )
    talk = Talk(store, session)
    await talk.say("olá")
    await talk.finish(await talk.claim(), "Olá!", state={"draft": 1, "_secret": 2})
    return talk


async def claimed(store: Store, lease_s: float = 30) -> Callback:
    callback = await store.callbacks.claim("me", lease_s)
    assert callback is not None
    return callback


async def test_the_end_of_a_run_writes_what_is_to_be_posted(store: Store) -> None:
    talk = await session_after_a_run(store)
    callback = await claimed(store)
    told = json.loads(callback.body)
    assert (callback.url, callback.app, callback.attempt) == (URL, "demo", 1)
    assert told["type"] == "run.finished"
    data = told["data"]
    assert (data["session_id"], data["outcome"], data["code"]) == (talk.session.id, "success", None)
    assert data["state"] == {"draft": 1}
    assert [each["content"] for each in data["messages"]] == ["olá", "Olá!"]


async def test_a_session_without_a_callback_url_writes_no_callback(store: Store) -> None:
    await session_after_a_run(store, url=None)
    assert await store.callbacks.claim("me", 30) is None


async def test_one_of_fifty_racing_senders_claims_a_callback(store: Store) -> None:
    await session_after_a_run(store)
    claims = await asyncio.gather(*(store.callbacks.claim(f"s{each}", 30) for each in range(50)))
    assert len([each for each in claims if each is not None]) == 1


async def test_after_a_claim_that_found_one_the_next_begins_its_transaction_at_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        await session_after_a_run(store)
    looks, fetch = [0], Database.fetch

    async def fetch_counted(self: Database, *given: Any) -> Any:
        looks[-1] += 1
        return await fetch(self, *given)

    monkeypatch.setattr(Database, "fetch", fetch_counted)
    found = []
    for _ in range(5):
        found.append(await store.callbacks.claim("me", 30) is not None)
        looks.append(0)
    assert found == [True, True, False, False, False]
    assert looks[:-1] == [1, 0, 0, 1, 1]


async def test_a_late_report_of_a_sender_that_was_followed_is_ignored(store: Store) -> None:
    talk = await session_after_a_run(store)
    first = await claimed(store, lease_s=-1)
    second = await claimed(store)
    assert (second.id, second.attempt) == (first.id, 2)
    await store.callbacks.note_failed(first, 500, None)
    await store.callbacks.note_delivered(second, 204)
    assert await store.callbacks.states(talk.session.id) == [(first.id, "delivered", 2, 204)]


async def test_a_failed_callback_is_due_later_or_given_up(store: Store) -> None:
    talk = await session_after_a_run(store)
    await store.callbacks.note_failed(await claimed(store), 500, 3600)
    assert await store.callbacks.claim("me", 30) is None
    talk = await session_after_a_run(store)
    await store.callbacks.note_failed(await claimed(store), 500, 0)
    await store.callbacks.note_failed(await claimed(store), None, None)
    assert [each[1:] for each in await store.callbacks.states(talk.session.id)] == [("failed", 2, None)]


async def test_a_released_callback_is_due_at_once_and_its_attempt_is_not_counted(store: Store) -> None:
    await session_after_a_run(store)
    first = await claimed(store)
    assert await store.callbacks.claim("another", 30) is None
    await store.callbacks.release(first)
    assert await claimed(store) == first


async def test_a_gone_receiver_loses_its_address_and_its_waiting_callbacks(store: Store) -> None:
    talk = await session_after_a_run(store)
    await talk.say("outra")
    await talk.finish(await talk.claim(), "Sim.")
    await store.callbacks.forget_address(await claimed(store))
    assert await store.callbacks.claim("me", 30) is None
    assert (await store.sessions.load(talk.session.id)).callback_url is None
    assert {each[1] for each in await store.callbacks.states(talk.session.id)} == {"gone"}


async def test_a_caller_that_comes_again_by_its_alias_may_change_the_address(store: Store) -> None:
    values = {"app": "demo", "principal": "vis_1", "service": "chat", "language": "pt", "alias": "order 7"}
    first = await store.sessions.create(**values, callback_url=URL)
    assert (await store.sessions.create(**values)).callback_url == URL
    other = await store.sessions.create(**values, callback_url=f"{URL}/2")
    assert (other.id, other.callback_url) == (first.id, f"{URL}/2")


async def test_the_sweep_removes_only_callbacks_that_were_settled_a_week_ago(store: Store) -> None:
    talks = [await session_after_a_run(store) for _ in range(3)]
    old, fresh = [await claimed(store) for _ in "ab"]
    for each in (old, fresh):
        await store.callbacks.note_delivered(each, 204)
    long_ago = {"due_at": 1, "settled_at": 1}
    async with store.database.write() as connection:
        await connection.execute(update(callbacks).where(callbacks.c.id == old.id).values(**long_ago))
        waiting = update(callbacks).where(callbacks.c.status == "waiting")
        await connection.execute(waiting.values(due_at=1))
    assert await store.callbacks.sweep() == 1
    assert await store.callbacks.sweep() == 0
    left = [state for talk in talks for state in await store.callbacks.states(talk.session.id)]
    assert sorted(each[1] for each in left) == ["delivered", "waiting"]
    assert old.id not in {each[0] for each in left}


async def test_nothing_is_claimed_for_the_receivers_that_are_full(store: Store) -> None:
    urls = (
        "https://slow.example/hook",
        "HTTPS://SLOW.example?hook",
        "https://slow.example",
        "https://slow.example#a/b",
        "https://slow.example:8443/",
        "https://slow.example.other/",
        "http://[2001:db8::1]/?https://slow.example/",
    )
    for url in urls:
        await session_after_a_run(store, url)
    full = FullShares(receivers=frozenset({"demo slow.example", "other slow.example.other"}))
    found = []
    while (callback := await store.callbacks.claim("me", 30, full)) is not None:
        found.append(callback.url)
        await store.callbacks.note_delivered(callback, 204)
    assert found == list(urls[4:])
    left = [await claimed(store) for _ in range(4)]
    assert [each.url for each in left] == list(urls[:4])
    assert {receiver_of(each) for each in left} == {"demo slow.example"}
    assert await store.callbacks.claim("me", 30) is None


async def test_a_callback_that_was_put_back_is_due_later_and_its_attempt_is_not_counted(store: Store) -> None:
    talk = await session_after_a_run(store)
    await store.callbacks.put_back(await claimed(store), 3600)
    assert await store.callbacks.claim("me", 30) is None
    assert [each[1:3] for each in await store.callbacks.states(talk.session.id)] == [("waiting", 0)]
    talk = await session_after_a_run(store)
    first = await claimed(store)
    await store.callbacks.put_back(first, 0)
    assert await claimed(store) == first


@pytest.mark.parametrize(
    ("full", "wanted"),
    [
        (FullShares(), ["vis_1", "api_1", "usr_1", "app_1"]),
        (FullShares(orderers=frozenset({"vis_1", "usr_1"})), ["api_1", "app_1"]),
        (FullShares(strangers=True), ["usr_1", "app_1"]),
        (FullShares(orderers=frozenset({"app_1"}), strangers=True), ["usr_1"]),
    ],
)
async def test_nothing_is_claimed_for_the_orderers_who_have_their_share(
    store: Store, full: FullShares, wanted: list[str]
) -> None:
    for each in ("vis_1", "api_1", "usr_1", "app_1"):
        await session_after_a_run(store, principal=each)
    found = []
    while (callback := await store.callbacks.claim("me", 30, full)) is not None:
        found.append(callback.orderer)
    assert found == wanted
