"""The frames that the server has not acknowledged; they are sent again after each reconnect, under the same ids."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from loopwire.errors import LoopwireError, Refused, refusal_in

MOST_WAITING = 10_000
"""Frames that may wait for their acks; one more is refused with `outbox_full`."""

AGAIN_S = 1.0
"""Seconds after which a refused frame that may succeed later is sent again, where its error names no time."""

Frame = dict[str, Any]


@dataclass(slots=True)
class _Entry:
    frame: Frame
    ack: asyncio.Future[Frame]
    held: bool = False
    """The frame was sent and is not answered, or waits for its time."""


class Outbox:
    """Keeps frames until they are answered.

    Messages go one after the other, each after the ack of the one before, so that they are stored in the order in
    which they were sent, whatever is refused for now. All other frames go at once.
    """

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def keep(self, frame: Frame) -> asyncio.Future[Frame]:
        """Keep a frame; the future is its ack. The same frame again is the same future.

        Raises Refused for another frame with the id of one that waits, and when too many wait.
        """
        known = self._entries.get(frame["id"])
        if known is not None and known.frame == frame:
            return known.ack
        if known is not None:
            raise Refused("id_reused", "This id was used for something else.")
        if len(self._entries) >= MOST_WAITING:
            raise Refused("outbox_full", f"{MOST_WAITING} frames wait for the server.", retry=True)
        ack: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        ack.add_done_callback(_note_error)
        self._entries[frame["id"]] = _Entry(frame, ack)
        return ack

    def take_due(self) -> Iterator[Frame]:
        """Yield the frames that are to be sent now; each is held until it is answered or released."""
        first_message = True
        for entry in list(self._entries.values()):
            if entry.frame["type"] == "message":
                if not first_message:
                    continue
                first_message = False
            if not entry.held:
                entry.held = True
                yield entry.frame

    def release(self, frame_id: str | None = None) -> None:
        """Let a frame be sent again, or all of them, as after a reconnect."""
        for each in self._entries.values() if frame_id is None else self._of(frame_id):
            each.held = False

    def settle(self, answer: Frame) -> float | None:
        """Settle a frame by an ack or an error; return the seconds after which it is to be released, if it is."""
        entry = next(self._of(answer.get("id")), None)
        if entry is None:
            return None
        if answer["type"] == "error":
            refused = refusal_in(answer)
            # The user has changed since then: it is sent again after the next welcome, or given up at the end.
            if refused.retry or refused.code == "unauthorized":
                return refused.retry_after or AGAIN_S
        del self._entries[entry.frame["id"]]
        if entry.ack.done():
            pass
        elif answer["type"] == "ack":
            entry.ack.set_result(answer)
        else:
            entry.ack.set_exception(refused)
        return None

    def fail(self, error: LoopwireError) -> None:
        """Give up all that waits."""
        entries, self._entries = self._entries, {}
        for each in entries.values():
            if not each.ack.done():
                each.ack.set_exception(error)

    def _of(self, frame_id: Any) -> Iterator[_Entry]:
        entry = self._entries.get(frame_id) if isinstance(frame_id, str) else None
        if entry is not None:
            yield entry


def _note_error(ack: asyncio.Future[Frame]) -> None:
    """Retrieve the error of a frame that no caller awaits any more: asyncio would log it otherwise."""
    if not ack.cancelled():
        ack.exception()
