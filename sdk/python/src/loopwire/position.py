"""The place of a client in the log of a session, and what that makes of the next frame."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any


class Verdict(Enum):
    """What becomes of a durable frame."""

    APPLY = auto()
    DROP = auto()
    """The frame was seen already."""
    HOLE = auto()
    """Something is missing before it."""


class Position:
    """The last number that was seen, and the epoch that it belongs to."""

    __slots__ = ("epoch", "seq")

    def __init__(self, seq: int | None = None, epoch: str | None = None) -> None:
        self.seq = seq
        self.epoch = epoch

    def set(self, seq: int | None, epoch: str | None) -> None:
        """Take over the position of a snapshot or a welcome."""
        self.seq, self.epoch = seq, epoch

    def judge(self, frame: dict[str, Any]) -> Verdict:
        """Say what becomes of a frame; one that stands for several events has the first one's number as `from`."""
        if self.seq is None:
            return Verdict.HOLE
        if frame["seq"] <= self.seq:
            return Verdict.DROP
        return Verdict.HOLE if frame.get("from", frame["seq"]) > self.seq + 1 else Verdict.APPLY

    def move(self, frame: dict[str, Any]) -> None:
        """Go past a frame that is applied."""
        self.seq, self.epoch = frame["seq"], frame.get("epoch") or self.epoch
