"""Runs that ended while the client was away: it asks how, once, and again where the server cannot answer yet."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest

from loopwire import Chat, Result, connect
from loopwire.conversation import outcome_in
from tests.parts.clock import jump, run_at_once
from tests.parts.sampled import later
from tests.unit.sdk.api_server import TICKET, ApiServer, Asked, api_server, respond_with
from tests.unit.sdk.socket_server import Caller, Json, Life, ack, answer, numbered, snapshot, welcome

ANSWER = answer()
QUEUE: Json = {"type": "queue", "items": []}
MESSAGES = "GET /v1/sessions/ses_1/messages?limit=50"
JOB = "GET /v1/jobs/run_1"
LATER = respond_with(503, {"code": "unavailable", "message": "Later.", "retry": True})
GONE = respond_with(404, {"code": "not_found", "message": "Gone.", "retry": False})


def stored(run_id: str, role: str = "assistant", words: str = "", **own: Any) -> Json:
    """Return a stored message of a run."""
    return {
        "id": f"{role}_{run_id}",
        "role": role,
        "content": words,
        "metadata": {"loopwire": {"run_id": run_id, **own}},
    }


BOTH = [
    stored("run_1", "user", "Hi"),
    stored("run_1", words="Hello there."),
    stored("run_2", "user", "Ho"),
    stored("run_2", words="Later."),
]


def page(messages: list[Json]) -> bytes:
    """Return the only page of stored messages."""
    return respond_with(200, {"messages": messages, "before": None})


def respond(**answers: list[bytes]) -> Callable[[Asked], bytes]:
    """Give each request for messages and jobs its next answer, the last one for ever."""

    def take(asked: Asked) -> bytes:
        if asked.what == "POST /v1/tickets":
            return respond_with(200, TICKET)
        left = answers["messages" if "messages" in asked.what else "jobs"]
        return left.pop(0) if len(left) > 1 else left[0]

    return take


def questions(server: ApiServer) -> list[str]:
    return [each for each in server.requests if each != "POST /v1/tickets"]


@asynccontextmanager
async def talk(
    answers: Callable[[Asked], bytes], *lives: Life, mints: bool = False
) -> AsyncIterator[tuple[ApiServer, Chat]]:
    """Open a chat at an API server, as a visitor or with tickets of one's own server."""
    async with api_server(answers, *lives) as server:
        options: Json = {"token": lambda session: TICKET} if mints else {}
        async with connect(server.url, session="ses_1", **options) as chat:
            yield server, chat


async def greet_behind(caller: Caller, run_id: str = "run_2") -> None:
    """Welcome a client with a snapshot that has a later run alone."""
    await caller.say(welcome(30, resumed=False), snapshot(30, answer(run_id, "Later.")), QUEUE)


async def greet_and_stay(caller: Caller) -> None:
    await greet_behind(caller)
    await caller.stay()


def run(work: Awaitable[Any]) -> Any:
    async def await_it() -> Any:
        return await work

    return run_at_once(await_it())


@pytest.mark.parametrize("mints", [True, False])
def test_a_run_that_no_snapshot_has_any_more_ended_as_what_was_stored_says(mints: bool) -> None:
    async def first(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered(ANSWER[:6]))
        await caller.cut()

    async def second(caller: Caller) -> None:
        await greet_behind(caller)
        await caller.say(QUEUE)
        await caller.stay()

    answers = respond(messages=[page(BOTH)], jobs=[respond_with(200, {"status": "done"})])

    async def wait() -> None:
        async with talk(answers, first, second, mints=mints) as (server, chat):
            result = await (await chat.send("Hi"))
            assert result == Result("finished", "Hello there.", None if mints else "success")
            assert questions(server) == ([MESSAGES] if mints else [MESSAGES, JOB])

    run(wait())


def test_a_run_that_may_still_be_at_work_is_asked_for_once_after_a_snapshot() -> None:
    """What was stored shows no later run: its end comes as an event."""

    async def first(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered(ANSWER[:6]))
        await caller.cut()

    async def second(caller: Caller) -> None:
        await greet_behind(caller, "run_0")
        await caller.say(QUEUE, QUEUE)
        await jump(100)
        await caller.say(*numbered(ANSWER, 31))
        await caller.stay()

    async def wait() -> None:
        async with talk(respond(messages=[page(BOTH[:2])]), first, second) as (server, chat):
            result = await (await chat.send("Hi"))
            assert (result.text, result.outcome) == ("Hello there.", "success")
            assert questions(server) == [MESSAGES]

    run(wait())


def test_a_server_that_cannot_answer_yet_is_asked_again_after_pauses_that_grow() -> None:
    answers = respond(
        messages=[LATER, LATER, page(BOTH)], jobs=[LATER, respond_with(200, {"status": "done"})]
    )

    async def wait() -> list[float]:
        async with talk(answers, greet_and_stay) as (server, chat):
            result = await chat.follow("run_1")
            assert result == Result("finished", "Hello there.", "success")
            assert questions(server) == [MESSAGES, MESSAGES, MESSAGES, JOB, MESSAGES, JOB]
            return [each.at for each in server.asked if each.what == MESSAGES]

    moments = run(wait())
    pauses = [later - earlier for earlier, later in pairwise(moments)]
    for least, seconds in zip((0.25, 0.5, 1.0), pauses, strict=True):
        assert least - 1e-6 <= seconds <= 2 * least + 1e-6


