"""The numbered log of a session, for bridges and tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from loopwire.wire import Wire


@dataclass(frozen=True, slots=True)
class Event:
    """An AG-UI event at its place in the log; `first` is smaller than `seq` where it stands for several."""

    epoch: str
    seq: int
    first: int
    data: dict[str, Any]

    @property
    def type(self) -> str:
        """Return the event's type in AG-UI."""
        return str(self.data["type"])

    @property
    def position(self) -> tuple[str, int]:
        """Return where to go on after it: `chat.events(after=event.position)`."""
        return self.epoch, self.seq


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All there is, as events, where the log does not reach back to the position: it replaces what one has."""

    epoch: str
    seq: int
    events: tuple[dict[str, Any], ...]

    @property
    def position(self) -> tuple[str, int]:
        """Return where to go on after it."""
        return self.epoch, self.seq


class Events:
    """Yields each event once and in order, or a snapshot in place of those that are gone. It ends with its chat."""

    def __init__(self, wire: Wire, on_closed: Callable[[Events], None]) -> None:
        """`on_closed` is called when this one has let go of its connection."""
        self._wire = wire
        self._on_closed = on_closed

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> Event | Snapshot:
        """Wait for the next one. Raises Closed when the server admits this client no more."""
        while True:
            frame = await self._wire.next()
            if "event" in frame:
                first = frame["from"] if "from" in frame else frame["seq"]
                return Event(frame["epoch"], frame["seq"], first, frame["event"])
            if frame.get("type") == "snapshot":
                return Snapshot(frame["epoch"], frame["seq"], tuple(frame["events"]))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Let go of the connection."""
        await self._wire.aclose()
        self._on_closed(self)
