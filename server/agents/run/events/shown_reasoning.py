"""The summaries of a model's reasoning, as a run shows them: messages of their own, beside the answer."""

from __future__ import annotations

import time
from collections.abc import Iterable

from server.agents.context import Json
from server.agents.run.types import Outlet
from server.protocol import events as ev
from server.protocol.ids import new_id
from server.protocol.plain_text import PlainPieces
from server.protocol.transcript import REASONING

MOST_CHARACTERS = 16_000
"""Characters of all summaries of one run; what is beyond is dropped, and the message says that there was more."""

_BREAK = "\n\n"
"""Between two parts of one summary."""


class ShownReasoning:
    """The summaries of one execution of a run, at most one of them open."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self.room = 0
        """Characters that may still be shown; none where the service shows no reasoning."""
        self._open: str | None = None
        self._began: float
        self._plain: PlainPieces
        self._before = ""
        """The text that stands between what was said and what comes next."""

    def allow(self, shown: Iterable[Json]) -> None:
        """Show reasoning in a run that has shown these messages so far."""
        said = sum(len(str(each["content"])) for each in shown if each["role"] == REASONING)
        self.room = max(0, MOST_CHARACTERS - said)

    def begin_part(self) -> None:
        """Note that another part of the summary begins."""
        self._before = _BREAK if self._open is not None else ""

    def add(self, delta: str, agent: str | None) -> None:
        """Append a piece of a summary, as far as there is room for it."""
        if self._open is None:
            if self.room == 0 or not delta.strip():
                return
            self._open, self._began, self._plain = new_id("msg"), time.monotonic(), PlainPieces()
            self._outlet.append(ev.reasoning_start(self._open, agent=agent, at=self._outlet.now_ms()))
        whole = self._before + self._plain.feed(delta)
        self._before, fits = "", whole[: self.room]
        self.room -= len(fits)
        if fits:
            self._outlet.append(ev.reasoning_content(self._open, fits))
        if len(fits) < len(whole):
            self.close_summary(truncated=True)

    def close(self) -> None:
        """Append nothing more; the run's own end closes what is open."""
        self.room, self._open = 0, None

    def close_summary(self, *, truncated: bool = False) -> None:
        """Append the end of the open summary, if there is one."""
        if self._open is None:
            return
        took, ended = round((time.monotonic() - self._began) * 1000), self._open
        self._open, self._before = None, ""
        self._outlet.append(ev.reasoning_end(ended, duration_ms=took, truncated=truncated))
