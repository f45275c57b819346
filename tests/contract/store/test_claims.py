"""Claims of runs: one holder at a time, the oldest run first, and another holder follows a dead one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import Connection, select, update
from sqlalchemy.exc import IntegrityError

from server.errors import Fenced, Unavailable
from server.store import Checkpoint, Claim, Claimant, Finish, Renewal, Store
from server.store.engine import database, engines
from server.store.engine.clock import now_ms
from server.store.engine.database import Database
from server.store.engine.database import database_url as address
from server.store.tables import runs
from tests.contract.store.conftest import Talk, Talks
from tests.parts.checkpoints import checkpoint_of
from tests.parts.wait import PATIENCE_S, until_async

CHECKPOINT = Checkpoint('{"sdk": 1}', [{"id": "m"}], {"step": 2}, [{"role": "user"}], "options")


async def test_a_claim_finds_no_run_in_an_empty_database(store: Store) -> None:
    assert await store.runs.claim("me", 10) is None


async def test_a_claim_without_due_work_notices_that_writes_succeed_again(store: Store) -> None:
    def fail(_connection: Connection) -> None:
        raise OSError

    writes = store.database
    for claim in (store.runs.claim, store.callbacks.claim):
        with pytest.raises(Unavailable):
            await writes.run_write(fail)
        assert writes.was_refused
        assert await claim("somebody", 10) is None
        assert not writes.was_refused


async def test_the_oldest_is_claimed_first_across_sessions(talks: Talks) -> None:
    said = [(await (await talks()).say("olá")).run_id for _ in range(3)]
    talk = await talks()
    assert [(await talk.claim()).run.id for _ in range(3)] == said


async def test_a_claim_counts_fence_and_attempt_and_says_who_speaks(talk: Talk) -> None:
    said = await talk.say("olá")
    before = time.monotonic()
    claim = await talk.claim()
    assert before <= claim.asked <= time.monotonic()

    assert (claim.run.id, claim.run.status, claim.run.attempt, claim.run.fence) == (
        said.run_id,
        "running",
        1,
        1,
    )
    assert (claim.session.id, claim.session.fence, claim.takeover, claim.checkpoint) == (
        talk.session.id,
        1,
        False,
        None,
    )
    assert claim.run.started_at is not None


async def test_one_of_fifty_racing_claimers_gets_the_run(talk: Talk) -> None:
    await talk.say("olá")
    claims = await asyncio.gather(*(talk.store.runs.claim(f"w{each}", 10) for each in range(50)))
    assert len([claim for claim in claims if claim is not None]) == 1


async def test_fifty_racing_claimers_never_get_two_runs_of_one_session(talk: Talk) -> None:
    for text in "abcd":
        await talk.say(text)
    claims = await asyncio.gather(*(talk.store.runs.claim(f"w{each}", 10) for each in range(50)))
    assert [claim.run.client_id for claim in claims if claim is not None] == ["a"]


async def test_fifty_claimers_share_fifty_sessions_without_an_overlap(talks: Talks) -> None:
    all_talks = [await talks() for _ in range(50)]
    said = {(await talk.say("olá")).run_id for talk in all_talks}
    taken: list[str] = []

    async def work(name: str) -> None:
        while (claim := await all_talks[0].store.runs.claim(name, 60)) is not None:
            taken.append(claim.run.id)

    await asyncio.gather(*(work(f"w{each}") for each in range(50)))
    while (late := await all_talks[0].store.runs.claim("late", 60)) is not None:
        taken.append(late.run.id)  # A claimer may go home while the others hold the rows that it skipped.
    assert sorted(taken) == sorted(said)


async def test_the_next_run_waits_until_the_end_of_the_one_before_is_published(talk: Talk) -> None:
    await talk.say("a")
    await talk.say("b")
    first = await talk.claim()
    assert await talk.store.runs.claim("me", 10) is None
    await talk.finish(first, published=False)
    assert await talk.store.runs.claim("me", 10) is None
    await talk.store.runs.mark_published(first.run.id, first.run.fence)
    second = await talk.claim()
    assert (second.run.client_id, second.run.fence, second.session.fence) == ("b", 2, 2)


async def test_a_message_is_not_claimed_with_its_input_until_the_end_before_it_is_published(
    talk: Talk,
) -> None:
    await talk.say("a")
    first = await talk.claim()
    await talk.finish(first, published=False)
    waits = await talk.say("b", claimant=Claimant("me", 10))
    assert waits.claim is None
    await talk.store.runs.mark_published(first.run.id, first.run.fence)
    assert (await talk.claim()).run.id == waits.run_id


async def test_a_busy_session_delays_no_claim_of_another_session(talks: Talks) -> None:
    blocked, free = await talks(), await talks()
    await blocked.say("a")
    await blocked.say("b")
    await blocked.claim()
    await free.say("c")
    assert (await free.claim()).run.client_id == "c"


async def test_an_expired_lease_is_taken_over_with_the_checkpoint(talk: Talk) -> None:
    await talk.say("olá")
    dead = await talk.claim(lease_s=10)
    await talk.store.runs.checkpoint(dead.run.id, dead.run.fence, CHECKPOINT)
    assert await talk.store.runs.claim("next", 10) is None
    await talk.renew(dead, -1)

    claim = await talk.claim()
    assert (claim.takeover, claim.checkpoint) == (True, CHECKPOINT)
    assert (claim.run.id, claim.run.attempt, claim.run.fence) == (dead.run.id, 2, 2)
    assert claim.run.started_at == dead.run.started_at


async def test_each_run_is_taken_over_with_its_own_checkpoint(talks: Talks) -> None:
    points, held = {}, []
    for step in (1, 2):
        talk = await talks()
        await talk.say("olá")
        held.append(await talk.claim())
        points[held[-1].run.id] = replace(CHECKPOINT, state={"step": step})
        await talk.store.runs.checkpoint(
            held[-1].run.id, held[-1].run.fence, replace(CHECKPOINT, state={"step": step})
        )
    for claim in held:
        await talk.renew(claim, -1)
    taken = [await talk.claim() for _ in held]
    assert {claim.run.id: claim.checkpoint for claim in taken} == points


async def test_an_expired_run_is_claimed_before_what_waits_and_of_both_the_oldest_first(talks: Talks) -> None:
    async def aged(seconds: int, run_id: str) -> None:
        older = runs.c.created_at - seconds * 1000
        await talk.store.database.execute(
            update(runs).where(runs.c.id == run_id).values(created_at=older), {}
        )

    said = []
    for seconds in range(4):
        talk = await talks()
        said.append((await talk.say("olá")).run_id)
        await aged(seconds, said[-1])
    for claim in [await talk.claim() for _ in range(2)]:
        assert claim.run.id in said[2:]
        await talk.renew(claim, -1)
    await aged(3600, said[0])
    await aged(7200, said[1])
    assert [(await talk.claim()).run.id for _ in said] == [said[3], said[2], said[1], said[0]]


async def test_one_of_fifty_racing_claimers_takes_an_expired_run_over(talk: Talk) -> None:
    await talk.say("olá")
    await talk.claim(lease_s=-1)
    claims = await asyncio.gather(*(talk.store.runs.claim(f"w{each}", 10) for each in range(50)))
    (claim,) = [claim for claim in claims if claim is not None]
    assert (claim.takeover, claim.run.attempt, claim.run.fence) == (True, 2, 2)


async def test_every_claim_of_a_run_counts_as_an_attempt(talk: Talk) -> None:
    await talk.say("olá")
    claims = [await talk.claim(lease_s=-1) for _ in range(4)]
    assert [claim.run.attempt for claim in claims] == [1, 2, 3, 4]
    assert [claim.takeover for claim in claims] == [False, True, True, True]
    await talk.finish(claims[-1], outcome="error", code="instance_lost")
    assert await talk.store.runs.claim("me", 10) is None


async def test_an_attempt_that_never_began_is_taken_back_for_ten_minutes_and_then_counts(talk: Talk) -> None:
    await talk.say("olá")
    for _ in range(3):
        claim = await talk.claim(lease_s=-1)
        assert claim.run.attempt == 1
        await talk.store.runs.uncount(claim.run.id, claim.run.fence)
    async with talk.store.database.write() as connection:
        await connection.execute(update(runs).values(started_at=runs.c.started_at - 600_000))
    for attempt in (1, 2, 3):
        claim = await talk.claim(lease_s=-1)
        assert claim.run.attempt == attempt
        await talk.store.runs.uncount(claim.run.id, claim.run.fence)


async def test_an_attempt_is_taken_back_though_another_holder_has_the_run_until_it_has_ended(
    talk: Talk,
) -> None:
    await talk.say("olá")
    first, second = await talk.claim(lease_s=-1), await talk.claim()
    await talk.store.runs.uncount(first.run.id, second.run.fence + 1)
    assert (await talk.store.runs.get(first.run.id)).attempt == 2
    await talk.store.runs.uncount(first.run.id, first.run.fence)
    assert (await talk.store.runs.get(first.run.id)).attempt == 1
    assert (await talk.renew(second, 10)).alive
    await talk.finish(second)
    await talk.store.runs.uncount(first.run.id, first.run.fence)
    assert (await talk.store.runs.get(first.run.id)).attempt == 1


async def test_a_released_run_is_due_at_once(talk: Talk) -> None:
    await talk.say("olá")
    first = await talk.claim(lease_s=600)
    await talk.store.runs.release(first.run.id, first.run.fence)
    second = await talk.claim()
    assert second.takeover
    await talk.store.runs.release(first.run.id, first.run.fence)
    assert (await talk.renew(second, 10)).alive
    assert await talk.store.runs.claim("me", 10) is None


@pytest.mark.parametrize(("counted", "attempt"), [(True, 2), (False, 1)])
async def test_an_attempt_that_is_given_back_counts_or_does_not(
    talk: Talk, counted: bool, attempt: int
) -> None:
    await talk.say("olá")
    claim = await talk.claim()
    await talk.store.runs.release(claim.run.id, claim.run.fence, counted=counted)
    assert (await talk.claim()).run.attempt == attempt


async def test_a_claim_and_a_renewal_set_the_lease_to_the_given_seconds(talk: Talk) -> None:
    async def left_ms() -> int:
        query = select((runs.c.lease_until - now_ms()).label("left"))
        return int((await talk.store.database.fetch(query))[0].left)

    await talk.say("olá")
    claim = await talk.claim(lease_s=1_000_000)
    assert 0 <= 1_000_000_000 - await left_ms() < PATIENCE_S * 1000
    await talk.renew(claim, 2_000_000)
    assert 0 <= 2_000_000_000 - await left_ms() < PATIENCE_S * 1000


async def test_a_holder_that_was_followed_does_not_give_back_what_another_holds(talk: Talk) -> None:
    await talk.say("olá")
    old = await talk.claim(lease_s=-1)
    await talk.claim(lease_s=600)
    await talk.store.runs.release(old.run.id, old.run.fence)
    assert await talk.store.runs.claim("me", 10) is None


async def test_releasing_a_finished_run_changes_nothing(talk: Talk) -> None:
    await talk.say("olá")
    claim = await talk.claim()
    await talk.finish(claim, "bom dia")
    await talk.store.runs.release(claim.run.id, claim.run.fence)
    assert await talk.store.runs.claim("me", 10) is None


async def test_an_end_notes_where_its_run_begins(talk: Talk) -> None:
    await talk.say("olá")
    claim = await talk.claim()
    assert claim.run.first_seq == 0
    await talk.finish(claim, first_seq=5, published=False)
    (run,) = await talk.store.runs.list_unpublished(0)
    assert run.first_seq == 5


Write = Callable[[Store, Claim], Awaitable[object]]

WRITES: dict[str, Write] = {
    "checkpoint": lambda store, claim: store.runs.checkpoint(claim.run.id, claim.run.fence, CHECKPOINT),
    "finish": lambda store, claim: store.runs.finish(
        claim.run.id,
        claim.run.fence,
        Finish("success", None, [{"id": "late", "role": "user"}], {"x": 1}, [], None),
    ),
    "published": lambda store, claim: store.runs.mark_published(claim.run.id, claim.run.fence),
}


@pytest.mark.parametrize("name", WRITES)
async def test_every_write_of_a_holder_that_was_followed_is_fenced(talk: Talk, name: str) -> None:
    await talk.say("olá")
    old = await talk.claim(lease_s=-1)
    new = await talk.claim(lease_s=60)
    with pytest.raises(Fenced):
        await WRITES[name](talk.store, old)

    assert await talk.renew(old, 10) == Renewal(alive=False, cancel=False)
    assert await talk.store.runs.get(new.run.id) == new.run
    assert (await talk.store.messages.transcript(talk.session.id)).messages == []
    assert await checkpoint_of(talk.store, new.run.id) is None


@pytest.mark.parametrize("name", ["checkpoint", "finish"])
async def test_a_finished_run_is_never_written_again(talk: Talk, name: str) -> None:
    await talk.say("olá")
    claim = await talk.claim()
    await talk.finish(claim, "bom dia")
    with pytest.raises(Fenced):
        await WRITES[name](talk.store, claim)
    assert not (await talk.renew(claim, 10)).alive
    assert len((await talk.store.messages.transcript(talk.session.id)).messages) == 2


async def test_an_end_is_marked_as_told_after_its_commit_and_twice_without_harm(talk: Talk) -> None:
    await talk.say("olá")
    claim = await talk.claim()
    with pytest.raises(Fenced):
        await talk.store.runs.mark_published(claim.run.id, claim.run.fence)
    await talk.finish(claim)
    await talk.store.runs.mark_published(claim.run.id, claim.run.fence)


async def test_a_finish_racing_with_a_takeover_has_one_winner(talks: Talks) -> None:
    """A lease that has run out is not lost before another process takes it: either write may win, never both."""
    for _ in range(15):
        talk = await talks()
        await talk.say("olá")
        old = await talk.claim(lease_s=-1)
        ended, followed = await asyncio.gather(
            talk.finish(old, "bom dia", published=False),
            talk.store.runs.claim("next", 60),
            return_exceptions=True,
        )
        run = await talk.store.runs.get(old.run.id)
        if isinstance(ended, Fenced):
            assert isinstance(followed, Claim)
            assert (run.status, run.fence) == ("running", 2)
            await talk.finish(followed)
        else:
            assert followed is None
            assert (run.status, run.fence) == ("finished", 1)
            await talk.store.runs.mark_published(run.id, run.fence)


async def test_an_unpublished_end_is_listed_when_it_is_old_enough(talk: Talk) -> None:
    await talk.say("olá")
    claim = await talk.claim()
    assert await talk.store.runs.list_unpublished(0) == []
    await talk.finish(claim, published=False)
    (run,) = await talk.store.runs.list_unpublished(0)
    assert (run.id, run.fence, run.outcome) == (claim.run.id, claim.run.fence, "success")
    assert await talk.store.runs.list_unpublished(3600) == []
    await talk.store.runs.mark_published(run.id, run.fence)
    assert await talk.store.runs.list_unpublished(0) == []


async def test_two_processes_on_one_postgresql_share_the_queue(postgres_url: str, tmp_path: Path) -> None:
    one, other = await asyncio.gather(*(Store.open(postgres_url, data_dir=tmp_path) for _ in range(2)))
    try:
        talk = await Talks(one)()
        for each in range(3):
            await talk.say(f"m{each}")
        for each in range(3):
            claims = await asyncio.gather(
                *(store.runs.claim("w", 10) for store in (one, other) for _ in range(10))
            )
            (claim,) = [claim for claim in claims if claim is not None]
            assert claim.run.client_id == f"m{each}"
            await talk.finish(claim)
    finally:
        await one.aclose()
        await other.aclose()


async def test_a_message_sent_again_while_its_run_ends_causes_no_deadlock(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "ATTEMPTS", 1)
    store = await Store.open(postgres_url, data_dir=tmp_path)
    other = await asyncpg.connect(postgres_url)
    try:
        talk = await Talks(store)()
        first = await talk.say("olá")
        claim = await talk.claim()

        async def waiting(count: int) -> None:
            async def so_many() -> bool:
                locks = "SELECT count(*) FROM pg_locks WHERE NOT granted"
                return bool(await other.fetchval(locks) == count)

            await until_async(so_many, what=f"{count} to wait for the session")

        async with other.transaction():
            await other.execute("SELECT 1 FROM sessions FOR UPDATE")
            again = asyncio.create_task(talk.say("olá"))
            await waiting(1)
            ended = asyncio.create_task(talk.finish(claim, "bom dia", published=False))
            await waiting(2)
        await asyncio.gather(again, ended)
        assert ((await again).dup, (await again).run_id) == (True, first.run_id)
    finally:
        await other.close()
        await store.aclose()


async def test_the_database_itself_refuses_a_second_running_run(
    talk: Talk, shared_url: str, tmp_path: Path
) -> None:
    await talk.say("a")
    await talk.say("b")
    await talk.claim()
    database = Database(address(shared_url, tmp_path))
    try:
        with pytest.raises(IntegrityError):
            async with database.write() as connection:
                await connection.execute(update(runs).values(status="running"))
    finally:
        await database.aclose()


async def test_a_message_that_loses_the_race_for_the_one_running_run_waits(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index refuses the second of two that saw no run: the fault is made here, since nobody can time it."""
    write, refused = talk.store.database.run_write, []

    async def race(work: Callable[[Connection], object]) -> object:
        if not refused:
            refused.append(True)
            raise IntegrityError("INSERT", {}, Exception("one running run"))
        return await write(work)

    monkeypatch.setattr(talk.store.database, "run_write", race)
    waits = await talk.say("a", claimant=Claimant("me", 10))
    assert waits.claim is None and not waits.dup
    assert [each.client_id for each in await talk.store.runs.queue(talk.session.id)] == ["a"]
    refused.clear()
    given = {
        "session_id": talk.session.id,
        "principal": talk.session.principal,
        "client_id": "b",
        "content": [{"type": "text", "text": "b"}],
        "language": "pt",
    }
    assert await talk.store.runs.submit_at_once(Claimant("me", 10), **given) is None
    refused.clear()
    with pytest.raises(IntegrityError):
        await talk.say("c")


