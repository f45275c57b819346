"""The limits of the AG-UI endpoint: open answers of a conversation and of a visitor, and requests of an address."""

from __future__ import annotations

import asyncio
import urllib.error
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from sqlalchemy import func, select

from server.limit_counters import Windows
from server.store.tables import aliases, runs, sessions
from tests.integration.agui.caller import body_of, events_in
from tests.integration.agui.test_revoked import Reader, reading
from tests.parts.wait import until_async

MOST = 5
ANSWERS = "LOOPWIRE_LIMIT_ANSWERS_PER_VISITOR"
AT_ONCE = 12


async def another(reader: Reader, stack: AsyncExitStack, body: object, count: int) -> None:
    """One more open answer, when it is counted."""
    answer = await asyncio.to_thread(reader.caller.opened, body)
    stack.callback(answer.close)
    await until_async(lambda: len(reader.here.web.agui.open_answers) == count, what=f"{count} open answers")


@pytest.mark.once
async def test_the_sixth_answer_of_a_conversation_ends_the_first_and_not_its_run(
    tmp_path: Path, parts: dict[str, str]
) -> None:
    async with reading(tmp_path, parts) as reader, AsyncExitStack() as stack:
        for count in (*range(2, MOST + 1), MOST):
            await another(reader, stack, body_of("thread", "run", ("m1", "olá")), count)
        (failed,) = await reader.rest()
        assert (failed["type"], failed["code"]) == ("RUN_ERROR", "replaced")
        assert await reader.runs() == 1


@pytest.mark.once
async def test_a_visitor_with_too_many_open_answers_is_told_when_to_come_again_and_nothing_is_stored(
    tmp_path: Path, parts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ANSWERS, "2")
    async with reading(tmp_path, parts) as reader, AsyncExitStack() as stack:
        await another(reader, stack, body_of("second", "run", ("m1", "olá")), 2)
        body = body_of("third", "run", ("m1", "olá"))
        refused = await asyncio.to_thread(reader.caller.request, "POST", "/agui/submission", body)
        assert (refused.status, refused.body["error"]["code"]) == (429, "rate_limited")
        assert int(refused.headers["retry-after"]) > 0
        assert await stored(reader) == {"sessions": 2, "aliases": 2, "runs": 2}
        await another(reader, stack, body_of("thread", "run", ("m1", "olá")), 3)


@pytest.mark.conformance
@pytest.mark.once
async def test_simultaneous_requests_open_no_more_answers_than_the_limit(
    tmp_path: Path, parts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ANSWERS, "2")
    async with reading(tmp_path, parts) as reader, AsyncExitStack() as stack:
        with ThreadPoolExecutor(AT_ONCE) as threads:
            bodies = [body_of(f"thread {each}", "run", ("m1", "olá")) for each in range(AT_ONCE)]
            told = await asyncio.gather(
                *(asyncio.wrap_future(threads.submit(status_of, reader, stack, each)) for each in bodies)
            )
        assert sorted(told) == [200, *[429] * (AT_ONCE - 1)]
        assert await stored(reader) == {"sessions": 2, "aliases": 2, "runs": 2}


@pytest.mark.conformance
@pytest.mark.once
async def test_a_request_that_is_refused_gives_its_place_back(
    tmp_path: Path, parts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ANSWERS, "2")
    async with reading(tmp_path, parts) as reader, AsyncExitStack() as stack:
        both = body_of(
            "second", "run", ("m1", "olá"), resume=[{"interruptId": "int_1", "status": "resolved"}]
        )
        for _ in range(3):
            refused = await asyncio.to_thread(reader.caller.request, "POST", "/agui/submission", both)
            assert refused.status == 404
        await another(reader, stack, body_of("second", "run 2", ("m1", "olá")), 2)


@pytest.mark.conformance
@pytest.mark.once
async def test_a_bearer_with_too_many_open_answers_leaves_no_name_of_its_conversation_and_keeps_its_ticket(
    tmp_path: Path, parts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reading(tmp_path, parts) as reader:
        made = await asyncio.to_thread(reader.caller.request, "POST", "/v1/sessions", {})
        ticket = await asyncio.to_thread(reader.caller.ticket, session_id=made.body["id"])
        before = await stored(reader)
        monkeypatch.setattr(reader.here.web.agui.open_answers, "most_of_principal", 1)
        body, bearer = body_of("mine", "run", ("m1", "olá")), {"authorization": f"Bearer {ticket['ticket']}"}
        refused = await asyncio.to_thread(
            reader.caller.request, "POST", "/agui/submission", body, headers=bearer
        )
        assert refused.status == 429
        assert await stored(reader) == before
        monkeypatch.undo()
        answer = await asyncio.to_thread(reader.caller.opened, body, bearer)
        assert answer.status == 200, "what was refused for now has not spent the ticket"
        answer.close()


def status_of(reader: Reader, stack: AsyncExitStack, body: object) -> int:
    """Ask for an answer and leave it open; say how it was received."""
    try:
        answer = reader.caller.opened(body)
    except urllib.error.HTTPError as error:
        with error:
            return error.code
    stack.callback(answer.close)
    return int(answer.status)


async def stored(reader: Reader) -> dict[str, int]:
    """Count the rows that a request may leave."""
    async with reader.here.ready.parts.store.database.read() as database:
        return {
            table.name: (await database.execute(select(func.count()).select_from(table))).scalar_one()
            for table in (sessions, aliases, runs)
        }


@pytest.mark.once
async def test_an_address_that_asks_too_often_is_refused_before_its_body_is_read(
    tmp_path: Path, parts: dict[str, str]
) -> None:
    async with reading(tmp_path, parts) as reader:
        reader.here.web.agui.parts.run_rate.here = Windows(((1, 60.0),))
        answers = [
            await asyncio.to_thread(reader.caller.request, "POST", "/agui/submission", b"{") for _ in range(2)
        ]
        assert [each.status for each in answers] == [400, 429]
        assert int(answers[1].headers["retry-after"]) > 0
        reader.here.web.agui.close_for_shutdown()
        assert events_in(await asyncio.to_thread(reader.answer.read))
