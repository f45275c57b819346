"""A reader that comes after an attempt of a run was withdrawn is told nothing of it: some clients take nothing back."""

from __future__ import annotations

import asyncio

import pytest

from server.protocol import events as ev
from tests.integration.agui.caller import told
from tests.integration.agui.test_any_log import folded
from tests.integration.agui.test_long_threads import Known, decoded, quiet
from tests.integration.ws.inside import Inside
from tests.parts.agui_client import Json
from tests.parts.wait import until_async

__all__ = ["decoded", "quiet"]

pytestmark = pytest.mark.once

TURNS = 4


async def until_open(quiet: Inside, count: int) -> None:
    """Wait until so many answers are open."""
    await until_async(lambda: len(quiet.web.agui.open_answers) == count, what="the answer to be open")


async def test_a_reader_that_comes_after_a_withdrawal_is_told_what_stands(quiet: Inside) -> None:
    known = await Known.of(quiet, TURNS)
    body: Json = {**await known.body(0), "messages": [{"id": "m1", "role": "user", "content": "Olá"}]}
    first = asyncio.create_task(known.posted(body))
    await until_open(quiet, 1)
    store, bus = quiet.ready.parts.store, quiet.ready.parts.bus
    run = await store.runs.get((await store.runs.queue(known.session))[0].run_id)
    writer = await bus.writer(known.session, fence=TURNS + 1, floor=10 * TURNS, reaches=10 * TURNS + 1)
    user = [
        ev.text_start(run.message_id, "user", client_id=run.client_id),
        ev.text_content(run.message_id, "Olá"),
        ev.text_end(run.message_id),
    ]
    start = ev.run_started(known.session, run.id)
    kept = folded([start, *user]).messages
    await writer.publish(
        start,
        *user,
        ev.text_start("msg_a", "assistant"),
        ev.text_content("msg_a", "Esta"),
        ev.run_started(known.session, run.id, attempt=2),
        ev.messages_snapshot(kept, scope="run", attempt=2),
        ev.text_start("msg_b", "assistant"),
        ev.text_content("msg_b", "Boa "),
    )
    late = asyncio.create_task(known.posted({**body, "runId": "late"}))
    await until_open(quiet, 2)
    await writer.publish(
        ev.text_content("msg_b", "tarde"), ev.text_end("msg_b"), ev.run_finished(known.session, run.id)
    )
    await writer.aclose()
    whole, part = await first, await late
    assert [told(each) for each in folded(whole).messages] == [told(each) for each in folded(part).messages]
    assert folded(part).messages[-1]["content"] == "Boa tarde"
    assert "msg_a" not in {each.get("messageId") for each in part}
    assert [each["type"] for each in part].count("TEXT_MESSAGE_START") == 1
