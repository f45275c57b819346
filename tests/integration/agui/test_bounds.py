"""How much the AG-UI door bears: open answers of a conversation and of a visitor, and requests of an address."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from server.api import agui_open
from server.limits import Windows
from tests.integration.agui.caller import body_of, events_in
from tests.integration.agui.test_revoked import Reader, reading
from tests.parts.wait import until_async

MOST = 5


async def another(reader: Reader, stack: AsyncExitStack, body: object, count: int) -> None:
    """One more open answer, when it is counted."""
    answer = await asyncio.to_thread(reader.caller.opened, body)
    stack.callback(answer.close)
    await until_async(lambda: len(reader.here.web._agui._answers) == count, what=f"{count} open answers")


async def test_the_sixth_answer_of_a_conversation_ends_the_first_and_not_its_run(tmp_path: Path) -> None:
    async with reading(tmp_path) as reader, AsyncExitStack() as stack:
        for count in (*range(2, MOST + 1), MOST):
            await another(reader, stack, body_of("thread", "run", ("m1", "olá")), count)
        (failed,) = await reader.rest()
        assert (failed["type"], failed["code"]) == ("RUN_ERROR", "replaced")
        assert await reader.runs() == 1


async def test_a_visitor_with_too_many_open_answers_is_told_when_to_come_again_and_nothing_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agui_open, "MOST_OF_PRINCIPAL", 2)
    async with reading(tmp_path) as reader, AsyncExitStack() as stack:
        await another(reader, stack, body_of("second", "run", ("m1", "olá")), 2)
        body = body_of("third", "run", ("m1", "olá"))
        refused = await asyncio.to_thread(reader.caller.request, "POST", "/agui/submission", body)
        assert (refused.status, refused.body["error"]["code"]) == (429, "rate_limited")
        assert int(refused.headers["retry-after"]) > 0
        listed = await asyncio.to_thread(reader.caller.request, "GET", "/v1/sessions")
        assert len(listed.body["sessions"]) == 2
        await another(reader, stack, body_of("thread", "run", ("m1", "olá")), 3)


async def test_an_address_that_asks_too_often_is_refused_before_its_body_is_read(tmp_path: Path) -> None:
    async with reading(tmp_path) as reader:
        reader.here.web._agui._requests = Windows(((1, 60.0),))
        answers = [
            await asyncio.to_thread(reader.caller.request, "POST", "/agui/submission", b"{") for _ in range(2)
        ]
        assert [each.status for each in answers] == [400, 429]
        assert int(answers[1].headers["retry-after"]) > 0
        reader.here.web._agui.leave()
        assert events_in(await asyncio.to_thread(reader.answer.read))