@pytest.mark.parametrize(
    ("answers", "asked"),
    [
        (respond(messages=[GONE]), [MESSAGES]),
        (respond(messages=[page(BOTH[:2])]), [MESSAGES]),
        (respond(messages=[page(BOTH)], jobs=[respond_with(200, {"status": "running"})]), [MESSAGES, JOB]),
    ],
    ids=["gone", "nothing later", "still running"],
)
def test_a_run_of_which_nothing_is_known_is_not_asked_for_again(
    answers: Callable[[Asked], bytes], asked: list[str]
) -> None:
    async def late(caller: Caller) -> None:
        await greet_behind(caller, "run_0")
        await jump(100)
        await caller.say(*numbered(ANSWER, 31))
        await caller.stay()

    async def wait() -> None:
        async with talk(answers, late) as (server, chat):
            result = await chat.follow("run_1")
            assert (result.text, result.outcome) == ("Hello there.", "success")
            assert questions(server) == asked

    run(wait())


def test_a_job_that_nobody_may_ask_for_leaves_what_was_stored() -> None:
    marked = [*BOTH[:1], stored("run_1", words="Hello", ended={"outcome": "cancelled"}), *BOTH[2:]]

    async def wait() -> None:
        async with talk(respond(messages=[page(marked)], jobs=[GONE]), greet_and_stay) as (_, chat):
            assert await chat.follow("run_1") == Result("finished", "Hello", "cancelled")

    run(wait())


@pytest.mark.parametrize("is_queued", [True, later(False)])
def test_a_run_that_is_at_work_or_waits_for_its_turn_is_not_asked_for(is_queued: bool) -> None:
    async def begin(caller: Caller) -> None:
        await caller.say(
            welcome(30, resumed=False), snapshot(30, answer("run_2") if is_queued else ANSWER[:6])
        )
        await caller.say({**QUEUE, "items": [{"run_id": "run_1"}] if is_queued else []})
        await jump(100)
        await caller.say(*numbered(ANSWER if is_queued else ANSWER[6:], 31), QUEUE)
        await caller.stay()

    async def wait() -> None:
        async with talk(respond(messages=[GONE]), begin) as (server, chat):
            assert (await chat.follow("run_1")).text == "Hello there."
            assert questions(server) == []

    run(wait())


def test_a_run_that_was_just_begun_is_not_asked_for() -> None:
    async def begin(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()))
        await jump(100)
        await caller.say(*numbered(ANSWER))
        await caller.stay()

    async def wait() -> None:
        async with talk(respond(messages=[GONE]), begin) as (server, chat):
            assert (await (await chat.send("Hi"))).text == "Hello there."
            assert server.asked[0].body == {"session_id": "ses_1"}
            assert questions(server) == []

    run(wait())


def test_an_end_that_arrives_between_two_questions_ends_the_asking() -> None:
    async def begin(caller: Caller) -> None:
        await greet_behind(caller, "run_0")
        await jump(20)
        await caller.say(*numbered(ANSWER, 31))
        await caller.stay()

    async def wait() -> None:
        async with talk(respond(messages=[LATER]), begin) as (server, chat):
            assert (await chat.follow("run_1")).outcome == "success"
            count = len(server.asked)
            await jump(100)
            assert len(server.asked) == count

    run(wait())


async def found(run_id: str, *messages: Json) -> Result | None:
    """Return what these messages, the newest first, tell of a run."""

    async def each() -> AsyncIterator[Json]:
        for message in messages:
            yield message

    return await outcome_in(each(), run_id)


async def test_only_messages_of_a_later_run_show_that_a_run_is_over() -> None:
    mine, others = stored("run_1", words="Hi"), stored("run_2", words="Ho")
    assert await found("run_1") is None
    assert await found("run_1", others) is None
    assert await found("run_1", mine) is None
    assert await found("run_1", mine, stored("run_0")) is None
    assert await found("run_1", others, mine) == Result("finished", "Hi")
    assert await found("run_1", others, mine, stored("run_0", words="No")) == Result("finished", "Hi")


async def test_messages_before_a_run_are_not_read() -> None:
    read: list[str] = []

    async def each() -> AsyncIterator[Json]:
        for message in (
            stored("run_2"),
            stored("run_1", words="Hi"),
            stored("run_0"),
            stored("run_1", words="No"),
        ):
            read.append(message["metadata"]["loopwire"]["run_id"])
            yield message

    assert await outcome_in(each(), "run_1") == Result("finished", "Hi")
    assert read == ["run_2", "run_1", "run_0"]


async def test_the_mark_of_a_run_says_how_it_ended() -> None:
    later, user = stored("run_2"), stored("run_1", "user", "Hi")
    tool = {**stored("run_1"), "toolCalls": [{"id": "c"}]}
    for ended, result in [
        ({"outcome": "error", "code": "timeout"}, Result("error", "One\n\nTwo", code="timeout")),
        ({"outcome": "error"}, Result("error", "One\n\nTwo")),
        ({"outcome": "cancelled"}, Result("finished", "One\n\nTwo", "cancelled")),
        ({}, Result("finished", "One\n\nTwo")),
    ]:
        first, last = stored("run_1", words="One"), stored("run_1", words="Two", ended=ended)
        assert await found("run_1", later, last, tool, first, user) == result
