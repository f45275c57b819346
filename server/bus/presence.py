"""Presence: whether a visitor has a socket or a stream open in any process. Each is asked, and each answers."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress

from server.bus.log.entries import BusDown
from server.bus.log.log import PRESENCE_CHANNEL
from server.bus.redis.client import failures_as_down
from server.bus.redis.pipeline import Caller
from server.tasks import Tasks

ANSWER_S = 1.0
"""Seconds in which the other processes answer; one that does not counts as one without the visitor."""

log = logging.getLogger(__name__)


class _Question:
    """The answers to one question; answers may arrive before it is known how many processes were asked."""

    def __init__(self) -> None:
        self.result: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._missing = 0
        self._asked = False

    def note_asked(self, processes: int) -> None:
        self._missing += processes
        self._asked = True
        self._settle(False)

    def note_answer(self, here: bool) -> None:
        self._missing -= 1
        self._settle(here)

    def _settle(self, here: bool) -> None:
        if not self.result.done() and (here or (self._asked and self._missing <= 0)):
            self.result.set_result(here)


class Presence:
    """Asks all processes, this one included, whether a session has readers, and answers for those here."""

    def __init__(self, link: Caller, tasks: Tasks) -> None:
        self._link = link
        self._tasks = tasks
        self._here: list[Callable[[str], bool]] = []
        self._open: dict[str, _Question] = {}

    def answer_by(self, has_visitor: Callable[[str], bool]) -> None:
        """Let this say whether a principal has a socket or a stream open in this process."""
        self._here.append(has_visitor)

    async def is_here(self, principal: str) -> bool:
        """Return whether a visitor has a socket or a stream open anywhere. Raises BusDown."""
        if self._has(principal):
            return True
        nonce = secrets.token_hex()
        question = self._open[nonce] = _Question()
        try:
            async with asyncio.timeout(ANSWER_S):
                with failures_as_down():
                    asked = await self._link.call(
                        "PUBLISH", PRESENCE_CHANNEL, f"ask {nonce} {principal}".encode()
                    )
                question.note_asked(int(asked))
                return await question.result
        except TimeoutError:
            log.info("a process did not say whether a visitor is there")
            return False
        finally:
            del self._open[nonce]

    def receive(self, data: bytes) -> None:
        """Answer a question, or take an answer."""
        kind, _, rest = data.decode().partition(" ")
        nonce, _, principal = rest.partition(" ")
        if kind == "ask":
            self._tasks.spawn(self._answer(nonce, principal), name="bus.presence")
        elif (question := self._open.get(nonce)) is not None:
            question.note_answer(kind == "here")

    async def _answer(self, nonce: str, principal: str) -> None:
        kind = "here" if self._has(principal) else "away"
        with suppress(BusDown), failures_as_down():
            await self._link.call("PUBLISH", PRESENCE_CHANNEL, f"{kind} {nonce}".encode())

    def _has(self, principal: str) -> bool:
        return any(each(principal) for each in self._here)
