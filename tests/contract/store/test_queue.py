"""The queue of inputs: exactly once, in order, and bounded."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import Any

import pytest
from sqlalchemy import select, update

from server.errors import Busy, IdReused, NotFound
from server.protocol.content_parts import INPUT
from server.store import Claimant, Store, Submitted
from server.store.engine.clock import now_ms
from server.store.tables import runs, sessions
from tests.contract.store.conftest import Talk, Talks
from tests.parts.wait import PATIENCE_S


async def test_fifty_racing_duplicates_become_one_run(talk: Talk) -> None:
    answers = await asyncio.gather(*(talk.say("olá", client_id="c1") for _ in range(50)))

    assert Counter(answer.dup for answer in answers) == {False: 1, True: 49}
    assert len({(answer.run_id, answer.message_id) for answer in answers}) == 1
    assert [queued.client_id for queued in await talk.store.runs.queue(talk.session.id)] == ["c1"]


async def test_the_same_id_with_another_body_is_refused_and_the_first_kept(talk: Talk) -> None:
    first = await talk.say("olá", client_id="c1")
    with pytest.raises(IdReused):
        await talk.say("adeus", client_id="c1")

    assert (await talk.store.runs.get(first.run_id)).content == [{"type": "text", "text": "olá"}]
    assert len(await talk.store.runs.queue(talk.session.id)) == 1


async def test_the_same_id_is_free_in_another_session(talks: Talks) -> None:
    one, other = await talks(), await talks()
    first, second = await one.say("olá"), await other.say("olá")
    assert first.run_id != second.run_id
    again = [await each.say("olá") for each in (one, other)]
    assert [(each.run_id, each.dup) for each in again] == [(first.run_id, True), (second.run_id, True)]


async def test_a_duplicate_of_a_finished_message_is_still_a_duplicate(talk: Talk) -> None:
    first = await talk.say("olá")
    await talk.finish(await talk.claim(), "bom dia")
    again = await talk.say("olá")
    assert (again.run_id, again.message_id, again.dup) == (first.run_id, first.message_id, True)


async def test_three_messages_wait_behind_a_running_one_and_the_next_is_refused(talk: Talk) -> None:
    assert [(await talk.say(text)).queued for text in "abcd"] == [0, 1, 2, 3]
    with pytest.raises(Busy):
        await talk.say("e")
    await talk.claim()
    with pytest.raises(Busy):
        await talk.say("e")
    assert [queued.text for queued in await talk.store.runs.queue(talk.session.id)] == ["b", "c", "d"]


async def test_a_duplicate_keeps_its_place_although_the_queue_is_full(talk: Talk) -> None:
    for text in "abcd":
        await talk.say(text)
    again = [await talk.say(text) for text in "abcd"]
    assert [(each.dup, each.queued) for each in again] == [(True, place) for place in range(4)]


async def test_four_of_fifty_racing_messages_are_stored_and_the_others_refused(talk: Talk) -> None:
    answers = await asyncio.gather(*(talk.say(f"m{each}") for each in range(50)), return_exceptions=True)

    taken = [answer for answer in answers if isinstance(answer, Submitted)]
    assert len(taken) == 4
    assert all(isinstance(answer, Submitted | Busy) for answer in answers)
    assert sorted(answer.queued for answer in taken) == [0, 1, 2, 3]
    waiting = await talk.store.runs.queue(talk.session.id)
    order = sorted(taken, key=lambda answer: answer.queued)
    assert [queued.run_id for queued in waiting] == [answer.run_id for answer in order]


async def test_a_run_that_is_wanted_at_once_is_claimed_with_its_input_or_not_stored(talk: Talk) -> None:
    async def say(text: str) -> Submitted | None:
        return await talk.store.runs.submit_at_once(
            Claimant("me", 10),
            session_id=talk.session.id,
            principal=talk.session.principal,
            client_id=text,
            content=[{"type": "text", "text": text}],
            language="pt",
        )

    first = await say("a")
    assert first is not None and first.claim is not None
    assert (first.run_id[:4], first.message_id[:4]) == ("run_", "msg_")
    before = await talk.store.sessions.load(talk.session.id)

    assert await say("b") is None
    again = await say("a")

    assert again is not None
    assert (again.run_id, again.dup, again.claim) == (first.run_id, True, None)
    assert await talk.store.runs.queue(talk.session.id) == []
    assert (
        await talk.store.sessions.load(talk.session.id) == before
    )  # Its fence too: all of it was taken back.


async def test_a_message_into_anothers_session_is_refused(talk: Talk) -> None:
    for session_id, principal in ((talk.session.id, "eva"), ("ses_none", "ana")):
        with pytest.raises(NotFound):
            await talk.store.runs.submit(
                session_id=session_id, principal=principal, client_id="c", content=[], language="pt"
            )
    assert await talk.store.runs.queue(talk.session.id) == []


async def test_a_queued_message_shows_its_words_and_the_labels_of_its_clicks(talk: Talk) -> None:
    parts = [
        {"type": "text", "text": "este"},
        {"type": "answer", "block_id": "blk_1", "name": "product", "value": 7, "label": "iPhone 13"},
    ]
    await talk.store.runs.submit(
        session_id=talk.session.id, principal="ana", client_id="c", content=parts, language="pt"
    )
    (queued,) = await talk.store.runs.queue(talk.session.id)
    assert (queued.text, queued.content) == ("este\niPhone 13", parts)


async def test_a_session_has_a_running_run_only_between_claim_and_finish(talk: Talk) -> None:
    await talk.say("olá")
    assert await talk.store.runs.running(talk.session.id) is None
    claim = await talk.claim()
    running = await talk.store.runs.running(talk.session.id)
    assert running == claim.run
    await talk.finish(claim, published=False)
    assert await talk.store.runs.running(talk.session.id) is None


async def test_a_run_that_does_not_exist_is_not_found(talk: Talk) -> None:
    with pytest.raises(NotFound):
        await talk.store.runs.get("run_none")


async def test_a_run_that_is_claimed_with_its_input_is_the_run_that_is_stored(talk: Talk) -> None:
    content = [{"type": "text", "text": "olá"}]
    before = time.monotonic()
    given: dict[str, Any] = {
        "tools": [{"name": "page_cart", "description": "", "parameters": {}, "effect": False}],
        "callback_url": "https://shop.example/hook",
        "trace_context": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    }
    submitted = await talk.store.runs.submit(
        session_id=talk.session.id,
        principal="ana",
        client_id="m1",
        content=content,
        language="en",
        claimant=Claimant("me", 1_000_000),
        **given,
    )
    claim = submitted.claim
    assert claim is not None
    stored = await talk.store.runs.get(submitted.run_id)
    assert claim.run == stored
    assert claim.session == await talk.store.sessions.load(talk.session.id)
    assert (stored.status, stored.attempt, stored.fence, stored.kind) == ("running", 1, 1, "agent")
    assert (stored.language, stored.content, stored.client_id) == ("en", content, "m1")
    assert (stored.message_id, submitted.queued, submitted.dup) == (submitted.message_id, 0, False)
    assert {name: getattr(stored, name) for name in given} == given
    assert (claim.takeover, claim.checkpoint, claim.alone) == (False, None, True)
    assert before <= claim.asked <= time.monotonic()
    (row,) = await talk.store.database.fetch(
        select(runs.c.owner, runs.c.lease_until, now_ms().label("now")).where(runs.c.id == stored.id)
    )
    assert row.owner == "me"
    assert 0 <= row.now + 1_000_000_000 - row.lease_until < PATIENCE_S * 1000


async def test_a_conversation_is_called_by_its_first_words_or_a_requests_title(talks: Talks) -> None:
    words, named = await talks(), await talks()
    await words.say("x" * 500, client_id="m1")
    await words.say("outra")
    await named.store.runs.submit(
        session_id=named.session.id,
        principal="ana",
        client_id="m1",
        content=[{"type": "text", "text": "olá"}, {"type": "input", "text": "{}", "title": "Pedido"}],
        language="pt",
    )
    titles = [(await each.store.sessions.load(each.session.id)).title for each in (words, named)]
    assert titles == ["x" * 59 + "…", "Pedido"]


async def test_runs_of_other_sessions_are_not_counted_in_a_queue(talks: Talks) -> None:
    ended, busy, talk = [await talks() for _ in range(3)]
    await ended.say("a")
    await ended.finish(await ended.claim(), published=False)
    for text in "abcd":
        await busy.say(text)
    await busy.claim()
    first = await talk.say("a", claimant=Claimant("me", 10))
    assert first.claim is not None
    assert [(await talk.say(text)).queued for text in "bcd"] == [1, 2, 3]
    again = await talk.say("c")
    assert (again.dup, again.queued) == (True, 2)
    assert await talk.store.runs.running(talk.session.id) == first.claim.run
    assert [each.client_id for each in await talk.store.runs.queue(talk.session.id)] == ["b", "c", "d"]


async def test_ended_runs_are_not_counted_as_ahead(talk: Talk) -> None:
    await talk.turn("a")
    assert [(await talk.say(text)).queued for text in "bc"] == [0, 1]
    await talk.claim()
    assert (await talk.say("d")).queued == 2
    assert (await talk.say("a")).queued == 0


async def test_a_message_behind_one_that_waits_is_not_claimed_with_its_input(talk: Talk) -> None:
    await talk.say("a")
    assert (await talk.say("b", claimant=Claimant("me", 10))).claim is None
    assert (await talk.claim()).run.client_id == "a"


async def test_the_queue_is_in_the_order_of_its_messages_whatever_their_times_say(talk: Talk) -> None:
    sent = [await talk.say(text) for text in "abc"]
    later = update(runs).where(runs.c.id == sent[0].run_id).values(created_at=runs.c.created_at + 60_000)
    await talk.store.database.execute(later, {})
    waiting = await talk.store.runs.queue(talk.session.id)
    assert [(each.run_id, each.message_id) for each in waiting] == [
        (each.run_id, each.message_id) for each in sent
    ]


async def test_sent_messages_are_found_by_their_ids_in_their_own_session_alone(talks: Talks) -> None:
    one, other = await talks(), await talks()
    sent = {text: (await one.say(text)).run_id for text in "ab"}
    for text in "ac":
        await other.say(text)
    assert await one.store.runs.find_sent(one.session.id, ["a", "c"]) == {"a": sent["a"]}


async def test_a_read_of_the_queue_is_cancelled_when_the_store_closes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = asyncio.Event()

    async def silent(*_: Any) -> None:
        asked.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(store.database, "fetch", silent)
    reading = asyncio.ensure_future(store.runs.queue("ses_1"))
    await asked.wait()
    await store.runs.aclose()
    await asyncio.wait({reading}, timeout=PATIENCE_S)
    assert reading.cancelled()


async def test_a_conversation_that_begins_without_words_is_called_by_the_first_that_come(talk: Talk) -> None:
    await talk.store.runs.submit(
        session_id=talk.session.id,
        principal="ana",
        client_id="m1",
        content=[{"type": "image", "blob_id": "blb_1"}],
        language="pt",
    )
    assert (await talk.store.sessions.load(talk.session.id)).title is None
    await talk.say("olá")
    assert (await talk.store.sessions.load(talk.session.id)).title == "olá"


async def test_a_message_and_its_end_are_the_newest_of_their_conversation(talk: Talk) -> None:
    async def updated_at() -> int:
        """Return when something happened last, and let it be long ago."""
        found = (await talk.store.sessions.load(talk.session.id)).updated_at
        await talk.store.database.execute(update(sessions).values(updated_at=1), {})
        return found

    await updated_at()
    await talk.say("olá")
    assert await updated_at() > 1
    claim = await talk.claim()
    assert await updated_at() == 1
    await talk.finish(claim)
    assert await updated_at() > 1


async def test_the_newest_request_is_the_last_one_of_those_of_one_moment(talk: Talk) -> None:
    for number in range(3):
        await talk.store.runs.submit(
            session_id=talk.session.id,
            principal=talk.session.principal,
            client_id=f"c{number}",
            content=[{"type": INPUT, "text": "", "data": {"number": number}}],
            language="pt",
        )
    async with talk.store.database.write() as connection:
        await connection.execute(update(runs).values(created_at=1))
    assert await talk.store.runs.latest_request(talk.session.id) == {"number": 2}
