"""Pushes over both databases: subscriptions are bounded and end with their visitor, and a message waits for each."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import update

from server.errors import Unauthorized
from server.store import Callback, OperatorChange, Store
from server.store.pushes.tables import pushes
from server.store.shares import FullShares
from tests.contract.store.conftest import Talk, Talks
from tests.contract.store.test_operators import JOIN, SAY, does
from tests.parts.subscriptions import endpoints_of
from tests.parts.wait import PATIENCE_S

PHONE, LAPTOP = "https://push.example/phone", "https://push.example/laptop"
TABLET, WATCH = "https://Push.Example:444/tablet", "https://other.example?watch"
KEYS = "point", "secret"


async def subscribed(store: Store, *endpoints: str, principal: str = "ana", app: str = "demo") -> None:
    for each in endpoints:
        await store.push_subscriptions.put(app, principal, each, *KEYS)


async def claimed(store: Store, lease_s: float = 30) -> Callback:
    push = await store.pushes.claim("me", lease_s)
    assert push is not None
    return push


async def states(talk: Talk) -> list[str]:
    return [each[1] for each in await talk.store.pushes.states(talk.session.id)]


async def aged(store: Store, ms: int) -> None:
    """Let all pushes be older by so many milliseconds."""
    older = {each: pushes.c[each] - ms for each in ("created_at", "due_at")}
    await store.database.run_write(lambda connection: connection.execute(update(pushes).values(**older)))


async def test_a_message_of_an_operator_waits_for_each_browser_of_its_visitor(
    store: Store, talk: Talk
) -> None:
    await subscribed(store, PHONE, LAPTOP)
    await subscribed(store, "https://push.example/rui", principal="rui")
    await subscribed(store, "https://push.example/shop", app="shop")
    sent = await does(talk, SAY, "say-1")
    assert (await does(talk, SAY, "say-1")).dup
    found = {}
    for _ in range(2):
        push = await claimed(store)
        recipient = await store.pushes.recipient(push)
        assert recipient is not None
        assert (recipient.principal, recipient.p256dh, recipient.auth) == ("ana", *KEYS)
        found[recipient.endpoint] = json.loads(push.body)
    about = {"message": sent.message_id, "language": "pt", "name": "Ana"}
    assert found == {PHONE: about, LAPTOP: about}
    assert await store.pushes.claim("another", 30) is None


async def test_joins_whispers_and_messages_of_a_visitor_are_not_pushed(store: Store, talk: Talk) -> None:
    await subscribed(store, PHONE)
    await does(talk, JOIN, "join-1")
    await store.runs.submit(
        session_id=talk.session.id,
        principal="ana",
        client_id="whisper-1",
        content=[{"type": "text", "text": "nota"}],
        language="pt",
        operator=OperatorChange("whisper", "key_a", "Ana"),
    )
    await talk.say("olá")
    assert await states(talk) == []


async def test_a_newer_message_replaces_what_waits_and_leaves_what_is_being_sent(
    store: Store, talks: Talks
) -> None:
    talk, other = await talks(), await talks()
    await subscribed(store, PHONE)
    await does(other, SAY, "say-0")
    for place in (1, 2):
        await does(talk, SAY, f"say-{place}")
    assert (await states(talk), await states(other)) == (["waiting"], ["waiting"])
    held = [await claimed(store), await claimed(store)]
    last = await does(talk, SAY, "say-3")
    assert await states(talk) == ["waiting", "waiting"]
    for each in held:
        await store.pushes.note_delivered(each, 201)
    assert json.loads((await claimed(store)).body)["message"] == last.message_id


async def test_a_push_whose_sender_went_silent_is_claimed_again_and_its_late_answer_ignored(
    store: Store, talk: Talk
) -> None:
    await subscribed(store, PHONE)
    await does(talk, SAY, "say-1")
    dead = await claimed(store, lease_s=-1)
    again = await claimed(store)
    assert (again.id, again.attempt) == (dead.id, 2)
    await store.pushes.note_failed(dead, 500, None)
    await store.pushes.forget_address(dead)
    assert await states(talk) == ["waiting"]
    await store.pushes.note_needless(again)
    assert await states(talk) == ["gone"]


async def test_a_failed_push_is_given_up_and_replayed_on_demand(store: Store, talk: Talk) -> None:
    await subscribed(store, PHONE)
    await does(talk, SAY, "say-1")
    await store.pushes.note_failed(await claimed(store), 503, 3600)
    assert await store.pushes.claim("me", 30) is None
    await aged(store, 3_600_001)
    await store.pushes.note_failed(await claimed(store), 503, None)
    assert [each.status for each in await store.pushes.list_states("failed", 9)] == ["failed"]
    assert len(await store.pushes.replay(None)) == 1
    assert (await claimed(store)).attempt == 1


async def test_the_backlog_gauges_count_waiting_overdue_and_failed_pushes(store: Store, talk: Talk) -> None:
    async def counted() -> list[float]:
        gauges = await store.backlog.read()
        return [gauges[f"loopwire_pushes_{each}"] for each in ("waiting", "overdue_seconds", "failed")]

    assert await counted() == [0, 0, 0]
    await subscribed(store, PHONE, LAPTOP)
    await does(talk, SAY, "say-1")
    await aged(store, 5000)
    waiting, overdue, failed = await counted()
    assert (waiting, failed) == (2, 0)
    assert 5 <= overdue < 5 + PATIENCE_S
    await store.pushes.note_failed(await claimed(store), 503, None)
    waiting, _, failed = await counted()
    assert (waiting, failed) == (1, 1)


async def test_a_push_that_has_waited_for_a_day_is_given_up(store: Store, talk: Talk) -> None:
    await subscribed(store, PHONE)
    await does(talk, SAY, "say-1")
    await store.pushes.sweep()
    assert await states(talk) == ["waiting"]
    await aged(store, 23 * 3_600_000)
    await store.pushes.sweep()
    assert await states(talk) == ["waiting"]
    await aged(store, 3_600_001)
    await store.pushes.sweep()
    assert await states(talk) == ["failed"]


async def test_an_address_that_is_gone_is_removed_with_all_that_waits_for_it(
    store: Store, talks: Talks
) -> None:
    talk, other = await talks(), await talks()
    await subscribed(store, PHONE, LAPTOP)
    await does(talk, SAY, "say-1")
    await does(other, SAY, "say-1")
    push = await claimed(store)
    recipient = await store.pushes.recipient(push)
    assert recipient is not None
    await store.pushes.forget_address(push)
    left = [each for each in (PHONE, LAPTOP) if each != recipient.endpoint]
    assert await endpoints_of(store, "demo", "ana") == left
    assert (await states(talk), await states(other)) == (["waiting"], ["waiting"])
    assert await store.pushes.recipient(push) is None


async def test_the_oldest_subscription_goes_for_a_new_one(store: Store) -> None:
    names = [f"https://push.example/{place}" for place in range(13)]
    await subscribed(store, *names, names[-1])
    kept = await endpoints_of(store, "demo", "ana")
    assert len(kept) == 10
    assert names[-1] in kept


async def test_a_browser_that_changes_hands_gets_nothing_of_its_former_visitor(
    store: Store, talk: Talk
) -> None:
    await subscribed(store, PHONE)
    await does(talk, SAY, "say-1")
    await subscribed(store, PHONE, principal="rui")
    assert await endpoints_of(store, "demo", "ana") == []
    assert await endpoints_of(store, "demo", "rui") == [PHONE]
    assert await states(talk) == []


async def test_a_visitor_ends_its_own_subscriptions_alone(store: Store) -> None:
    await subscribed(store, PHONE, LAPTOP)
    await store.push_subscriptions.remove("demo", "rui", PHONE)
    assert len(await endpoints_of(store, "demo", "ana")) == 2
    await store.push_subscriptions.remove("demo", "ana", PHONE)
    assert await endpoints_of(store, "demo", "ana") == [LAPTOP]


async def test_a_visitor_who_left_has_no_subscription_and_gets_none(store: Store) -> None:
    await subscribed(store, PHONE)
    await subscribed(store, LAPTOP, principal="rui")
    await store.revocations.revoke("ana")
    await store.push_subscriptions.remove_all("ana")
    with pytest.raises(Unauthorized):
        await subscribed(store, PHONE)
    assert await endpoints_of(store, "demo", "ana") == []
    assert await endpoints_of(store, "demo", "rui") == [LAPTOP]


async def test_a_deleted_conversation_pushes_nothing(store: Store, talk: Talk) -> None:
    await subscribed(store, PHONE)
    await does(talk, SAY, "say-1")
    await store.sessions.delete(talk.session.id, "ana")
    assert await store.pushes.claim("me", 30) is None


async def test_subscriptions_follow_a_visitor_who_becomes_a_user(store: Store, talks: Talks) -> None:
    talk = await talks("vis_1")
    await subscribed(store, PHONE, principal="vis_1")
    await subscribed(store, LAPTOP, principal="vis_1", app="shop")
    await does(talk, SAY, "say-1")
    await store.hand_overs.hand_over("demo", "vis_1", "usr_1")
    assert await endpoints_of(store, "demo", "usr_1") == [PHONE]
    assert await endpoints_of(store, "shop", "vis_1") == [LAPTOP]
    recipient = await store.pushes.recipient(await claimed(store))
    assert recipient is not None
    assert recipient.principal == "usr_1"


@pytest.mark.parametrize(
    ("full", "wanted"),
    [
        (FullShares(), {PHONE, TABLET, WATCH}),
        (FullShares(receivers=frozenset({"demo push.example", "demo other.example"})), {TABLET}),
        (FullShares(receivers=frozenset({"shop push.example", "demo push.example:444"})), {PHONE, WATCH}),
        (FullShares(orderers=frozenset({"ana"})), set()),
        (FullShares(orderers=frozenset({"rui"}), strangers=True), {PHONE, TABLET, WATCH}),
    ],
)
async def test_no_push_is_claimed_for_those_who_have_their_share(
    store: Store, talk: Talk, full: FullShares, wanted: set[str]
) -> None:
    await subscribed(store, PHONE, TABLET, WATCH)
    await does(talk, SAY, "say-1")
    found = set()
    while (push := await store.pushes.claim("me", 30, full)) is not None:
        assert push.orderer == "ana"
        found.add(push.url)
    assert found == wanted
