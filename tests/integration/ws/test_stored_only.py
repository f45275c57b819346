"""A run that is stored and in no log: whoever reads along is told of it all the same."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from server.store import Claimant, Finish
from server.ws.lateness import Lateness
from tests.integration.ws.inside import Inside, inside
from tests.integration.ws.test_come_back import dropped, opened


@pytest.fixture
async def here(parts: dict[str, str], tmp_path: Path) -> AsyncIterator[Inside]:
    """A quick server that looks at the database all the time."""
    async with inside(tmp_path, capacity=8, **parts) as running:
        looking = Lateness(running.web._rooms, running.ready.parts.runs, ask_s=0.02)
        looking.start()
        yield running
        await looking.aclose()


async def ended_elsewhere(here: Inside, session_id: str, said: str) -> None:
    """A whole run of a process that could not reach Redis, and is no more."""
    store = here.ready.parts.store
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
    await store.runs.told(run.id, run.fence)


async def test_who_reads_along_is_told_of_an_end_that_is_in_no_log(here: Inside) -> None:
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


async def test_who_comes_back_after_it_is_told_too_and_talks_on(here: Inside) -> None:
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


async def stored(here: Inside, session_id: str) -> int:
    return (await here.ready.parts.runs.reached([session_id]))[session_id]
