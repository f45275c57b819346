"""Answers to a question of presence are counted in any order."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from server.bus.presence import Presence
from server.bus.redis.pipeline import Word
from server.tasks import Tasks
from tests.parts.wait import until_async


class EagerLink:
    """Delivers answers before it says how many processes were asked, as a pushed message overtakes a reply."""

    def __init__(self, early: list[str], processes: int) -> None:
        self._early, self._processes = early, processes
        self.presence: Presence | None = None
        self.asked = 0

    async def call(self, *command: Word) -> Any:
        """Answer at once; returns how many processes got the question."""
        self.asked += 1
        nonce = bytes(command[2]).decode().split(" ")[1] if isinstance(command[2], bytes) else ""
        assert self.presence is not None
        for each in self._early:
            self.presence.receive(f"{each} {nonce}".encode())
        return self._processes

    async def aclose(self) -> None:
        """Close nothing."""


@pytest.mark.parametrize(
    ("early", "here"), [(["away", "here"], True), (["here", "away"], True), (["away", "away"], False)]
)
async def test_an_early_answer_does_not_speak_for_those_who_have_not_answered(
    early: list[str], here: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "server.bus")
    link = EagerLink(early, len(early))
    link.presence = presence = Presence(link, Tasks())
    assert await presence.is_here("vis_1") is here
    assert presence._open == {}, "a question that is answered is forgotten"
    assert not caplog.records, "each of them has answered"


async def test_a_visitor_is_away_as_soon_as_the_last_has_said_so(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "server.bus")
    link = EagerLink([], 2)
    link.presence = presence = Presence(link, Tasks())
    asking = asyncio.ensure_future(presence.is_here("vis_1"))
    await until_async(lambda: link.asked == 1, what="the question")
    (nonce,) = presence._open
    for answered in (False, True):
        presence.receive(b"here another")
        presence.receive(f"away {nonce}".encode())
        for _ in range(5):
            await asyncio.sleep(0)
        assert asking.done() is answered
    assert not await asking
    assert not caplog.records, "nobody was waited for in vain"


async def test_presence_of_a_local_principal_is_answered_without_redis() -> None:
    link = EagerLink([], 1)
    presence = Presence(link, Tasks())
    presence.answer_by(lambda principal: principal == "vis_1")
    assert await presence.is_here("vis_1")
    assert link.asked == 0


class CutLink(EagerLink):
    """Loses its connection with every command."""

    async def call(self, *command: Word) -> Any:
        """Fail."""
        raise ConnectionError


async def test_an_answer_that_cannot_be_sent_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    tasks = Tasks()
    presence = Presence(CutLink([], 0), tasks)
    presence.receive(b"ask nonce vis_1")
    await until_async(lambda: not len(tasks), what="the answer")
    assert not caplog.records
