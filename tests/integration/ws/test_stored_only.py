"""A run that is stored and in no log: its readers get it all the same."""

import itertools
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from server.bus.writer.writer import BARRIER_S
from server.errors import Unavailable
from server.rooms.backlog_watch import ASK_S, LOOK_EVERY, BacklogWatch
from server.store import Claimant, Finish
from tests.integration.ws.inside import Inside, inside
from tests.integration.ws.test_reconnect import dropped, opened
from tests.parts.wait import until_async

pytestmark = pytest.mark.once


@pytest.fixture
async def here(parts: dict[str, str], tmp_path: Path) -> AsyncIterator[Inside]:
    """Yield a quick server that looks at the database all the time."""
    async with inside(tmp_path, capacity=8, **parts) as running:
        looking = BacklogWatch(running.web.rooms, running.ready.parts.runs, ask_s=0.02)
        looking.start()
        yield running
        await looking.aclose()


async def wait_until_told(here: Inside, session_id: str) -> None:
    """Wait until nothing of the session's runs is left to be done."""
    runs = here.ready.parts.store.runs

    async def settled() -> bool:
        return await runs.running(session_id) is None and not await runs.list_unpublished(0)

    await until_async(settled, what="the last run to be told")


async def ended_elsewhere(here: Inside, session_id: str, said: str) -> None:
    """A whole run of a process that could not reach Redis, and is no more; the one before it is told."""
    store = here.ready.parts.store
    await wait_until_told(here, session_id)
    session = await store.sessions.load(session_id)
    submitted = await store.runs.submit(
        session_id=session.id,
        principal=session.principal,
        client_id=f"c-{said}",
        content=[{"type": "text", "text": "E agora?"}],
        language="pt",
        claimant=Claimant("elsewhere", 30),
    )
    assert submitted.claim is not None
    run = submitted.claim.run
    message: dict[str, Any] = {"id": f"msg_{said}", "role": "assistant", "content": said}
    message["metadata"] = {"loopwire": {"run_id": run.id}}
    last = submitted.claim.session.last_seq + 20
    await store.runs.finish(
        run.id, run.fence, Finish("success", None, [message], {}, [], None, last_seq=last)
    )
    await store.runs.mark_published(run.id, run.fence)


async def test_an_open_reader_is_told_of_an_end_that_is_in_no_log(here: Inside) -> None:
    talk = await opened(here)
    await talk.say("Quero vender um iPhone 13", "c1")
    await talk.finished()
    await ended_elsewhere(here, talk.session, "um")
    await talk.until(lambda _: "msg_um" in [each["id"] for each in talk.transcript.messages])
    assert talk.seq == await stored(here, talk.session)
    frames = len(talk.frames)
    await ended_elsewhere(here, talk.session, "dois")
    await talk.until(lambda _: "msg_dois" in [each["id"] for each in talk.transcript.messages])
    assert [each["type"] for each in talk.frames[frames:] if "type" in each].count("snapshot") == 1


async def test_a_reader_that_returns_after_the_end_is_told_too_and_talks_on(here: Inside) -> None:
    talk = await opened(here)
    await talk.say("Quero vender um iPhone 13", "c1")
    await talk.finished()
    await dropped(talk)
    await ended_elsewhere(here, talk.session, "um")
    again = await opened(here, session_id=talk.session)
    assert "msg_um" in [each["id"] for each in again.transcript.messages]
    await again.say("E um segundo?", "c2")
    await again.finished()
    newcomer = await opened(here, session_id=talk.session)
    assert newcomer.transcript.messages == again.transcript.messages


async def test_a_check_that_always_fails_does_not_stop_the_other_checks(
    tmp_path: Path, parts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with inside(tmp_path, capacity=8, **parts) as here:
        await here.web.backlog_watch.aclose()
        talk = await opened(here)
        await talk.say("Quero vender um iPhone 13", "c1")
        await talk.finished()
        runs, turns = here.ready.parts.runs, itertools.count(1)

        async def late() -> frozenset[str]:
            if next(turns) % LOOK_EVERY == 0:
                raise Unavailable
            return frozenset()

        monkeypatch.setattr(runs, "late", late)
        looking = BacklogWatch(here.web.rooms, runs, ask_s=0.02)
        looking.start()
        await ended_elsewhere(here, talk.session, "um")
        await talk.until(lambda _: "msg_um" in [each["id"] for each in talk.transcript.messages])
        await looking.aclose()


@pytest.mark.parametrize("error", [Unavailable, KeyError])
async def test_a_check_that_failed_is_repeated_at_the_next_turn(
    tmp_path: Path, parts: dict[str, str], monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    async with inside(tmp_path, capacity=8, **parts) as here:
        await here.web.backlog_watch.aclose()
        await opened(here)
        runs, asked = here.ready.parts.runs, list[str]()
        late, reached = runs.late, runs.reached_seqs

        async def noting() -> frozenset[str]:
            asked.append("late")
            return await late()

        async def failing(session_ids: Sequence[str]) -> dict[str, int]:
            asked.append("stored")
            if asked.count("stored") == 1:
                raise error
            return await reached(session_ids)

        monkeypatch.setattr(runs, "late", noting)
        monkeypatch.setattr(runs, "reached_seqs", failing)
        looking = BacklogWatch(here.web.rooms, runs, ask_s=0.02)
        looking.start()
        await until_async(lambda: asked.count("stored") == 3, what="three looks")
        await looking.aclose()
        first, second, third = [at for at, each in enumerate(asked) if each == "stored"]
        assert asked[first:second] == ["stored", "late"]
        assert asked[second:third] == ["stored"] + LOOK_EVERY * ["late"]


def test_an_end_that_is_in_no_log_is_told_within_what_is_promised() -> None:
    seen_and_still_unseen = 2
    assert BARRIER_S + ASK_S * 1.2 * LOOK_EVERY * seen_and_still_unseen < 15


async def stored(here: Inside, session_id: str) -> int:
    return (await here.ready.parts.runs.reached_seqs([session_id]))[session_id]


async def test_a_reader_that_opens_a_conversation_without_a_log_is_told_the_end_once(here: Inside) -> None:
    talk = await opened(here)
    await talk.say("Quero vender um iPhone 13", "c1")
    await talk.finished()
    await wait_until_told(here, talk.session)
    await dropped(talk)
    await here.ready.parts.bus.forget(talk.session)
    again = await opened(here, session_id=talk.session)
    assert await here.ready.parts.runs.reached_seqs([talk.session]) == {talk.session: again.seq}
    looks: list[str] = []
    rooms, stored = here.web.rooms, here.web.rooms.note_stored

    def looked(reached: dict[str, int]) -> None:
        stored(reached)
        looks.extend(reached)

    rooms.note_stored = looked  # type: ignore[method-assign]
    await until_async(lambda: looks.count(talk.session) > 2, what="three looks")
    frames = len(again.frames)
    await again.say("E um segundo?", "c2")
    assert "snapshot" not in [each.get("type") for each in again.frames[frames:]]
