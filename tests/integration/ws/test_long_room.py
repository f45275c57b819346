"""A page of a long conversation: the room draws from its newest messages, and an old one is never left as it was."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bench.seeding import seed
from server.protocol import events as ev
from server.runs.conversation.conversation_cache import MESSAGES
from server.runs.conversation.snapshots import SHOWN
from tests.integration.ws.inside import Inside, inside
from tests.integration.ws.visitor import Talk

TURNS, SEQ = 150, 1500

pytestmark = pytest.mark.page


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Inside]:
    """Yield a server in this loop."""
    async with inside(tmp_path) as running:
        yield running


async def long_page(here: Inside) -> Talk:
    """Return a page on a conversation with many messages."""
    ticket = await asyncio.to_thread(here.visitor.ticket)
    await seed(here.ready.parts.store, ticket["session_id"], TURNS)
    return await here.visitor.open(html=True, hello={"ticket": ticket["ticket"]})


def drawn_from(here: Inside, page: Talk) -> list[str]:
    """Return the ids of the messages that the room of a page draws from."""
    transcript = here.web.rooms.by_session[page.session].renderer.transcript
    assert transcript is not None
    return [each["id"] for each in transcript.messages]


async def test_a_change_of_a_message_that_is_no_longer_drawn_from_gives_the_page_anew(here: Inside) -> None:
    page = await long_page(here)
    store, session = here.ready.parts.store, page.session
    old = (await store.messages.transcript(session)).messages[0]["id"]
    writer = await here.ready.parts.bus.writer(session, fence=TURNS + 1, floor=SEQ, reaches=SEQ + 1)
    await writer.publish(ev.run_started(session, "run_1"))
    await page.until(lambda _: page.seq == writer.seq)
    await writer.publish(ev.activity_delta(old, "block", []))
    await page.until(lambda frame: frame.get("type") == "snapshot" and frame["seq"] == writer.seq)
    await writer.publish(ev.text_start("msg_new", "assistant"))
    await page.until(lambda frame: frame.get("event", {}).get("messageId") == "msg_new" and frame["content"])
    await writer.aclose()


async def test_a_snapshot_of_a_long_conversation_names_the_page_before(here: Inside) -> None:
    page = await long_page(here)
    store = here.ready.parts.store
    shown = (await store.messages.transcript(page.session)).messages[-SHOWN:]
    snapshot = next(each for each in page.frames if each.get("type") == "snapshot")
    assert snapshot["before"] == shown[0]["id"]
    assert [each["id"] for each in snapshot["events"][1]["messages"]] == [each["id"] for each in shown]


async def test_a_room_draws_from_a_bounded_number_of_messages(here: Inside) -> None:
    page = await long_page(here)
    writer = await here.ready.parts.bus.writer(page.session, fence=TURNS + 1, floor=SEQ, reaches=SEQ + 1)
    for run in range(4):
        await writer.publish(ev.run_started(page.session, f"run_{run}"))
        for each in range(MESSAGES // 2):
            message = f"msg_{run}_{each}"
            await writer.publish(ev.text_start(message, "assistant"), ev.text_end(message))
        await writer.publish(ev.run_finished(page.session, f"run_{run}"))
        await page.event("RUN_FINISHED")
    assert len(drawn_from(here, page)) <= MESSAGES * 3 // 2
    assert drawn_from(here, page)[-1] == f"msg_3_{MESSAGES // 2 - 1}"
    await writer.aclose()