async def test_a_claim_that_loses_a_race_it_could_not_see_takes_the_next_run_that_is_due(
    postgres_url: str, tmp_path: Path
) -> None:
    """Another run of the session begins to run after the query was made: the index decides, and others do not wait."""
    store = await Store.open(postgres_url, data_dir=tmp_path)
    other = await asyncpg.connect(postgres_url)
    try:
        talk = await Talks(store)()
        await talk.say("a")
        await talk.say("b")
        elsewhere = await Talks(store)()
        await elsewhere.say("c")
        begins = f"UPDATE runs SET status = 'running', lease_until = {1 << 50} WHERE client_id = 'b'"
        async with other.transaction():
            await other.execute(begins)
            claiming = asyncio.ensure_future(store.runs.claim("me", 10))
            waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            watcher = await asyncpg.connect(postgres_url)
            while not await watcher.fetchval(waiting):
                assert not claiming.done()
            await watcher.close()
        claim = await claiming
        assert claim is not None and claim.run.client_id == "c"
        assert (await store.sessions.load(talk.session.id)).fence == 0
        assert await store.runs.claim("me", 10) is None
    finally:
        await other.close()
        await store.aclose()


async def test_an_unpublished_end_is_adopted_by_one_under_a_new_fence(talk: Talk) -> None:
    await talk.say("olá")
    await talk.finish(await talk.claim(), published=False)
    (run,) = await talk.store.runs.list_unpublished(0)
    tries = [talk.store.runs.adopt(run.id, run.fence) for _ in range(10)]
    won = [each for each in await asyncio.gather(*tries, return_exceptions=True) if isinstance(each, int)]
    assert won == [run.fence + 1]
    with pytest.raises(Fenced):
        await talk.store.runs.mark_published(run.id, run.fence)
    await talk.store.runs.mark_published(run.id, won[0])
    with pytest.raises(Fenced):
        await talk.store.runs.adopt(run.id, won[0])
    assert (await talk.store.sessions.load(run.session_id)).fence == won[0]


