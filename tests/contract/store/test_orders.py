"""Lists over both databases: each in its order, whatever order the rows are stored in, and no longer than asked for."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select, update

from server.errors import NotFound
from server.store import OperatorChange, Store
from server.store.pushes.tables import push_subscriptions, pushes
from server.store.tables import blobs, messages, operator_actions, sessions
from tests.contract.store.conftest import Talk, Talks
from tests.contract.store.test_blobs import put_image
from tests.contract.store.test_inbox import account, lines
from tests.contract.store.test_interrupts import asks, waits
from tests.contract.store.test_operators import JOIN, SAY, does
from tests.parts.subscriptions import endpoints_of

AT = 1_700_000_000_000


async def put(store: Store, table: Any, id: str, **values: Any) -> None:
    """Set columns of one row."""
    await store.database.execute(update(table).where(table.c.id == id).values(**values), {})


async def said(talks: Talks, *changed_at: int, **more: Any) -> list[str]:
    """Return the ids of conversations with a message each, which last changed at these times."""
    ids = []
    for number, at in enumerate(changed_at):
        talk = await talks(f"vis_{number}", **more)
        await talk.turn("olá")
        await put(talk.store, sessions, talk.session.id, updated_at=AT + at)
        ids.append(talk.session.id)
    return ids


async def test_the_pages_of_an_apps_conversations_go_back_by_their_change_and_their_id(
    store: Store, talks: Talks
) -> None:
    ids = await said(talks, 3, 1, 2, 1, 1, 9)
    order = [ids[5], ids[0], ids[2], *sorted((ids[1], ids[3], ids[4]), reverse=True)]
    seen: list[str] = []
    cursor = None
    while page := await store.app_sessions.list_newest("demo", 2, before=cursor):
        assert len(page) == 2
        seen += [each.id for each in page]
        cursor = page[-1].cursor
    assert seen == order
    with pytest.raises(NotFound) as refused:
        await store.app_sessions.list_newest("demo", 2, before=f"{AT}-{ids[0]}!")
    assert refused.value.message == "There is no such page."
    listed = await lines(store, await account(store))
    assert [each.id for each in listed] == order


async def test_a_conversation_with_an_operator_waits_for_none_in_the_inbox(
    store: Store, talks: Talks
) -> None:
    new, joined, called = await said(talks, 3, 2, 1)
    await does(Talk(store, await store.sessions.load(joined)), JOIN, "j")
    for id in (joined, called):
        await put(store, sessions, id, person_called_at=5)
    await put(store, sessions, joined, updated_at=AT + 2)
    listed = await lines(store, await account(store))
    assert [each.id for each in listed] == [called, new, joined]


async def test_a_line_of_the_inbox_is_unread_by_itself_and_says_that_it_waits(talks: Talks) -> None:
    talk, other = await talks("vis_1"), await talks("vis_2")
    for each in (talk, other):
        await each.turn("olá", "k", last_seq=1)
    store, reader = talk.store, await account(talk.store)
    await store.inbox.mark_read(reader.id, talk.session.id)
    shown = {each.id: each for each in await lines(store, reader)}
    assert len(shown) == len(await lines(store, reader)) == 2
    assert (shown[talk.session.id].unread, shown[other.session.id].unread) == (False, True)
    assert shown[talk.session.id].last == "k"
    await asks(talk, waits("a"))
    assert {each.id: each.status for each in await lines(store, reader)} == {
        talk.session.id: "waits",
        other.session.id: "idle",
    }


async def test_the_newest_change_is_that_of_the_apps_own_conversations(store: Store, talks: Talks) -> None:
    await said(talks, 3, 7, 5)
    await said(talks, 9, app="other")
    assert await store.inbox.newest_changes(["demo"]) == {"demo": AT + 7}
    assert await store.inbox.newest_changes(["demo", "other"]) == {"demo": AT + 7, "other": AT + 9}


async def test_actions_of_operators_are_listed_newest_first(store: Store) -> None:
    for action in ("a", "b", "c"):
        await store.operator_actions.record(app="demo", key_id="key_a", session_id=None, action=action)
    rows = {each.action: each.id for each in await store.operator_actions.list_newest(9)}
    assert all(each.startswith("act_") for each in rows.values())
    for action, at in (("a", 3), ("b", 1), ("c", 3)):
        await put(store, operator_actions, rows[action], at=AT + at)
    newest = sorted((rows["a"], rows["c"]), reverse=True)
    assert [each.id for each in await store.operator_actions.list_newest(9)] == [*newest, rows["b"]]
    assert [each.id for each in await store.operator_actions.list_newest(1)] == newest[:1]


async def test_an_action_of_an_operator_is_kept_for_364_days(store: Store) -> None:
    await store.operator_actions.record(app="demo", key_id="key_a", session_id=None, action="list")
    older = update(operator_actions).values(at=operator_actions.c.at - 364 * 86_400_000)
    await store.database.execute(older, {})
    assert await store.operator_actions.sweep() == 0


async def test_operators_are_listed_by_their_names(store: Store) -> None:
    for name in ("rui", "Ana", "eva"):
        await account(store, name)
    assert [each.name for each in await store.operator_accounts.list_all()] == ["Ana", "eva", "rui"]


async def test_pictures_of_messages_are_in_the_order_of_their_upload(talk: Talk) -> None:
    ids = [await put_image(talk, each) for each in (b"1", b"2", b"3")]
    await talk.store.blobs.keep_images(ids, session_id=talk.session.id, principal="ana")
    for id, at in zip(ids, (2, 1, 2), strict=True):
        await put(talk.store, blobs, id, created_at=AT + at)
    found = [each.id for each in await talk.store.blobs.of_messages(talk.session.id, "ana")]
    assert found == [ids[1], *sorted((ids[0], ids[2]))]


async def test_messages_of_a_run_keep_their_order_when_one_is_replaced(talk: Talk) -> None:
    first = await talk.turn("a", "b", "c")
    (run,) = await talk.store.database.fetch(select(messages.c.run_id).limit(1))
    await talk.say("d")
    await talk.finish(await talk.claim(), messages=[{**first[0], "content": "A"}])
    texts = [each["content"] for each in await talk.store.messages.of_run(run.run_id)]
    assert texts == ["A", "b", "c"]


async def test_versions_are_in_the_order_in_which_they_were_written(talk: Talk) -> None:
    first = (await talk.turn("a"))[0]["id"]
    ids = [first]
    for text in ("b", "c"):
        await talk.say(text, branch={"version_of": first})
        claim = await talk.claim()
        ids.append((await talk.finish(claim, f"re: {text}", parent=""))[0]["id"])
    for id, at in zip(ids, (2, 1, 2), strict=True):
        await put(talk.store, messages, id, created_at=AT + at)
    found = await talk.store.versions.find_branch(talk.session.id, {"version_of": first})
    assert found is not None
    assert found.versions == [ids[1], *sorted((ids[0], ids[2]))]


async def test_a_switch_finds_the_end_though_a_message_above_it_was_replaced(talk: Talk) -> None:
    first = await talk.turn("a")
    await talk.say("b")
    last = await talk.finish(
        await talk.claim(), messages=[{**first[1], "content": "!"}, {"id": "b", "role": "user"}]
    )
    find = talk.store.versions.find_branch
    back = await find(talk.session.id, {"switch_to": first[0]["id"]})
    assert back is not None
    assert back.parent == last[-1]["id"] == "b"
    end = await find(talk.session.id, {"switch_to": "b"})
    assert end is not None
    assert end.parent == "b", "nothing is below it"


async def test_pushes_are_told_oldest_first_and_browsers_in_the_order_of_their_subscription(
    store: Store, talk: Talk
) -> None:
    ends = [f"https://push.example/{place}" for place in range(3)]
    for each in ends:
        await store.push_subscriptions.put("demo", "ana", each, "point", "secret")
    rows = await store.database.fetch(select(push_subscriptions.c.id, push_subscriptions.c.endpoint))
    ids = {row.endpoint: row.id for row in rows}
    assert all(each.startswith("sub_") for each in ids.values())
    for end, at in zip(ends, (3, 1, 3), strict=True):
        await put(store, push_subscriptions, ids[end], created_at=AT + at)
    late = sorted((ends[0], ends[2]), key=ids.__getitem__)
    assert await endpoints_of(store, "demo", "ana") == [ends[1], *late]
    await does(talk, SAY, "s")
    waiting = [each[0] for each in await store.pushes.states(talk.session.id)]
    assert all(each.startswith("psh_") for each in waiting)
    for id, at in zip(waiting, (5, 4, 5), strict=True):
        await put(store, pushes, id, created_at=AT + at)
    found = [each[0] for each in await store.pushes.states(talk.session.id)]
    assert found == [waiting[1], *sorted((waiting[0], waiting[2]))]


async def test_the_oldest_browser_goes_for_a_new_one_and_the_new_one_never(store: Store) -> None:
    async def subscribe(place: int) -> list[str]:
        await store.push_subscriptions.put("demo", "ana", f"https://push.example/{place}", "point", "secret")
        kept = await endpoints_of(store, "demo", "ana")
        return [each.rpartition("/")[2] for each in kept]

    async def age(ms: int) -> None:
        older = push_subscriptions.c.created_at - ms
        await store.database.execute(update(push_subscriptions).values(created_at=older), {})

    for place in range(10):
        await subscribe(place)
        await age(1000)
    assert await subscribe(0) == [str(place) for place in (*range(1, 10), 0)], "it has subscribed again"
    await age(1000)
    assert await subscribe(10) == [str(place) for place in (*range(2, 10), 0, 10)]
    await age(-1_000_000_000)
    assert (await subscribe(11))[0] == "11", "clocks may differ"


async def test_a_browser_that_goes_over_to_another_app_gets_nothing_of_the_former(
    store: Store, talk: Talk
) -> None:
    for app in ("demo", "demo", "shop"):
        await store.push_subscriptions.put(app, "ana", "https://push.example/a", "point", "secret")
        if app == "demo":
            await does(talk, SAY, "s")
            assert len(await store.pushes.states(talk.session.id)) == 1
    assert await store.pushes.states(talk.session.id) == []
    assert await endpoints_of(store, "shop", "ana") == ["https://push.example/a"]


async def test_a_push_of_a_conversation_that_is_anothers_by_now_has_no_recipient(
    store: Store, talk: Talk
) -> None:
    await store.push_subscriptions.put("demo", "ana", "https://push.example/a", "point", "secret")
    await does(talk, SAY, "s")
    push = await store.pushes.claim("me", 30)
    assert push is not None
    assert (push.app, push.session_id, push.run_id) == ("demo", talk.session.id, "")
    assert (push.url, push.orderer) == ("https://push.example/a", "ana")
    assert await store.pushes.recipient(push) is not None
    await put(store, sessions, talk.session.id, principal="rui")
    assert await store.pushes.recipient(push) is None


def test_an_operator_s_words_count_in_the_limits_and_its_joining_does_not() -> None:
    kinds = ("say", "whisper", "join", "leave")
    assert [OperatorChange(each, "key_a", None).has_words for each in kinds] == [True, True, False, False]
