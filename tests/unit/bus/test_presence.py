"""Answers to a question of presence are counted in any order."""

from __future__ import annotations

from typing import Any

import pytest

from server.bus.presence import Presence
from server.bus.redis.pipeline import Word
from server.tasks import Tasks


class EagerLink:
    """Delivers answers before it says how many processes were asked, as a pushed message overtakes a reply."""

    def __init__(self, early: list[str], processes: int) -> None:
        self._early, self._processes = early, processes
        self.presence: Presence | None = None

    async def call(self, *command: Word) -> Any:
        """Answer at once; returns how many processes got the question."""
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
    early: list[str], here: bool
) -> None:
    link = EagerLink(early, len(early))
    link.presence = presence = Presence(link, Tasks())
    assert await presence.is_here("vis_1") is here