async def test_marking_an_end_as_published_leaves_ends_of_other_sessions_unpublished(talks: Talks) -> None:
    ended = []
    for talk in (await talks(), await talks()):
        await talk.say("olá")
        claim = await talk.claim()
        await talk.finish(claim, published=False)
        ended.append(claim.run)
    first, second = ended
    assert first.fence == second.fence
    await talk.store.runs.mark_published(first.id, first.fence)
    assert [each.id for each in await talk.store.runs.list_unpublished(0)] == [second.id]


async def test_a_claim_that_waits_for_its_session_keeps_no_other_run_from_being_claimed(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "STATEMENT_TIMEOUT_MS", int(PATIENCE_S * 1000))
    store = await Store.open(postgres_url, data_dir=tmp_path)
    other = await asyncpg.connect(postgres_url)

    async def waits() -> bool:
        return bool(await other.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"))

    try:
        first, second = await Talks(store)(), await Talks(store)()
        for talk in (first, second):
            await talk.say("olá")
        async with other.transaction():
            await other.execute("SELECT 1 FROM sessions WHERE id = $1 FOR UPDATE", first.session.id)
            waiting = asyncio.ensure_future(store.runs.claim("me", 10))
            await until_async(waits, what="the claim to wait for its session")
            claim = await store.runs.claim("me", 10)
            assert claim is not None and claim.session.id == second.session.id
        taken = await waiting
        assert taken is not None and taken.session.id == first.session.id
    finally:
        await other.close()
        await store.aclose()


async def test_leases_are_renewed_while_every_other_connection_is_taken(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "POOL_SIZE", 1)
    store = await Store.open(postgres_url, data_dir=tmp_path)
    try:
        talk = await Talks(store)()
        await talk.say("olá")
        claim = await talk.claim()
        async with AsyncExitStack() as taken:
            for _ in range(2):
                await taken.enter_async_context(store.database.write())
            assert (await talk.renew(claim, 10)).alive
    finally:
        await store.aclose()
