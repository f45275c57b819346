"""A thread that a caller without credential began: a second run of it is refused, whatever else happens meanwhile."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from server.agui.anonymous_threads import AnonymousThreads
from server.agui.input import RunAgentInput
from server.errors import Unavailable, UnknownThread
from tests.parts.wait import until_async


class Values:
    """Values that are kept without end."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    async def put(self, key: str, value: bytes, *, seconds: int) -> None:
        self.kept[key] = value

    def keep(self, key: str, value: bytes, *, seconds: int) -> None:
        self.kept[key] = value

    async def read(self, key: str) -> bytes | None:
        return self.kept.get(key)

    async def pop(self, key: str) -> bytes | None:
        return self.kept.pop(key, None)


class Sessions:
    """The conversation of the first caller, which the database gives when the test says so."""

    def __init__(self) -> None:
        self.last_run = "run_1"
        self.away = False
        self.asked = 0
        self.answers = asyncio.Event()
        self.answers.set()

    async def load(self, session_id: str) -> Any:
        self.asked += 1
        await self.answers.wait()
        if self.away:
            raise Unavailable
        return SimpleNamespace(last_run=self.last_run)


class Rig:
    """The threads, of which one was begun."""

    def __init__(self) -> None:
        self.sessions = Sessions()
        store: Any = SimpleNamespace(sessions=self.sessions)
        self.threads = AnonymousThreads(Values(), store)

    async def begun(self) -> Rig:
        await self.threads.remember("a", "chat", body("r1"), "ses_1", "run_1")
        return self

    async def require(self, run: str) -> None:
        await self.threads.require_first("a", "chat", body(run))

    async def refuses(self, run: str) -> bool:
        try:
            await self.require(run)
        except UnknownThread:
            return True
        return False


def body(run: str) -> RunAgentInput:
    said = {"id": f"m-{run}", "role": "user", "content": "olá"}
    return RunAgentInput.model_validate({"threadId": "t1", "runId": run, "messages": [said]})


async def test_a_second_run_is_refused_also_while_another_one_is_judged() -> None:
    rig = await Rig().begun()
    rig.sessions.answers.clear()
    judged = [asyncio.ensure_future(rig.refuses(run)) for run in ("r2", "r3")]
    await until_async(lambda: rig.sessions.asked == 2, what="both to be judged")
    rig.sessions.answers.set()
    assert await asyncio.gather(*judged) == [True, True]


async def test_a_thread_is_remembered_while_the_database_is_away() -> None:
    rig = await Rig().begun()
    rig.sessions.away = True
    assert not await rig.refuses("r2")
    rig.sessions.away = False
    assert await rig.refuses("r2")


async def test_a_thread_is_remembered_when_its_first_request_is_repeated() -> None:
    rig = await Rig().begun()
    assert not await rig.refuses("r1")
    assert await rig.refuses("r2")


async def test_a_thread_that_its_caller_goes_on_with_is_not_refused() -> None:
    rig = await Rig().begun()
    rig.sessions.last_run = "run_2"
    assert not await rig.refuses("r2")
    await rig.threads.remember("a", "chat", body("r2"), "ses_2", "run_9")
    rig.sessions.last_run = "run_9"
    with pytest.raises(UnknownThread):
        await rig.require("r3")
